package org.millrace.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;

/**
 * The file of a {@link StrandLog}: a {@link Log} of {@link StrandRecord}s. A rewritten one is built
 * under another name and takes the place of the old one in one step. A second, empty file says that
 * there was a log once: a disk without log and without that file is new, one without log alone has
 * lost it.
 *
 * <p>For one thread. Closing closes the file.
 */
final class StrandLogFile implements AutoCloseable {

  static final String NAME = "strands";
  static final String NEXT_NAME = "strands.next";
  static final String MADE_NAME = "strands.made";

  private static final int FRAME_BYTES = 1 << 20;

  private final Log log;

  private StrandLogFile(Log log) {
    this.log = log;
  }

  /** Opens the log and puts the last record of each strand into {@code into}; null if it is new. */
  static @Nullable StrandLogFile open(Disk disk, Map<StrandKey, StrandRecord> into)
      throws IOException {
    if (!disk.exists(NAME)) {
      if (disk.exists(MADE_NAME)) {
        throw lost(disk);
      }
      for (StrandKey id : StrandFiles.list(disk)) { // made before there were logs
        if (StrandFiles.exist(disk, id)) {
          into.put(id, new StrandRecord.InFiles(id));
        }
      }
      return null;
    }
    DiskFile file = disk.open(NAME);
    try {
      Log log = Log.open(file);
      replay(log.takeRecords(), where(disk), into);
      return new StrandLogFile(log);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** What the log says, for readers that leave it alone: another process may be writing it. */
  static Map<StrandKey, StrandRecord> peek(Disk disk) throws IOException {
    Map<StrandKey, StrandRecord> found = new TreeMap<>();
    if (!disk.exists(NAME)) {
      if (disk.exists(MADE_NAME)) {
        throw lost(disk);
      }
      return found;
    }
    try (DiskFile file = disk.open(NAME)) {
      replay(Log.peek(file), where(disk), found);
    }
    found.values().removeIf(record -> record instanceof StrandRecord.Gone);
    return found;
  }

  private static CorruptBlockException lost(Disk disk) {
    return new CorruptBlockException(
        disk.name() + ": file " + NAME + " is lost, and with it all small strands of this node");
  }

  private static String where(Disk disk) {
    return disk.name() + ": file " + NAME;
  }

  private static void replay(List<byte[]> records, String where, Map<StrandKey, StrandRecord> into)
      throws CorruptBlockException {
    for (byte[] bytes : records) {
      StrandRecord record = StrandRecord.decode(bytes, where);
      into.put(record.id(), record);
    }
  }

  /** Writes another log beside the one that is there, if any. */
  static StrandLogFile prepare(Disk disk, List<StrandRecord> records) throws IOException {
    disk.delete(NEXT_NAME);
    DiskFile file = disk.create(NEXT_NAME);
    try {
      StrandLogFile next = new StrandLogFile(Log.open(file));
      next.append(records);
      return next;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** Puts this log, just prepared, in the other's place. If that fails, either may be there. */
  void swapIn(Disk disk) throws IOException {
    try {
      disk.rename(NEXT_NAME, NAME);
      disk.force();
      if (!disk.exists(MADE_NAME)) {
        disk.create(MADE_NAME).close();
        disk.force();
      }
    } catch (IOException | RuntimeException e) {
      closeAfter(e, log);
      throw e;
    }
  }

  private static void closeAfter(Exception failure, AutoCloseable what) {
    try {
      what.close();
    } catch (Exception alsoFailed) {
      failure.addSuppressed(alsoFailed);
    }
  }

  /** Appends, durably; in several steps only if it is much. */
  void append(List<StrandRecord> records) throws IOException {
    List<byte[]> frame = new ArrayList<>();
    int bytes = 0;
    for (StrandRecord record : records) {
      if (bytes + record.bytes() > FRAME_BYTES) {
        log.append(frame);
        frame.clear();
        bytes = 0;
      }
      frame.add(record.encode());
      bytes += record.bytes();
    }
    log.append(frame);
  }

  long size() {
    return log.size();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
