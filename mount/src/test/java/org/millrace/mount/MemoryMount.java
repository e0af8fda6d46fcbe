package org.millrace.mount;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.env.Env;
import org.millrace.testing.files.MemoryTree;

/** A process that mounts a tree in memory until it is unmounted or killed. */
final class MemoryMount {

  private MemoryMount() {}

  /** With the mount point as its argument; says when it is ready. */
  public static void main(String[] args) throws IOException {
    try (MemoryTree tree = new MemoryTree();
        Mount mount =
            Mount.start(
                Env.real(), tree, Path.of(args[0]), MountOptions.usual(System.err::println))) {
      System.out.println("ready");
      mount.awaitEnd();
    }
  }
}
