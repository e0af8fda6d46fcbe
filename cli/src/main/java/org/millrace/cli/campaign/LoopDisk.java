package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.millrace.env.Env;

/**
 * A file system in an image file that can lose its power: everything that was not forced to the
 * image is gone then, bytes and names. Used by one thread. Closing unmounts and removes it.
 */
final class LoopDisk implements AutoCloseable {

  /** The kinds of file systems, with what makes one. */
  enum Kind {
    EXT4(96L << 20, "mkfs.ext4 -q -F"),
    XFS(320L << 20, "mkfs.xfs -q -f");

    private final long bytes;
    private final String make;

    Kind(long bytes, String make) {
      this.bytes = bytes;
      this.make = make;
    }
  }

  private static final int MAX_TRIES = 240;
  private static final long PAUSE_NANOS = 500_000_000;

  // constant after construction
  private final Path image;
  private final Path folder;

  // owned by the thread that uses it
  private boolean mounted;

  private LoopDisk(Path image, Path folder) {
    this.image = image;
    this.folder = folder;
  }

  /** Makes a file system and mounts it. */
  static LoopDisk make(Kind kind, Path image, Path folder)
      throws IOException, InterruptedException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(kind.bytes);
    }
    List<String> line = new ArrayList<>(List.of(kind.make.split(" ", -1)));
    line.add(image.toString());
    Shell.run(line, Map.of());
    Files.createDirectories(folder);
    LoopDisk disk = new LoopDisk(image, folder);
    disk.mount();
    Files.deleteIfExists(folder.resolve("lost+found"));
    return disk;
  }

  /**
   * Mounts it again, as after a power failure. While another mount namespace of this machine still
   * has it mounted, it has no power there and none here: then this is tried again.
   */
  void mount() throws IOException, InterruptedException {
    for (int tries = 1; true; tries++) {
      Shell.run("mount", "-o", "loop", image.toString(), folder.toString());
      mounted = true;
      if (hasPower()) {
        return;
      }
      unmount();
      if (tries == MAX_TRIES) {
        throw new IOException(
            image + " cannot be mounted afresh: another mount namespace seems to hold it");
      }
      Env.real().sleep(PAUSE_NANOS);
    }
  }

  private boolean hasPower() throws IOException {
    Path probe = folder.resolve(".probe");
    try {
      Files.writeString(probe, "power");
    } catch (IOException e) {
      return false;
    }
    Files.delete(probe);
    return true;
  }

  /** Takes its power: from now on nothing reaches the image. */
  void cut() throws IOException, InterruptedException {
    String said;
    try {
      said = Shell.run("xfs_io", "-x", "-c", "shutdown", folder.toString());
    } catch (IOException e) {
      said = String.valueOf(e.getMessage()); // it looks at the folder again, which may fail now
    }
    if (hasPower()) {
      throw new IOException(folder + " has its power still: " + said);
    }
  }

  void unmount() throws IOException, InterruptedException {
    if (mounted) {
      Shell.run("umount", folder.toString());
      mounted = false;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      unmount();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while unmounting " + folder, e);
    }
    Files.deleteIfExists(image);
  }
}
