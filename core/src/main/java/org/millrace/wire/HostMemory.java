package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a process allocates so that other processes of its user, on its host, can map it by
 * name; it also knows which of these processes are gone. Real memory is the kernel's; a simulation
 * has its own.
 *
 * <p>Safe for use by several threads.
 */
public interface HostMemory {

  /** As {@link #minBytes} of the kernel's memory. */
  long MIN_BYTES = 128 << 10;

  /** As {@link #windowBytes} of the kernel's memory. */
  long WINDOW_BYTES = 8 << 20;

  /** As {@link #minWrites} of the kernel's memory. */
  int MIN_WRITES = 4;

  /** None: nothing can be made, nothing mapped. */
  HostMemory NONE =
      new HostMemory() {
        @Override
        public String process() {
          return "";
        }

        @Override
        public boolean isGone(String process) {
          return false;
        }

        @Override
        public Piece make(long bytes) throws IOException {
          throw new IOException("this process shares no memory");
        }

        @Override
        public MemorySegment attach(String name, long bytes) throws IOException {
          throw new IOException("this process shares no memory");
        }
      };

  /** Memory of this process that others can map. */
  interface Piece extends AutoCloseable {

    /** What others map it by; no other piece on this host has had that name. */
    String name();

    /** All of it: zeros at first. */
    MemorySegment memory();

    /**
     * Gives it back to the system, even if others still map it. Nobody may use {@link #memory} any
     * more.
     */
    @Override
    void close();

    /**
     * No process can map it from now on. Processes that have mapped it keep it, and the system
     * frees it after the last of them. Instead of {@link #close}; {@link #memory} must not be used
     * afterwards.
     */
    default void letGo() {
      close();
    }
  }

  /** Smaller accesses to a strand are sent as messages rather than copied by the rank itself. */
  default long minBytes() {
    return MIN_BYTES;
  }

  /** How much is best pinned at a time. */
  default long windowBytes() {
    return WINDOW_BYTES;
  }

  /** So many small writes must follow each other for it to pay that blocks are kept for them. */
  default int minWrites() {
    return MIN_WRITES;
  }

  /** The name of this process, which no other on this host has had; empty if it shares nothing. */
  String process();

  /** Whether a process has ended, so that it cannot touch anything. False if unknown. */
  boolean isGone(String process);

  /** New memory. */
  Piece make(long bytes) throws IOException;

  /**
   * Maps what another process has made; the same memory again if it is mapped already. It stays as
   * long as the segment is reachable.
   *
   * @throws IOException if it is not there, or not what it should be
   */
  MemorySegment attach(String name, long bytes) throws IOException;

  /**
   * Whether the process that made memory lives and still has it; false if that is unknown. When
   * this says so, nobody can have taken that process's place before it was called.
   */
  default boolean isThere(String name) {
    return false;
  }

  /** Reads a word of 8 bytes that others change: a load that later ones do not overtake. */
  default long word(MemorySegment memory, long at) {
    return SharedWord.get(memory, at);
  }

  /** Whether threads of several processes can sleep on a word of this memory. */
  default boolean canSleep() {
    return false;
  }

  /**
   * Sleeps for {@code nanos} at most, unless the four bytes at {@code at} are not {@code value} any
   * more. Returns when it is woken, and sometimes spuriously. Holds on to the thread.
   */
  default void sleepWhile(MemorySegment memory, long at, int value, long nanos) {
    throw new UnsupportedOperationException("sleepWhile");
  }

  /** Wakes all sleepers on the four bytes at {@code at}. */
  default void wakeAll(MemorySegment memory, long at) {}
}
