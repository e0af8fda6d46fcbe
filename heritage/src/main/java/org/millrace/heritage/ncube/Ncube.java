package org.millrace.heritage.ncube;

import java.io.IOException;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * nCUBE's parallel I/O for one processing element: opens files with a mapping, or with a pointer
 * that all have in common.
 *
 * <p>Belongs to the rank's thread. Needs no closing; its files do.
 */
public final class Ncube {

  private final Rank rank;

  /** For the processing elements of a group. */
  public Ncube(Rank rank) {
    this.rank = rank;
  }

  /**
   * Opens a file with a mapping; each processing element sees its part and has a pointer of its
   * own. Synchronizing.
   *
   * @throws NcubeException on all, if their mappings differ, are for another number of processing
   *     elements than there are, or reach beyond all positions; no file was made or opened
   */
  public NcubeFile open(String name, OpenOptions options, Mapping mapping) throws IOException {
    rank.agree(
            Agreement.on("open", mapping)
                .giving("name", name)
                .giving("options", options)
                .giving("mapping", mapping)
                .checking(() -> check(mapping)))
        .orElseThrow(NcubeException::new);
    SharedFile file = rank.open(name, options, Mode.INDEPENDENT);
    try {
      file.setView(mapping.view(rank.number()));
      return new NcubeFile(file);
    } catch (IOException | RuntimeException e) {
      try (file) {
        throw e;
      }
    }
  }

  private void check(Mapping mapping) {
    if (mapping.processors() != rank.size()) {
      throw new IllegalArgumentException(
          "a mapping for " + mapping.processors() + " processing elements of " + rank.size());
    }
    mapping.view(rank.number());
  }

  /**
   * Opens a file without a mapping and with one pointer for all: each access takes the next bytes,
   * first come, first served. Synchronizing.
   */
  public NcubeFile openCommon(String name, OpenOptions options) throws IOException {
    return new NcubeFile(rank.open(name, options, Mode.SHARED));
  }
}
