package org.millrace.wire;

/**
 * A thread that watches wires and lets whoever owns them work when there is something to do. Owners
 * never wait on it, so no wire holds up another for long.
 *
 * <p>Safe for use by several threads. Closing ends the thread; the wires stay their owners'.
 */
public interface Hub extends AutoCloseable {

  /** Owns a wire. Called by the hub's thread, one call at a time. */
  interface Watcher {

    /** Bytes may be there, or room to write, or the other end has closed. */
    void onReady();

    /** A socket has something to read, or room. */
    default void onBell() {
      onReady();
    }

    /** Some time has passed, at most a second since the last call. */
    void onTick();

    /** Whether a thread waits for bytes of the wire itself: the hub need not look for them. */
    default boolean isHelped() {
      return false;
    }

    /** Whether there is something to do that no socket tells of. A glance. */
    default boolean isReady() {
      return false;
    }

    /** The hub wants to sleep; false if there is something to do, else its bell will be rung. */
    default boolean onSleep() {
      return true;
    }

    /** The hub is awake: nobody need ring its bell. */
    default void onWake() {}
  }

  /** Looks at a watcher again and again from now on, while it is awake. */
  void poll(Watcher watcher);

  /** Ends {@link #poll}. */
  void unpoll(Watcher watcher);

  /** Has the hub's thread run something soon. */
  void submit(Runnable task);

  @Override
  void close();
}
