package org.millrace.protocol;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a lock of a file's bytes: of all bytes in the lock's range, or only of those on some
 * neighbouring strands, which come again with every round of the stripe units. Locks of different
 * strands have no byte in common, however their ranges overlap. Immutable.
 *
 * <pre>
 *   file 17          all bytes
 *   file 17 48:16+8  bytes x with (x - 16) mod 48 below 8
 * </pre>
 *
 * @param file the file's id
 * @param period after how many bytes the strands come again; 1 if all bytes are meant
 * @param from the first byte of the first of them, below the period
 * @param length how many bytes from there on, at most the period
 */
public record FileLockName(long file, long period, long from, long length) {

  private static final Pattern TEXT =
      Pattern.compile("file (\\d{1,18})(?: (\\d{1,19}):(\\d{1,19})\\+(\\d{1,19}))?");

  /** Checks that the bytes lie within the period. */
  public FileLockName {
    if (period < 1 || from < 0 || from >= period || length < 1 || length > period) {
      throw new IllegalArgumentException(
          "%s bytes from %s on in each %s".formatted(length, from, period));
    }
  }

  /** All bytes of a file. */
  public static FileLockName all(long file) {
    return new FileLockName(file, 1, 0, 1);
  }

  /** What a text means; empty if it is not the name of a lock of a file. */
  public static Optional<FileLockName> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      long file = Long.parseLong(parts.group(1));
      return Optional.of(
          parts.group(2) == null
              ? all(file)
              : new FileLockName(
                  file,
                  Long.parseLong(parts.group(2)),
                  Long.parseLong(parts.group(3)),
                  Long.parseLong(parts.group(4))));
    } catch (IllegalArgumentException e) { // too large, or outside the period
      return Optional.empty();
    }
  }

  /** The name without the strands. */
  public String fileText() {
    return "file " + file;
  }

  /** As {@link #parse} reads it. */
  public String text() {
    return isAll() ? fileText() : "%s %s:%s+%s".formatted(fileText(), period, from, length);
  }

  private boolean isAll() {
    return length == period;
  }

  /**
   * Whether a lock of these bytes and one of another name's may have a byte in common, where the
   * ranges of both overlap from {@code rangeFrom} to before {@code rangeTo}.
   */
  public boolean meets(FileLockName other, long rangeFrom, long rangeTo) {
    if (other.isAll() || isAll()) {
      return (isAll() ? other : this).touches(rangeFrom, rangeTo);
    }
    return period != other.period // not of one layout: nothing is known
        || Math.floorMod(other.from - from, period) < length
        || Math.floorMod(from - other.from, period) < other.length;
  }

  private boolean touches(long rangeFrom, long rangeTo) {
    long into = Math.floorMod(rangeFrom - from, period);
    return into < length || period - into < rangeTo - rangeFrom;
  }
}
