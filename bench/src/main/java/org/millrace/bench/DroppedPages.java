package org.millrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operating system's page cache, as far as it can be emptied: on Linux, by root. No state. */
final class DroppedPages {

  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

  private DroppedPages() {}

  static boolean canDrop() {
    return Files.isWritable(DROP);
  }

  /** Forgets all clean pages of all files. */
  static void drop() throws IOException {
    Files.writeString(DROP, "1\n");
  }
}
