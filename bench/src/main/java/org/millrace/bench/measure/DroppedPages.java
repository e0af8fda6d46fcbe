package org.millrace.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operating system's page cache, as far as it can be emptied: on Linux, by root. No state. */
public final class DroppedPages {

  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

  private DroppedPages() {}

  /** Whether this process may empty the page cache. */
  public static boolean canDrop() {
    return Files.isWritable(DROP);
  }

  /** Forgets all clean pages of all files. */
  public static void drop() throws IOException {
    Files.writeString(DROP, "1\n");
  }
}
