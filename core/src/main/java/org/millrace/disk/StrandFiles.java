package org.millrace.disk;

import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/** The three open files of a strand. Immutable. */
record StrandFiles(String name, DiskFile data, DiskFile sums, DiskFile intents) {

  /**
   * Makes the files of an empty strand with blocks of {@code blockBytes}, durably. The data file
   * comes last: where it is, the others are.
   */
  static void create(Disk disk, StrandKey id, int blockBytes) throws IOException {
    if (exist(disk, id)) {
      throw new NameExistsException("strand file " + id.dataFile() + " already exists on " + disk);
    }
    remove(disk, id);
    try (DiskFile sums = disk.create(id.sumsFile())) {
      Sums.begin(sums, SumsHeader.first(id, blockBytes));
      sums.force();
    }
    disk.create(id.intentsFile()).close();
    disk.create(id.dataFile()).close();
    disk.force();
  }

  static StrandFiles open(Disk disk, StrandKey id) throws IOException {
    DiskFile data = open(disk, id.dataFile());
    DiskFile sums = null;
    try {
      sums = open(disk, id.sumsFile());
      return new StrandFiles(
          "strand file " + id.dataFile() + " of " + disk, data, sums, open(disk, id.intentsFile()));
    } catch (IOException e) {
      data.close();
      if (sums != null) {
        sums.close();
      }
      throw e;
    }
  }

  private static DiskFile open(Disk disk, String file) throws IOException {
    try {
      return disk.open(file);
    } catch (NoSuchNameException e) {
      var missing = new CorruptBlockException("strand file " + file + " is missing on " + disk);
      missing.initCause(e);
      throw missing;
    }
  }

  static boolean exist(Disk disk, StrandKey id) throws IOException {
    return disk.exists(id.dataFile())
        && disk.exists(id.sumsFile())
        && disk.exists(id.intentsFile());
  }

  /**
   * Deletes the data file first: a crash in between leaves a strand that counts as missing, never
   * one without sums.
   */
  static void remove(Disk disk, StrandKey id) throws IOException {
    disk.delete(id.dataFile());
    disk.delete(id.intentsFile());
    disk.delete(id.sumsFile());
  }

  static List<StrandKey> list(Disk disk) throws IOException {
    TreeSet<StrandKey> found = new TreeSet<>();
    for (String file : disk.list()) {
      StrandKey.ofFile(file).ifPresent(found::add);
    }
    return List.copyOf(found);
  }

  /** Closes all three, whatever one of them throws; before that it may force the sums. */
  void close(boolean forceSums) throws IOException {
    try (data;
        sums;
        intents) {
      if (forceSums) {
        sums.force();
      }
    }
  }

  void closeAfter(Exception cause) {
    try {
      close(false);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
