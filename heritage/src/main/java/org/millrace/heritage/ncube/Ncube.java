package org.millrace.heritage.ncube;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
   * @throws NcubeException on all, if their mappings differ or are for another number of processing
   *     elements than there are
   */
  public NcubeFile open(String name, OpenOptions options, Mapping mapping) throws IOException {
    List<String> all =
        rank.allGather(mapping.toString().getBytes(StandardCharsets.UTF_8)).stream()
            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
            .distinct()
            .toList();
    if (all.size() > 1) {
      throw new NcubeException("processing elements open with different mappings: " + all);
    }
    if (mapping.processors() != rank.size()) {
      throw new NcubeException(
          "a mapping for " + mapping.processors() + " processing elements of " + rank.size());
    }
    SharedFile file = rank.open(name, options.withMode(Mode.INDEPENDENT));
    file.setView(mapping.view(rank.number()));
    return new NcubeFile(file);
  }

  /**
   * Opens a file without a mapping and with one pointer for all: each access takes the next bytes,
   * first come, first served. Synchronizing.
   */
  public NcubeFile openCommon(String name, OpenOptions options) throws IOException {
    return new NcubeFile(rank.open(name, options.withMode(Mode.SHARED)));
  }
}
