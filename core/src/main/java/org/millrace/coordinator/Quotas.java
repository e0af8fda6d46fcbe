package org.millrace.coordinator;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Limits of the coordinator's memory for one session, group or directory: a request beyond them is
 * refused, without an effect on others. Immutable.
 *
 * @param groups groups that one session has formed and that are not over
 * @param places ranks that one session is
 * @param splits groups that were made from one formed group and are not over
 * @param opens files that one group has open
 * @param locks locks that one session holds or requests
 * @param gatherings jobs that one session waits in
 * @param names names in one directory
 * @param listingBytes of all names in a directory, for it to be listed: what one answer can carry
 */
record Quotas(
    int groups,
    int places,
    int splits,
    int opens,
    int locks,
    int gatherings,
    int names,
    long listingBytes) {

  static final Quotas DEFAULT =
      new Quotas(1 << 14, 1 << 16, 1 << 16, 1 << 16, 1 << 16, 64, 1_000_000, 15 << 20);

  /** How long the name of a lock is at most. */
  static final int LOCK_NAME_CHARS = 255;

  /** How long what a rank says of an open file is at most. */
  static final int NOTE_CHARS = 1024;

  /** How long an address is at most. */
  static final int ADDRESS_CHARS = 1024;

  /**
   * Refuses one more than {@code max} of something.
   *
   * @throws MillraceException REFUSED, with the bound
   */
  static void check(int current, int max, String what) throws MillraceException {
    if (current >= max) {
      throw new MillraceException(ErrorCode.REFUSED, what + " is full: at most " + max);
    }
  }

  /** Refuses what is longer than {@code max} characters. */
  static void checkLength(String text, int max, String what) throws MillraceException {
    if (text.length() > max) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "%s of %s characters, at most %s are possible".formatted(what, text.length(), max));
    }
  }
}
