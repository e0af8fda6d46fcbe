package org.millrace.heritage.sharedfiles;

/**
 * What a program expects of the size of a file that it creates. Only a hint, as in the original: a
 * file may grow beyond it. On striped files room for it is taken on the disks, if they have it; the
 * file is as long as what was written all the same.
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
