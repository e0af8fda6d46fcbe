package org.millrace.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.files.FileChange;
import org.millrace.files.FilePath;
import org.millrace.testing.files.MemoryTree;

/** A process that mounts a tree in memory, its user's own, until it is unmounted or killed. */
final class MemoryMount {

  private MemoryMount() {}

  /** With the mount point as its argument; says when it is ready. */
  public static void main(String[] args) throws IOException {
    MountOptions options =
        MountOptions.usual(System.err::println).withGivesOwners(Mount.isForAll());
    String user = System.getProperty("user.name");
    try (MemoryTree tree = new MemoryTree()) {
      tree.change(FilePath.of(""), FileChange.NONE.withOwner(user));
      try (MemoryTree session = Mount.isForAll() ? tree : tree.sessionOf(user, List.of(user));
          Mount mount = Mount.start(Env.real(), session, Path.of(args[0]), options)) {
        System.out.println("ready");
        mount.awaitEnd();
      }
    }
  }
}
