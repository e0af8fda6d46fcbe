package org.millrace.server;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;

/**
 * Locks of the files whose names change. A file that its user may not write needs none: no request
 * of the same user can change it either. Used by one thread; closing gives back all of them.
 */
final class Guards implements AutoCloseable {

  private final Deque<Locked> held = new ArrayDeque<>();

  /** Locks what is at a path, if it is a file. */
  Optional<Locked> lock(FileTree tree, FilePath path) throws IOException {
    try {
      Optional<Locked> locked = Locked.at(tree, path);
      locked.ifPresent(held::push);
      return locked;
    } catch (MillraceException e) {
      return switch (e.code()) {
        case NOT_PERMITTED, LOOP, WRONG_KIND, UNSUPPORTED, INVALID -> Optional.empty();
        default -> throw e;
      };
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    while (!held.isEmpty()) {
      try {
        held.pop().close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
