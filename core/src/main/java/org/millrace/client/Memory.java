package org.millrace.client;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.env.Env;
import org.millrace.message.Payload;
import org.millrace.transfer.MemorySlices;
import org.millrace.transfer.MemorySlices.Share;

/**
 * The caller's memory of one transfer: one or more parts, taken one after the other. A part is a
 * whole segment, or those bytes of a segment that a pattern selects, in the pattern's order: an
 * array with a rim, a column, a transposed section.
 *
 * <p>Checked when a call begins: it must be writable where bytes are read into it, and reachable by
 * the threads that will touch it. Immutable, except for the bytes.
 *
 * @param parts what is filled or emptied, in this order
 * @param length how many bytes that are
 */
public record Memory(List<Part> parts, long length) {

  /**
   * Bytes of a segment.
   *
   * @param segment where
   * @param pattern which, in which order
   */
  public record Part(MemorySegment segment, Pattern pattern) {

    /** Checks that the pattern lies in the segment. */
    public Part {
      if (pattern.size() > 0 && (pattern.first() < 0 || pattern.end() > segment.byteSize())) {
        throw new IndexOutOfBoundsException(
            "bytes %s to %s of memory of %s bytes"
                .formatted(pattern.first(), pattern.end(), segment.byteSize()));
      }
    }

    long size() {
      return pattern.size();
    }

    /** Where the bytes from the {@code skipped}-th on belong. */
    Places places(long skipped) {
      return new Places(pattern, skipped);
    }
  }

  /** Keeps a copy of the list. */
  public Memory {
    parts = List.copyOf(parts);
  }

  /** A whole segment. */
  public static Memory of(MemorySegment segment) {
    return of(segment, Pattern.run(segment.byteSize()));
  }

  /** Those bytes of a segment that a pattern selects, in its order. */
  public static Memory of(MemorySegment segment, Pattern pattern) {
    return new Memory(List.of(new Part(segment, pattern)), pattern.size());
  }

  /** A whole array. */
  public static Memory of(byte[] array) {
    return of(MemorySegment.ofArray(array));
  }

  /** A whole array, in the byte order of this machine. */
  public static Memory of(int[] array) {
    return of(MemorySegment.ofArray(array));
  }

  /** A whole array, in the byte order of this machine. */
  public static Memory of(long[] array) {
    return of(MemorySegment.ofArray(array));
  }

  /** A whole array, in the byte order of this machine. */
  public static Memory of(float[] array) {
    return of(MemorySegment.ofArray(array));
  }

  /** A whole array, in the byte order of this machine. */
  public static Memory of(double[] array) {
    return of(MemorySegment.ofArray(array));
  }

  /** A buffer from its position to its limit as they are now; neither moves. */
  public static Memory of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer));
  }

  /** Several segments, one after the other. */
  public static Memory of(List<MemorySegment> segments) {
    List<Part> parts = new ArrayList<>();
    long length = 0;
    for (MemorySegment one : segments) {
      parts.add(new Part(one, Pattern.run(one.byteSize())));
      length = Math.addExact(length, one.byteSize());
    }
    return new Memory(parts, length);
  }

  /**
   * Deals positions {@code from} to {@code to} of a view out to the parts, of which the first
   * begins with position {@code start}, as {@link MemorySlices} says.
   */
  List<Share> shares(View view, long start, long from, long to) {
    List<Share> shares = new ArrayList<>(parts.size());
    long partFrom = start;
    for (Part part : parts) {
      long first = Math.max(from, partFrom);
      long last = Math.min(to, partFrom + part.size());
      if (first < last) {
        Places places = part.places(first - partFrom);
        Payload payload = new Payload(part.segment, places, last - first);
        shares.add(new Share(new Access(view, first, last), payload));
      }
      partFrom += part.size();
    }
    return shares;
  }

  /** Takes runs of bytes, one after the other. */
  interface RunTaker {
    /** Bytes of a segment, the first of which is the {@code first}-th of all. */
    void run(MemorySegment segment, long place, long first, long bytes);
  }

  /** Gives the bytes from the {@code from}-th to before the {@code to}-th, run by run. */
  void forEachRun(long from, long to, RunTaker taker) {
    long partFrom = 0;
    for (Part part : parts) {
      long first = Math.max(from, partFrom);
      long last = Math.min(to, partFrom + part.size());
      if (first < last) {
        Runs runs = part.pattern.runs(first - partFrom, last - partFrom);
        while (runs.next()) {
          for (long i = 0; i < runs.count(); i++) {
            long at = partFrom + runs.position() + i * runs.length();
            taker.run(part.segment, runs.offset() + i * runs.stride(), at, runs.length());
          }
        }
      }
      partFrom += part.size();
    }
  }

  /**
   * Whether this thread can read into it. A blocking access refuses memory that is not fit, and
   * some do on this rank only: a caller that asks before can tell the others.
   */
  public boolean isFitForRead() {
    return isFit(false);
  }

  /** Whether this thread can write from it; as {@link #isFitForRead}. */
  public boolean isFitForWrite() {
    return isFit(true);
  }

  private boolean isFit(boolean write) {
    for (Part part : parts) {
      MemorySegment segment = part.segment;
      if (!write && segment.isReadOnly()
          || !segment.scope().isAlive()
          || !segment.isAccessibleBy(Thread.currentThread())) {
        return false;
      }
    }
    return true;
  }

  /** Whether any thread may touch it. */
  boolean isReachable() {
    for (Part part : parts) {
      if (!part.segment.isAccessibleBy(Env.ANY_THREAD)) {
        return false;
      }
    }
    return true;
  }

  /** Checks each part; see {@link #requireTarget} and {@link #requireSource}. */
  Memory require(boolean write, boolean others) {
    for (Part part : parts) {
      if (write) {
        requireSource(part.segment, others);
      } else {
        requireTarget(part.segment, others);
      }
    }
    return this;
  }

  /**
   * Memory that bytes will be read into, by this thread or, if {@code others}, by other threads,
   * too.
   */
  static MemorySegment requireTarget(MemorySegment segment, boolean others) {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("cannot read into read-only memory: " + segment);
    }
    return requireSource(segment, others);
  }

  /** Memory that bytes will be written from. */
  static MemorySegment requireSource(MemorySegment segment, boolean others) {
    Buffers.checkThere(segment);
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory was already closed: " + segment);
    }
    Thread toucher = others ? Env.ANY_THREAD : Thread.currentThread();
    if (!segment.isAccessibleBy(toucher)) {
      throw new WrongThreadException(
          others
              ? "an asynchronous call needs memory of a shared or automatic arena, not of a confined one"
              : "this memory belongs to another thread's confined arena");
    }
    return segment;
  }
}
