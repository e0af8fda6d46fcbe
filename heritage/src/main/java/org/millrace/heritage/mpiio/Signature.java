package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The basic types of a datatype in their order, as a formula and never as a list: what turns bytes
 * of a request into elements. Positions are bytes of the request, without holes.
 *
 * <p>Immutable; safe for any number of threads.
 */
sealed interface Signature {

  /** No element. */
  Signature NONE = new Repeat(0, new Basic(1, 1));

  /** How many bytes. */
  long bytes();

  /** How many basic elements. */
  long elements();

  /** Whether every number is one byte, so that the order of bytes means nothing. */
  boolean isBytes();

  /** How many elements end at or below position {@code bytes}. */
  long elementsIn(long bytes);

  /** How many bytes the first {@code elements} elements have. */
  long bytesOf(long elements);

  /** The last end of an element at or below position {@code bytes}. */
  long boundary(long bytes);

  /**
   * Turns the bytes of each element round.
   *
   * @param at where the element of position {@code from} lies in the memory; the rest follows it
   * @param from a position between elements
   * @param to another one
   */
  void swap(MemorySegment memory, long at, long from, long to);

  /**
   * One element.
   *
   * @param unit the width of its numbers; a complex one has two
   */
  record Basic(int width, int unit) implements Signature {

    @Override
    public long bytes() {
      return width;
    }

    @Override
    public long elements() {
      return 1;
    }

    @Override
    public boolean isBytes() {
      return unit == 1;
    }

    @Override
    public long elementsIn(long bytes) {
      return bytes / width;
    }

    @Override
    public long bytesOf(long elements) {
      return elements * width;
    }

    @Override
    public long boundary(long bytes) {
      return bytes - bytes % width;
    }

    @Override
    public void swap(MemorySegment memory, long at, long from, long to) {
      long end = at + (to - from);
      switch (unit) {
        case 2 -> {
          for (long i = at; i < end; i += 2) {
            short value = memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, i);
            memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, i, Short.reverseBytes(value));
          }
        }
        case 4 -> {
          for (long i = at; i < end; i += 4) {
            int value = memory.get(ValueLayout.JAVA_INT_UNALIGNED, i);
            memory.set(ValueLayout.JAVA_INT_UNALIGNED, i, Integer.reverseBytes(value));
          }
        }
        case 8 -> {
          for (long i = at; i < end; i += 8) {
            long value = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, i);
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, i, Long.reverseBytes(value));
          }
        }
        default -> {} // single bytes
      }
    }
  }

  /** The same several times. */
  record Repeat(long count, Signature body) implements Signature {

    @Override
    public long bytes() {
      return count * body.bytes();
    }

    @Override
    public long elements() {
      return count * body.elements();
    }

    @Override
    public boolean isBytes() {
      return count == 0 || body.isBytes();
    }

    @Override
    public long elementsIn(long bytes) {
      long whole = bytes / body.bytes();
      return whole * body.elements() + body.elementsIn(bytes - whole * body.bytes());
    }

    @Override
    public long bytesOf(long elements) {
      long whole = elements / body.elements();
      return whole * body.bytes() + body.bytesOf(elements - whole * body.elements());
    }

    @Override
    public long boundary(long bytes) {
      long whole = bytes / body.bytes() * body.bytes();
      return whole + body.boundary(bytes - whole);
    }

    @Override
    public void swap(MemorySegment memory, long at, long from, long to) {
      if (isBytes()) {
        return;
      }
      if (body instanceof Basic) {
        body.swap(memory, at, from, to);
        return;
      }
      long size = body.bytes();
      for (long turn = from / size; turn * size < to; turn++) {
        long first = Math.max(from, turn * size);
        long last = Math.min(to, turn * size + size);
        body.swap(memory, at + (first - from), first - turn * size, last - turn * size);
      }
    }
  }

  /** Different ones, one after the other. */
  record Chain(List<Signature> parts, List<Long> starts, long bytes, long elements, boolean isBytes)
      implements Signature {

    @Override
    public long elementsIn(long bytes) {
      long sum = 0;
      for (int i = 0; i < parts.size() && starts.get(i) < bytes; i++) {
        Signature part = parts.get(i);
        sum += part.elementsIn(Math.min(part.bytes(), bytes - starts.get(i)));
      }
      return sum;
    }

    @Override
    public long bytesOf(long elements) {
      long rest = elements;
      for (int i = 0; i < parts.size(); i++) {
        if (rest <= parts.get(i).elements()) {
          return starts.get(i) + parts.get(i).bytesOf(rest);
        }
        rest -= parts.get(i).elements();
      }
      return bytes;
    }

    @Override
    public long boundary(long bytes) {
      long end = 0;
      for (int i = 0; i < parts.size() && starts.get(i) < bytes; i++) {
        Signature part = parts.get(i);
        end = starts.get(i) + part.boundary(Math.min(part.bytes(), bytes - starts.get(i)));
      }
      return end;
    }

    @Override
    public void swap(MemorySegment memory, long at, long from, long to) {
      for (int i = 0; i < parts.size() && starts.get(i) < to; i++) {
        long start = starts.get(i);
        long first = Math.max(from, start);
        long last = Math.min(to, start + parts.get(i).bytes());
        if (first < last) {
          parts.get(i).swap(memory, at + (first - from), first - start, last - start);
        }
      }
    }
  }

  /** {@code body} several times. */
  static Signature repeat(long count, Signature body) {
    if (count == 0 || body.bytes() == 0) {
      return NONE;
    }
    if (count == 1) {
      return body;
    }
    var _ = Math.multiplyExact(count, body.bytes()); // or it throws
    return body instanceof Repeat inner
        ? new Repeat(Math.multiplyExact(count, inner.count), inner.body)
        : new Repeat(count, body);
  }

  /** These, one after the other. */
  static Signature chain(Signature... all) {
    List<Signature> parts = new ArrayList<>();
    for (Signature next : all) {
      if (next.bytes() == 0) {
        continue;
      }
      if (!parts.isEmpty() && unit(parts.getLast()).equals(unit(next))) {
        parts.add(repeat(times(parts.removeLast()) + times(next), unit(next)));
      } else {
        parts.add(next);
      }
    }
    if (parts.size() < 2) {
      return parts.isEmpty() ? NONE : parts.getFirst();
    }
    Long[] starts = new Long[parts.size()];
    long bytes = 0;
    long elements = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = bytes;
      bytes = Math.addExact(bytes, parts.get(i).bytes());
      elements += parts.get(i).elements();
    }
    boolean single = parts.stream().allMatch(Signature::isBytes);
    return new Chain(List.copyOf(parts), Arrays.asList(starts), bytes, elements, single);
  }

  private static Signature unit(Signature one) {
    return one instanceof Repeat repeat ? repeat.body : one;
  }

  private static long times(Signature one) {
    return one instanceof Repeat repeat ? repeat.count : 1;
  }
}
