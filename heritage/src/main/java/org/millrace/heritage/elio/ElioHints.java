package org.millrace.heritage.elio;

/**
 * What the program knows of a file that is about to be made. A device may use it; nothing that a
 * file may hold depends on it.
 *
 * @param expectedBytes the largest size that is expected; 0 if nobody knows
 * @param typicalRequest bytes of most requests; 0 if nobody knows
 */
public record ElioHints(long expectedBytes, long typicalRequest) {

  /** Nothing is known. */
  public static final ElioHints NONE = new ElioHints(0, 0);

  /** Checks the bounds. */
  public ElioHints {
    if (expectedBytes < 0) {
      throw new IllegalArgumentException("expected size " + expectedBytes + " is negative");
    }
    if (typicalRequest < 0) {
      throw new IllegalArgumentException("typical request of " + typicalRequest + " bytes");
    }
  }
}
