package org.millrace.heritage.elfs;

import java.io.IOException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/**
 * Keeps a file to one group of writers at a time, by a file {@code NAME.writer} that its group has
 * open, and that goes when the group closes it or ends. One that a crash has left behind, and that
 * nobody has open, is removed. Stateless.
 */
final class SoleWriter {

  private SoleWriter() {}

  /**
   * Makes the group the only one that writes a file, until it closes what this returns. Collective.
   *
   * @throws MillraceException with IN_USE on all ranks if another group writes it
   */
  static SharedFile take(Rank rank, String path) throws IOException {
    String mark = path + ".writer";
    rank.together(
        "take",
        () -> {
          if (rank.number() == 0) {
            removeLeft(rank, path, mark);
          }
        });
    try {
      return rank.open(
          mark, OpenOptions.create().withExclusive().withDeleteOnClose().withStrands(1));
    } catch (NameExistsException e) { // another group came in between
      throw inUse(path, e);
    }
  }

  private static void removeLeft(Rank rank, String path, String mark) throws IOException {
    try {
      rank.names().removeUnused(mark);
    } catch (NoSuchNameException e) {
      return; // nobody writes it
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.IN_USE ? inUse(path, e) : e;
    }
  }

  private static MillraceException inUse(String path, Exception cause) {
    return new MillraceException(
        ErrorCode.IN_USE, path + " is open for writing by another group", cause);
  }

  /** Whether a file is there and somebody has it open. */
  static boolean isOpen(Rank rank, String path) throws IOException {
    try {
      rank.names().checkReplaceable(path);
      return false;
    } catch (NoSuchNameException e) {
      return false;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.IN_USE) {
        return true;
      }
      throw e;
    }
  }
}
