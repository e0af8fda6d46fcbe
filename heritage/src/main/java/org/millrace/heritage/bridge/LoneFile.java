package org.millrace.heritage.bridge;

import java.io.IOException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A file that one process opens without the others: in a group of its own, which ends with it.
 *
 * <p>Belongs to the rank's thread. Closing leaves the group; idempotent.
 */
record LoneFile(Rank lone, SharedFile file) implements AutoCloseable {

  static LoneFile open(Rank rank, String name, OpenOptions options) throws IOException {
    Rank lone = rank.alone();
    try {
      return new LoneFile(lone, lone.open(name, options));
    } catch (IOException | RuntimeException e) {
      try {
        lone.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    try {
      file.close();
    } finally {
      if (file.isClosed()) {
        lone.leave("");
      }
    }
  }
}
