package org.millrace.coordinator;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * What one of several coordinators has on its disk, read while it does not run. Immutable.
 *
 * <p>Of most members the one whose log reaches furthest has all that the group ever acknowledged:
 * no other could become its leader. So a reader that sees most of them takes that one's names.
 *
 * @param term of the last entry of its log
 * @param index of that entry
 * @param names what all entries make, as one batch
 */
public record StoredLog(long term, long index, Batch names) implements Comparable<StoredLog> {

  private static final Comparator<StoredLog> BY_REACH =
      Comparator.comparingLong(StoredLog::term).thenComparingLong(StoredLog::index);

  /** Reads such logs. */
  public interface Reader {
    /**
     * Reads a log, and changes nothing.
     *
     * @param cluster whose coordinators they are
     * @param part the member's part of the cluster's directory
     */
    StoredLog read(String cluster, Path part) throws IOException;
  }

  /** Orders by how far logs reach. */
  @Override
  public int compareTo(StoredLog other) {
    return BY_REACH.compare(this, other);
  }
}
