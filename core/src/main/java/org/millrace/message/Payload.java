package org.millrace.message;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Cursor;
import org.millrace.access.Pattern;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;

/**
 * The bytes that a request sends or receives: memory, and their places in it. Byte i of the payload
 * is at the i-th place.
 *
 * <p>In one JVM the endpoint gets the very value that the sender gave, and reads or fills the
 * sender's memory in place. Between processes the link moves the bytes: the endpoint gets a payload
 * of as many bytes that lie one behind the other in memory of its own, or in memory that both
 * share. A sender need not know which of the two it is, nor how large the payload may be.
 *
 * <p>Immutable, except for the bytes.
 *
 * @param memory what is read or filled
 * @param places where each byte lies in it
 * @param bytes how many there are; the places may go on behind them
 */
public record Payload(MemorySegment memory, Places places, long bytes) {

  /** No bytes. */
  public static final Payload NONE = new Payload(MemorySegment.NULL, Places.packed(0), 0);

  /** Checks that each byte has a place. */
  public Payload {
    if (bytes < 0 || bytes > places.size()) {
      throw new IllegalArgumentException(
          "a payload of " + bytes + " bytes with places for " + places.size());
    }
  }

  /** A whole segment. */
  public static Payload of(MemorySegment memory) {
    long bytes = memory.byteSize();
    return bytes == 0 ? NONE : new Payload(memory, Places.packed(bytes), bytes);
  }

  /** Consecutive bytes of a segment. */
  public static Payload of(MemorySegment memory, long at, long bytes) {
    return new Payload(memory, new Places(Pattern.run(at + bytes), at), bytes);
  }

  /** Whether the bytes lie one behind the other. */
  public boolean isPacked() {
    return places.isPacked();
  }

  /** The memory of a packed payload's bytes. */
  public MemorySegment packed() {
    return memory.asSlice(places.start(), bytes);
  }

  /** The bytes from number {@code from} to before {@code to}, as a payload. */
  public Payload part(long from, long to) {
    return new Payload(memory, places.after(from), to - from);
  }

  /** Copies all bytes, one behind the other, to {@code target} from {@code at} on. */
  public void copyTo(MemorySegment target, long at) {
    copy(Cursor.run(0, bytes), target, at, true, true);
  }

  /** Fills all bytes with those of {@code source} from {@code at} on. */
  public void copyFrom(MemorySegment source, long at) {
    copy(Cursor.run(0, bytes), source, at, true, false);
  }

  /** Copies all bytes to the places of another payload of as many. */
  public void copyTo(Payload target) {
    Packer.copy(memory, places, target.memory, target.places, bytes);
  }

  /** The travelling bytes where they lie, if they lie one behind the other; else null. */
  @Nullable MemorySegment runOf(PayloadLayout payloadLayout) {
    Cursor which = payloadLayout.which();
    if (!which.next()) {
      return memory.asSlice(0, 0);
    }
    if (!isPacked() || !which.isOneRun() || which.bytes() != payloadLayout.bytes()) {
      return null;
    }
    return memory.asSlice(places.start() + which.offset(), which.bytes());
  }

  /** Copies the travelling bytes to memory where they lie one behind the other. */
  void pack(PayloadLayout payloadLayout, MemorySegment packed) {
    copy(payloadLayout.which(), packed, 0, true, true);
  }

  /** Takes the travelling bytes from memory where they lie one behind the other. */
  void unpack(PayloadLayout payloadLayout, MemorySegment packed) {
    copy(payloadLayout.which(), packed, 0, true, false);
  }

  /** Copies the travelling bytes to memory in which byte i of the payload is at i. */
  void spread(PayloadLayout payloadLayout, MemorySegment whole) {
    copy(payloadLayout.which(), whole, 0, false, true);
  }

  /** Takes the travelling bytes from memory in which byte i of the payload is at i. */
  void collect(PayloadLayout payloadLayout, MemorySegment whole) {
    copy(payloadLayout.which(), whole, 0, false, false);
  }

  /**
   * Packs and unpacks some of the payload.
   *
   * @param which numbers of bytes of this payload
   * @param at where the other memory begins
   * @param dense whether the bytes lie one behind the other there; else byte i is at i
   * @param out whether bytes leave this payload
   */
  private void copy(Cursor which, MemorySegment other, long at, boolean dense, boolean out) {
    Packer packer = new Packer();
    packer.start(out ? memory : other, out ? other : memory);
    PlacedVector placed = new PlacedVector();
    placed.reset(places);
    long next = at;
    while (which.next()) {
      long there = dense ? next : at + which.offset();
      long step = dense ? which.length() : which.stride();
      next += which.bytes();
      if (isPacked()) {
        long here = places.start() + which.offset();
        move(packer, out, here, which.stride(), there, step, which.length(), which.count());
        continue;
      }
      boolean one = which.isOneRun();
      long length = one ? which.bytes() : which.length();
      for (long i = 0; i < (one ? 1 : which.count()); i++) {
        placed.vector(which.offset() + i * which.stride(), there + i * step, length, length, 1);
        while (placed.next()) {
          move(
              packer,
              out,
              placed.place(),
              placed.placeStride(),
              placed.offset(),
              placed.stride(),
              placed.length(),
              placed.count());
        }
      }
    }
    packer.end();
  }

  private static void move(
      Packer packer,
      boolean out,
      long here,
      long stride,
      long there,
      long otherStride,
      long length,
      long count) {
    if (out) {
      packer.vector(here, stride, there, otherStride, length, count);
    } else {
      packer.vector(there, otherStride, here, stride, length, count);
    }
  }
}
