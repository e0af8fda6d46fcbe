package org.millrace.array.zarr;

import java.io.IOException;
import org.millrace.error.NameExistsException;

/** Makes the directories above a file. Stateless. */
final class Directories {

  /** Makes one directory. */
  interface Maker {
    void make(String path) throws IOException;
  }

  private Directories() {}

  /** Makes all directories above a path that do not exist. */
  static void makeAbove(String path, Maker maker) throws IOException {
    for (int at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
      try {
        maker.make(path.substring(0, at));
      } catch (NameExistsException e) {
        // another rank, or an earlier key, has made it
      }
    }
  }
}
