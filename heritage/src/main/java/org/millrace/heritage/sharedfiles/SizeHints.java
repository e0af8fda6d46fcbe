package org.millrace.heritage.sharedfiles;

/**
 * What a program expects of the size of a file that it creates. Only a hint, as in the original: a
 * file may grow beyond it, and no room is taken, because that would move the end of the file.
 *
 * @param expectedBytes the largest size that is expected; 0 if nobody knows
 */
public record SizeHints(long expectedBytes) {

  /** Nothing is known. */
  public static final SizeHints NONE = new SizeHints(0);

  /** Checks the bound. */
  public SizeHints {
    if (expectedBytes < 0) {
      throw new IllegalArgumentException("expected size " + expectedBytes + " is negative");
    }
  }
}
