package org.millrace.wire;

/**
 * A thread that watches wires and calls their owners when they are ready. Owners never block it, so
 * no wire delays another for long.
 *
 * <p>Safe for use by several threads. Closing ends the thread; the owners close their wires.
 */
public interface EventLoop extends AutoCloseable {

  /** Owns a wire. Called by the event loop's thread, one call at a time. */
  interface Watcher {

    /** The wire may be readable, writable, or closed by the peer. */
    void onReady();

    /** The socket is readable or writable. */
    default void onBell() {
      onReady();
    }

    /** Some time has passed, at most a second since the last call. */
    void onTick();

    /** Whether a thread reads the wire itself, so that the event loop need not. */
    default boolean isHelped() {
      return false;
    }

    /** Whether there is work that no socket reports. Cheap. */
    default boolean isReady() {
      return false;
    }

    /**
     * The event loop is about to sleep; false if there is work. If true, its doorbell is rung
     * later.
     */
    default boolean onSleep() {
      return true;
    }

    /** The event loop is awake: its doorbell need not be rung. */
    default void onWake() {}
  }

  /** Polls a watcher from now on, while the loop is awake. */
  void poll(Watcher watcher);

  /** Ends {@link #poll}. */
  void unpoll(Watcher watcher);

  /** Runs a task soon on the event loop's thread. */
  void submit(Runnable task);

  @Override
  void close();
}
