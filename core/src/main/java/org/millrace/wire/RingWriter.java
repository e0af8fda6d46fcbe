package org.millrace.wire;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.millrace.error.MillraceException;

/**
 * The writing side of a {@link Ring}. The reader sees bytes only after {@link #publish}, so that a
 * frame of several parts appears as a whole.
 *
 * <p>For one thread at a time. There is nothing to close: the memory belongs to its creator.
 */
public final class RingWriter {

  private final Ring ring;
  private long tail;
  private long published;
  private long head;

  /** The writer of the ring, still unused, that fills {@code region}. */
  public RingWriter(MemorySegment region) {
    this.ring = new Ring(region);
  }

  /** How many bytes an empty ring takes. */
  public int capacity() {
    return ring.capacity;
  }

  /** How many bytes can be placed now. */
  public int writableBytes() throws MillraceException {
    long seen = ring.get(Ring.HEAD);
    if (seen < head || seen > published) {
      throw ring.broken("head", seen, head, published);
    }
    head = seen;
    return room();
  }

  /** Places as much of {@code source} as there is room for; returns how much that was. */
  public int write(MemorySegment source, long offset, int bytes) throws MillraceException {
    Objects.checkFromIndexSize(offset, bytes, source.byteSize());
    int taken = bytes <= room() ? bytes : Math.min(bytes, writableBytes());
    int first = ring.stretch(tail, taken);
    MemorySegment.copy(source, offset, ring.data, ring.at(tail), first);
    if (first < taken) {
      MemorySegment.copy(source, offset + first, ring.data, 0, taken - first);
    }
    tail += taken;
    return taken;
  }

  /** The memory to place bytes into by hand, from {@link #stretchOffset} on. */
  public MemorySegment memory() {
    return ring.data;
  }

  /** Where the next byte goes in {@link #memory}. */
  public long stretchOffset() {
    return ring.at(tail);
  }

  /** How many bytes can be placed by hand now: as many as have room next to each other. */
  public int stretchBytes() throws MillraceException {
    return ring.stretch(tail, writableBytes());
  }

  /** Counts bytes that were placed by hand. */
  public void advance(int bytes) {
    if (bytes < 0 || bytes > ring.stretch(tail, room())) {
      throw new IllegalArgumentException(
          "advance by " + bytes + " bytes of " + ring.stretch(tail, room()));
    }
    tail += bytes;
  }

  /** Shows the reader all that was placed. Returns whether it sleeps and must be woken. */
  public boolean publish() {
    if (tail == published) {
      return false;
    }
    published = tail;
    ring.set(Ring.TAIL, tail);
    VarHandle.fullFence();
    return ring.get(Ring.READER_SLEEPS) != 0 && ring.claim(Ring.READER_SLEEPS);
  }

  /**
   * Says that the writer is about to sleep until there is room for {@code bytes} bytes. Returns
   * false if there is: then it must not sleep.
   */
  public boolean park(int bytes) throws MillraceException {
    if (bytes < 1 || bytes > ring.capacity) {
      throw new IllegalArgumentException(
          "wait for room of " + bytes + " bytes in a ring of " + ring.capacity);
    }
    if (tail != published) {
      throw new IllegalStateException("publish before you sleep");
    }
    ring.set(Ring.WRITER_SLEEPS, bytes);
    VarHandle.fullFence();
    if (writableBytes() >= bytes) {
      unpark();
      return false;
    }
    return true;
  }

  /** Says that the writer is awake. */
  public void unpark() {
    ring.set(Ring.WRITER_SLEEPS, 0);
  }

  private int room() {
    return (int) (ring.capacity - (tail - head));
  }
}
