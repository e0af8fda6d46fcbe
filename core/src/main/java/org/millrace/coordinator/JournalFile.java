package org.millrace.coordinator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Log;

/**
 * The journal's file: a {@link Log} of encoded {@link NameChange}s. A rewritten journal is built
 * under another name and replaces the old one in one step, so that there is a complete journal at
 * every moment.
 *
 * <p>Owned by the journal's disk thread. Closing closes the file.
 */
final class JournalFile implements AutoCloseable {

  static final String NAME = "journal";
  static final String NEXT_NAME = "journal.next";

  private static final int FRAME_BYTES = 1 << 20;

  private final Log log;

  private JournalFile(Log log) {
    this.log = log;
  }

  /** Opens the journal and applies what it holds. */
  static JournalFile open(Disk disk, Names names) throws IOException {
    DiskFile file = disk.open(NAME);
    try {
      Log log = Log.open(file);
      for (byte[] record : log.takeRecords()) {
        names.apply(NameCodec.decode(record));
      }
      return new JournalFile(log);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** Writes another journal beside the one that is there, if any. */
  static JournalFile prepare(Disk disk, List<NameChange> changes) throws IOException {
    disk.delete(NEXT_NAME);
    DiskFile file = disk.create(NEXT_NAME);
    try {
      JournalFile next = new JournalFile(Log.open(file));
      next.append(changes);
      return next;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /**
   * Puts this journal, just prepared, in the other's place. If that fails, it is unknown which of
   * them is there.
   */
  void swapIn(Disk disk) throws IOException {
    try {
      disk.rename(NEXT_NAME, NAME);
      disk.force();
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
  void append(List<NameChange> changes) throws IOException {
    List<byte[]> frame = new ArrayList<>();
    int bytes = 0;
    for (NameChange change : changes) {
      byte[] record = NameCodec.encode(change);
      if (bytes + record.length > FRAME_BYTES) {
        log.append(frame);
        frame.clear();
        bytes = 0;
      }
      frame.add(record);
      bytes += record.length;
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
