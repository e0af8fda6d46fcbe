package org.millrace.bench.measure;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Bytes that say where they belong: each eight of them are a function of their place and of a
 * version, so that stale, swapped and missing ones are noticed. No state.
 */
public final class Content {

  private Content() {}

  /** The eight bytes that belong to the given place, which is a multiple of eight. */
  public static long at(long place, long version) {
    return mix(place + version * 0x9E3779B97F4A7C15L);
  }

  /** Spreads the bits of a number over all others, as SplitMix64 does. */
  public static long mix(long number) {
    long z = number + 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** Fills memory with what belongs to the places from {@code place} on. */
  public static void fill(MemorySegment memory, long place, long version) {
    for (long i = 0; i < memory.byteSize(); i += Long.BYTES) {
      memory.set(JAVA_LONG, i, at(place + i, version));
    }
  }

  /** Throws if memory does not hold what belongs to the places from {@code place} on. */
  public static void check(MemorySegment memory, long place, long version) {
    for (long i = 0; i < memory.byteSize(); i += Long.BYTES) {
      checkEqual("eight bytes", place + i, memory.get(JAVA_LONG, i), at(place + i, version));
    }
  }

  /** Throws if {@code found} is not what was expected at {@code place}. */
  public static void checkEqual(String what, long place, long found, long expected) {
    if (found != expected) {
      throw new WrongResultException(
          "%s at %s: found %s, expected %s".formatted(what, place, found, expected));
    }
  }

  /** Throws if two pieces of memory differ. */
  public static void checkSame(MemorySegment found, MemorySegment expected, long place) {
    long differs = found.mismatch(expected);
    if (differs >= 0) {
      throw new WrongResultException("wrong byte at " + (place + differs));
    }
  }
}
