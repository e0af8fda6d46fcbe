package org.millrace.files;

/**
 * A lock of a range of bytes, as POSIX has them: one owner's locks replace, merge and split each
 * other; those of different owners conflict where they overlap and one is exclusive.
 *
 * @param owner chosen by the caller; owners of different sessions are different owners
 * @param from the first byte
 * @param length how many bytes; {@link #TO_THE_END} for all that follow
 * @param kind what is locked or given back
 */
public record ByteLock(long owner, long from, long length, Kind kind) {

  /** A length that has no end. */
  public static final long TO_THE_END = Long.MAX_VALUE;

  /** What is asked for. */
  public enum Kind {
    /** Others may have shared locks, too. */
    SHARED,
    /** Nobody else has a lock. */
    EXCLUSIVE,
    /** The range is given back. */
    NONE
  }

  /** Checks the range. */
  public ByteLock {
    if (from < 0 || length < 1) {
      throw new IllegalArgumentException(
          "lock of %s bytes at %s, must be at least 1 at 0 or more".formatted(length, from));
    }
  }
}
