package org.millrace.cli.doctor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.millrace.cli.terminal.Shown;
import org.millrace.disk.DirectOption;
import org.millrace.env.Env;

/** Checks of the disk below a folder: they write a small file and remove it. Stateless. */
final class DiskChecks {

  private static final int BLOCK_BYTES = 4096;
  private static final int FORCES = 20;
  private static final double SLOW_NANOS = 20e6;
  private static final double QUICKEST_NANOS = 8e3;
  private static final long LITTLE_BYTES = 1L << 30;
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final Set<String> REMOTE = Set.of("nfs", "nfs4", "cifs", "smb3", "9p");

  private final Env env;

  DiskChecks(Env env) {
    this.env = env;
  }

  /** All about the disk of a folder, or of the nearest one above it that exists. */
  List<Finding> all(Path wanted) {
    Path folder = wanted.toAbsolutePath().normalize();
    while (!Files.isDirectory(folder) && folder.getParent() != null) {
      folder = folder.getParent();
    }
    try {
      Path file = Files.createTempFile(folder, ".millrace-doctor", "");
      try {
        return List.of(space(folder), kind(folder), direct(file), force(file));
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      return List.of(
          Finding.fail("disk", folder + " cannot be written: " + e.getMessage(), "give --dir"));
    }
  }

  private static Finding space(Path folder) throws IOException {
    FileStore store = Files.getFileStore(folder);
    long free = store.getUsableSpace();
    String found =
        Shown.bytes(free) + " of " + Shown.bytes(store.getTotalSpace()) + " free in " + folder;
    return free < LITTLE_BYTES
        ? Finding.warn("disk space", found, "make room, or give another folder with --dir")
        : Finding.ok("disk space", found);
  }

  private static Finding kind(Path folder) throws IOException {
    String type = Files.getFileStore(folder).type();
    if (IN_MEMORY.contains(type)) {
      return Finding.warn(
          "file system", type, "what is written there is lost with power: use a disk");
    }
    return REMOTE.contains(type)
        ? Finding.warn(
            "file system", type, "nodes want disks of their own: another host serves this one")
        : Finding.ok("file system", type);
  }

  private static Finding direct(Path file) {
    try (FileChannel out =
            FileChannel.open(file, StandardOpenOption.WRITE, DirectOption.require());
        Arena arena = Arena.ofConfined()) {
      out.write(arena.allocate(BLOCK_BYTES, BLOCK_BYTES).asByteBuffer());
      return Finding.ok("direct writes", "O_DIRECT works");
    } catch (IOException | UnsupportedOperationException e) {
      return Finding.warn(
          "direct writes",
          "no O_DIRECT: " + e.getMessage(),
          "nodes write through the page cache, which takes more memory and time");
    }
  }

  private Finding force(Path file) throws IOException {
    double[] nanos = new double[FORCES];
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int i = 0; i < FORCES; i++) {
        out.write(ByteBuffer.allocate(BLOCK_BYTES), (long) i * BLOCK_BYTES);
        long before = env.nanoTime();
        out.force(true);
        nanos[i] = env.nanoTime() - before;
      }
    }
    Arrays.sort(nanos);
    return force(nanos[FORCES / 2], nanos[FORCES - 1]);
  }

  static Finding force(double median, double longest) {
    String found = "%s, longest %s".formatted(Shown.nanos(median), Shown.nanos(longest));
    if (median > SLOW_NANOS) {
      return Finding.warn(
          "fsync",
          found,
          "each durable change of a name waits for one: use another disk, or an SSD");
    }
    return median < QUICKEST_NANOS
        ? Finding.warn(
            "fsync",
            found,
            "too quick for a disk: something here ignores it, so power loss loses data")
        : Finding.ok("fsync", found);
  }
}
