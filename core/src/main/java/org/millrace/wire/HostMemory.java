package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a process makes so that other processes of its user, on its host, can map it by name;
 * and which of these processes are gone. Real memory is the kernel's; a simulation has its own.
 *
 * <p>Safe for use by several threads.
 */
public interface HostMemory {

  /** As {@link #leastBytes} of the kernel's memory. */
  long LEAST_BYTES = 128 << 10;

  /** As {@link #windowBytes} of the kernel's memory. */
  long WINDOW_BYTES = 8 << 20;

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
     * Nobody can map it any more; who does keeps it, and the system has it back when nobody is
     * left. Instead of {@link #close}. Nobody may use {@link #memory} any more.
     */
    default void letGo() {
      close();
    }
  }

  /** Accesses to less of a strand than this are better sent than copied by who wants them. */
  default long leastBytes() {
    return LEAST_BYTES;
  }

  /** How much is best pinned at a time. */
  default long windowBytes() {
    return WINDOW_BYTES;
  }

  /** The name of this process, which no other on this host has had; empty if it shares nothing. */
  String process();

  /**
   * Whether a process lives no more, so that it cannot touch anything. False if nobody can tell.
   */
  boolean isGone(String process);

  /** New memory. */
  Piece make(long bytes) throws IOException;

  /**
   * Maps what another process has made; the same memory again if it is mapped already. It stays as
   * long as somebody holds the segment.
   *
   * @throws IOException if it is not there, or not what it should be
   */
  MemorySegment attach(String name, long bytes) throws IOException;

  /** Whether threads of several processes can sleep on a word of this memory. */
  default boolean canSleep() {
    return false;
  }

  /**
   * Sleeps for {@code nanos} at most, unless the four bytes at {@code at} are not {@code value} any
   * more. Returns when somebody wakes it, and sometimes for no reason. Holds on to the thread.
   */
  default void sleepWhile(MemorySegment memory, long at, int value, long nanos) {
    throw new UnsupportedOperationException("sleepWhile");
  }

  /** Wakes all who sleep on the four bytes at {@code at}. */
  default void wakeAll(MemorySegment memory, long at) {}
}
