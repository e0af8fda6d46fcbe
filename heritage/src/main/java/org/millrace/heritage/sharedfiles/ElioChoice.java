package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import org.millrace.client.Rank;
import org.millrace.heritage.elio.ElioDevice;
import org.millrace.heritage.elio.PlainFiles;
import org.millrace.heritage.elio.SharedFolder;

/** Which device has the file of a path. */
public interface ElioChoice {

  /** The device for a path. Collective: all ranks give the same path and must get the same. */
  ElioDevice of(Rank rank, String path) throws IOException;

  /**
   * The paper's choice: plain files where the path's folder is one that all ranks share, else files
   * striped over all nodes.
   */
  static ElioChoice bySharing() {
    ElioDevice plain = new PlainFiles();
    ElioDevice striped = new StripedFiles();
    return (rank, path) -> SharedFolder.holds(rank, path) ? plain : striped;
  }
}
