package org.millrace.mount.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What is mounted where, as the kernel says. Stateless. */
public final class MountTable {

  /** The type of our mounts. */
  public static final String TYPE = "fuse.millrace";

  /**
   * A mount.
   *
   * @param device its minor device number, which is the number of its connection, too
   * @param type of file system
   */
  public record Mounted(int device, String type) {

    /** Whether it is one of ours. */
    public boolean isMillrace() {
      return type.equals(TYPE);
    }
  }

  private MountTable() {}

  /** What is mounted at a path, the latest if there are several. */
  public static Optional<Mounted> at(Path path) throws IOException {
    String wanted = absolute(path).toString();
    Optional<Mounted> found = Optional.empty();
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String[] parts = line.split(" ", -1);
      int dash = line.indexOf(" - ");
      if (dash > 0 && parts.length > 4 && unescaped(parts[4]).equals(wanted)) {
        String type = line.substring(dash + 3).split(" ", 2)[0];
        int minor = Integer.parseInt(parts[2].substring(parts[2].indexOf(':') + 1));
        found = Optional.of(new Mounted(minor, type));
      }
    }
    return found;
  }

  /**
   * A path without links on its way. Its end is not looked at: the server of a mount may be dead,
   * and then every look fails.
   */
  public static Path absolute(Path path) {
    Path full = path.toAbsolutePath().normalize();
    Path parent = full.getParent();
    Path name = full.getFileName();
    if (parent == null || name == null) {
      return full;
    }
    try {
      return parent.toRealPath().resolve(name);
    } catch (IOException e) {
      return full;
    }
  }

  /** The kernel writes blanks and the like as backslash and three octal digits. */
  private static String unescaped(String text) {
    return text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}
