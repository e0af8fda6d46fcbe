package org.millrace.heritage.pfs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;

/**
 * Who opens a file together, as PFSLib says it: by how many there are and which of them one is. All
 * find each other at the server by these two numbers, never by what one of them knows alone: its
 * own number does not tell a rank how the others are numbered.
 *
 * <p>Belongs to the rank's thread.
 */
final class Clients {

  private static final int NAME_CHARS = 200;

  // constant after construction
  private final Rank rank;
  private final int count;
  private final int number;
  private final boolean ofInit;

  // owned by the rank's thread
  private @Nullable Rank all; // of the clients that pfslib_init named, once they have met

  private Clients(Rank rank, int count, int number, boolean ofInit) {
    this.rank = rank;
    this.count = count;
    this.number = number;
    this.ofInit = ofInit;
  }

  /** Those that {@code pfslib_init} names. */
  static Clients ofInit(Rank rank, int count, int number) throws PfsException {
    return checked(rank, count, number, true);
  }

  /** Those of one {@code _pfslib_open}. */
  static Clients ofOpen(Rank rank, int count, int number) throws PfsException {
    return checked(rank, count, number, false);
  }

  private static Clients checked(Rank rank, int count, int number, boolean ofInit)
      throws PfsException {
    if (count < 1 || number < 0 || number >= count) {
      throw new PfsException(Epfsl.EPFSLINVAL, "number " + number + " is not in 0.." + (count - 1));
    }
    return new Clients(rank, count, number, ofInit);
  }

  Rank rank() {
    return rank;
  }

  int number() {
    return number;
  }

  /**
   * Their group, which ranks that are not of it need not care about. Waits for all of them. Those
   * of {@code pfslib_init} meet once; those of an open find each other by the file's name.
   */
  Rank group(String path) throws IOException {
    if (!ofInit) {
      return rank.subgroup("pfslib " + nameOf(path), count, number);
    }
    Rank group = all;
    if (group == null) {
      group = rank.subgroup("pfslib", count, number);
      all = group;
    }
    return group;
  }

  private static String nameOf(String path) {
    return path.length() <= NAME_CHARS
        ? path
        : path.substring(path.length() - NAME_CHARS) + " " + path.hashCode();
  }

  /** Leaves a group that {@link #group} made for one file. */
  void leave(Rank group) throws IOException {
    if (group != all) {
      group.leave("");
    }
  }

  /** Leaves the group of all. */
  void end() throws IOException {
    Rank group = all;
    all = null;
    if (group != null) {
      group.leave("");
    }
  }
}
