package org.millrace.access.copy;

import java.util.Objects;
import org.millrace.access.Access;
import org.millrace.access.Pattern;

/**
 * Where the bytes of an {@link Access} belong in memory: its i-th byte at {@code
 * pattern.offsetOf(from + i)}. The pattern may be longer than the access, need not ascend, and for
 * reading may name a byte twice. Immutable.
 *
 * @param pattern offsets in memory, by position
 * @param from the position of the access's first byte
 */
public record Places(Pattern pattern, long from) {

  /** Checks the position. */
  public Places {
    Objects.requireNonNull(pattern, "pattern");
    Objects.checkFromToIndex(from, pattern.size(), pattern.size());
  }

  /** Consecutive bytes from 0 on. */
  public static Places packed(long size) {
    return new Places(Pattern.run(size), 0);
  }

  /** How many bytes have a place. */
  public long size() {
    return pattern.size() - from;
  }

  /** Whether the bytes lie one behind the other, from {@link #start} on. */
  public boolean isPacked() {
    return pattern.isContiguous();
  }

  /** Where packed bytes start. */
  public long start() {
    return pattern.first() + from;
  }

  /** The places of the bytes from the {@code skipped}-th on. */
  public Places after(long skipped) {
    return new Places(pattern, from + skipped);
  }
}
