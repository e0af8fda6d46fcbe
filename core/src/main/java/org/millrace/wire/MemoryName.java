package org.millrace.wire;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name by which other processes of this host find memory of the kernel. Immutable.
 *
 * @param process the number of the process that made it
 * @param descriptor by which that process knows it
 * @param chance a random number
 */
public record MemoryName(int process, int descriptor, long chance) {

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})/([0-9a-f]{16})");

  /** The name that a text is, if it is one. */
  public static Optional<MemoryName> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches()
        ? Optional.of(
            new MemoryName(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Long.parseUnsignedLong(matcher.group(3), 16)))
        : Optional.empty();
  }

  /** The first two parts as one number. */
  public long place() {
    return ((long) process << Integer.SIZE) | descriptor;
  }

  /** The name of which these are {@link #place} and {@link #chance}. */
  public static MemoryName of(long place, long chance) {
    return new MemoryName((int) (place >>> Integer.SIZE), (int) place, chance);
  }

  @Override
  public String toString() {
    return "%s/%s/%016x".formatted(process, descriptor, chance);
  }
}
