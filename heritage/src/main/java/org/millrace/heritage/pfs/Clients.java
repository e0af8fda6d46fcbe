package org.millrace.heritage.pfs;

import java.io.IOException;
import org.millrace.client.Rank;

/**
 * Who opens a file together, as PFSLib says it: by how many there are and which of them one is.
 *
 * @param rank of the program
 * @param count NumberOfClients
 * @param number MyNumber
 */
record Clients(Rank rank, int count, int number) {

  static Clients of(Rank rank, int count, int number) throws PfsException {
    if (count < 1 || number < 0 || number >= count) {
      throw new PfsException(Epfsl.EPFSLINVAL, "number " + number + " is not in 0.." + (count - 1));
    }
    return new Clients(rank, count, number);
  }

  private boolean isAll() {
    return count == rank.size() && number == rank.number();
  }

  /** Their group, which those who are not of it need not care about. Waits for all of them. */
  Rank group(String path) throws IOException {
    return isAll() ? rank : rank.subgroup("pfslib " + path, count, number);
  }

  /** Leaves a group that {@link #group} made. */
  void leave(Rank group) throws IOException {
    if (group != rank) {
      group.leave("");
    }
  }
}
