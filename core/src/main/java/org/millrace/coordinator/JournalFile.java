package org.millrace.coordinator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.EndMark;
import org.millrace.disk.Log;
import org.millrace.error.CorruptBlockException;

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
  static final String MARK_NAME = "journal.mark";

  private static final int FRAME_BYTES = 1 << 20;

  private final Log log;
  private final Disk disk;
  private @Nullable DiskFile mark;

  private JournalFile(Disk disk, Log log) {
    this.disk = disk;
    this.log = log;
  }

  /**
   * Opens the journal and applies what it holds; empty if there is none and never was.
   *
   * @throws CorruptBlockException if it is not the last that was here: cut, older, or gone
   */
  static Optional<JournalFile> open(Disk disk, Names names) throws IOException {
    Optional<EndMark> mark = EndMark.read(disk, MARK_NAME);
    if (!disk.exists(NAME)) {
      if (mark.isPresent()) {
        throw notLast(disk, "is missing");
      }
      return Optional.empty();
    }
    DiskFile file = disk.open(NAME);
    try {
      Log log = Log.open(file);
      if (mark.isPresent() && mark.get().isAhead(EndMark.of(log))) {
        throw notLast(disk, "is an older copy");
      }
      for (byte[] record : log.takeRecords()) {
        names.apply(NameCodec.decode(record));
      }
      JournalFile opened = new JournalFile(disk, log);
      opened.mark();
      return Optional.of(opened);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  private static CorruptBlockException notLast(Disk disk, String what) {
    return new CorruptBlockException(
        ("the journal in %s %s: file %s knows of later changes of names. Put the last copy of the"
                + " journal in its place. To go on without those changes, remove %s")
            .formatted(disk.name(), what, MARK_NAME, MARK_NAME));
  }

  /**
   * Notes how far the journal has come. That is not forced, and if it fails nothing is lost: what
   * is noted is older, and still true.
   */
  private void mark() {
    try {
      DiskFile open = mark;
      if (open == null) {
        open = disk.exists(MARK_NAME) ? disk.open(MARK_NAME) : disk.create(MARK_NAME);
        mark = open;
      }
      EndMark.of(log).write(open);
    } catch (IOException e) {
      return;
    }
  }

  /** Writes another journal beside the one that is there, if any. */
  static JournalFile prepare(Disk disk, List<NameChange> changes, long generation)
      throws IOException {
    disk.delete(NEXT_NAME);
    DiskFile file = disk.create(NEXT_NAME);
    try {
      JournalFile next = new JournalFile(disk, Log.create(file, generation));
      next.write(changes);
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
      mark();
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
    write(changes);
    mark();
  }

  private void write(List<NameChange> changes) throws IOException {
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

  /** Which journal this is, among all that were here. */
  long generation() {
    return log.generation();
  }

  @Override
  public void close() throws IOException {
    try (log) {
      DiskFile open = mark;
      if (open != null) {
        open.close();
      }
    }
  }
}
