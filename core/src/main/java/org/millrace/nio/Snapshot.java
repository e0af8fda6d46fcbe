package org.millrace.nio;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import org.millrace.files.FileListing;
import org.millrace.files.FileStatus;

/**
 * What was in a directory when it was looked at. Immutable.
 *
 * @param entries by name
 */
record Snapshot(Map<String, State> entries) {

  private static final int PAGE = 1000;

  /**
   * What tells that a file is another one or was changed.
   *
   * @param id the file's
   * @param modified when its bytes were changed last
   * @param size in bytes
   */
  record State(long id, long modified, long size) {}

  /** Looks at the directory that a path leads to, if it is still that of this id. */
  static Snapshot of(MillracePath directory, long id) throws IOException {
    FileStatus itself =
        directory.fileSystem().call(directory, tree -> tree.stat(directory.inTree()));
    if (itself.id() != id) {
      throw new NoSuchFileException(directory.toString(), null, "another directory has its name");
    }
    Map<String, State> found = new HashMap<>();
    String after = "";
    boolean more = true;
    while (more) {
      String from = after;
      FileListing page =
          directory.fileSystem().call(directory, tree -> tree.list(directory.inTree(), from, PAGE));
      for (FileListing.Entry entry : page.entries()) {
        var status = entry.status();
        found.put(entry.name(), new State(status.id(), status.times().modified(), status.size()));
        after = entry.name();
      }
      more = page.more();
    }
    return new Snapshot(Map.copyOf(found));
  }
}
