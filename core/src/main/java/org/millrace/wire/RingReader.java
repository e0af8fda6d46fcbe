package org.millrace.wire;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.millrace.error.MillraceException;

/**
 * The reading side of a {@link Ring}. The space of bytes that were read is available to the writer
 * only after {@link #release}.
 *
 * <p>For one thread at a time. There is nothing to close: the memory belongs to its creator.
 */
public final class RingReader {

  private final Ring ring;
  private long head;
  private long released;
  private long tail;

  /** The reader of the ring, still unused, that fills {@code region}. */
  public RingReader(MemorySegment region) {
    this.ring = new Ring(region);
  }

  /** How many bytes a full ring holds. */
  public int capacity() {
    return ring.capacity;
  }

  /** How many bytes can be read now. */
  public int readableBytes() throws MillraceException {
    long seen = ring.get(Ring.TAIL);
    if (seen < tail || seen > released + ring.capacity) {
      throw ring.broken("tail", seen, tail, released + ring.capacity);
    }
    tail = seen;
    return (int) (tail - head);
  }

  /** Whether something is there, at a glance: for any thread, and perhaps already wrong. */
  public boolean hasBytes() {
    return ring.get(Ring.TAIL) != head;
  }

  /** Reads as much as there is, at most {@code bytes}; returns how much that was. */
  public int read(MemorySegment target, long offset, int bytes) throws MillraceException {
    Objects.checkFromIndexSize(offset, bytes, target.byteSize());
    int taken = bytes <= tail - head ? bytes : Math.min(bytes, readableBytes());
    int first = ring.stretch(head, taken);
    MemorySegment.copy(ring.data, ring.at(head), target, offset, first);
    if (first < taken) {
      MemorySegment.copy(ring.data, 0, target, offset + first, taken - first);
    }
    head += taken;
    return taken;
  }

  /** The memory to read bytes from by hand, from {@link #stretchOffset} on. */
  public MemorySegment memory() {
    return ring.data;
  }

  /** Where the next byte is in {@link #memory}. */
  public long stretchOffset() {
    return ring.at(head);
  }

  /** How many bytes can be read by hand now: as many as there are next to each other. */
  public int stretchBytes() throws MillraceException {
    return ring.stretch(head, readableBytes());
  }

  /** Counts bytes that were read by hand. */
  public void advance(int bytes) {
    int max = ring.stretch(head, (int) (tail - head));
    if (bytes < 0 || bytes > max) {
      throw new IllegalArgumentException("advance by " + bytes + " bytes of " + max);
    }
    head += bytes;
  }

  /**
   * Gives the room of all that was read back. Returns whether the writer sleeps, has the room it
   * waits for, and must be woken.
   */
  public boolean release() throws MillraceException {
    if (head == released) {
      return false;
    }
    released = head;
    ring.set(Ring.HEAD, head);
    VarHandle.fullFence();
    long wanted = ring.get(Ring.WRITER_SLEEPS);
    return wanted != 0
        && ring.capacity - readableBytes() >= Math.min(wanted, ring.capacity)
        && ring.claim(Ring.WRITER_SLEEPS);
  }

  /**
   * Says that the reader is about to sleep until there is something to read. Returns false if there
   * is: then it must not sleep.
   */
  public boolean park() throws MillraceException {
    ring.set(Ring.READER_SLEEPS, 1);
    VarHandle.fullFence();
    if (readableBytes() > 0) {
      unpark();
      return false;
    }
    return true;
  }

  /** Says that the reader is awake. */
  public void unpark() {
    ring.set(Ring.READER_SLEEPS, 0);
  }
}
