package org.millrace.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;

/**
 * A {@link Log} under a name of a disk, with an {@link EndMark} beside it that remembers how far it
 * had come. It is written anew under another name, which then replaces it in one step, so that
 * there is a complete log at every moment.
 *
 * <pre>
 *   NAME         the log
 *   NAME.next    one that is being written anew; ignored until it takes the name
 *   NAME.mark    how far it had come
 * </pre>
 *
 * <p>For one thread. Closing closes the files.
 */
public final class MarkedLog implements AutoCloseable {

  private static final int FRAME_BYTES = 1 << 20;

  // constant after construction
  private final Disk disk;
  private final String name;
  private final Log log;

  private @Nullable DiskFile mark;

  private MarkedLog(Disk disk, String name, Log log) {
    this.disk = disk;
    this.name = name;
    this.log = log;
  }

  private static String next(String name) {
    return name + ".next";
  }

  private static String mark(String name) {
    return name + ".mark";
  }

  /**
   * Opens the log; empty if there is none and never was.
   *
   * @throws CorruptBlockException if it is not the last that was here: cut, older, or gone
   */
  public static Optional<MarkedLog> open(Disk disk, String name) throws IOException {
    Optional<EndMark> known = EndMark.read(disk, mark(name));
    if (!disk.exists(name)) {
      if (known.isPresent()) {
        throw notLast(disk, name, "is missing");
      }
      return Optional.empty();
    }
    DiskFile file = disk.open(name);
    try {
      Log log = opened(disk, file);
      if (known.isPresent() && known.get().isAhead(EndMark.of(log))) {
        throw notLast(disk, name, "is an older copy");
      }
      MarkedLog opened = new MarkedLog(disk, name, log);
      opened.mark();
      return Optional.of(opened);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** What is wrong with the log is said with its place, and with what can be done. */
  private static Log opened(Disk disk, DiskFile file) throws IOException {
    try {
      return Log.open(file);
    } catch (CorruptBlockException e) {
      var placed =
          new CorruptBlockException(
              "%s: file %s. Put the last good copy of it in its place"
                  .formatted(disk.name(), e.getMessage()));
      placed.initCause(e);
      throw placed;
    }
  }

  /**
   * The records of the log, for readers that leave it alone: another process may be writing it.
   * None if there is no log.
   */
  public static List<byte[]> peek(Disk disk, String name) throws IOException {
    if (!disk.exists(name)) {
      if (EndMark.read(disk, mark(name)).isPresent()) {
        throw notLast(disk, name, "is missing");
      }
      return List.of();
    }
    try (DiskFile file = disk.open(name)) {
      return Log.peek(file);
    }
  }

  private static CorruptBlockException notLast(Disk disk, String name, String what) {
    return new CorruptBlockException(
        ("the %s in %s %s: file %s knows of later changes. Put the last copy of the %s in its place."
                + " To go on without those changes, remove %s")
            .formatted(name, disk.name(), what, mark(name), name, mark(name)));
  }

  /** The records found when the log was opened, oldest first; handed out once. */
  public List<byte[]> takeRecords() {
    return log.takeRecords();
  }

  /**
   * Writes another log beside the one that is there, if any.
   *
   * @param generation a number that no log of this name has had
   */
  public static MarkedLog prepare(Disk disk, String name, List<byte[]> records, long generation)
      throws IOException {
    disk.delete(next(name));
    DiskFile file = disk.create(next(name));
    try {
      MarkedLog made = new MarkedLog(disk, name, Log.create(file, generation));
      made.write(records);
      return made;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /**
   * Puts this log, just prepared, in the other's place. If that fails, it is unknown which of them
   * is there.
   */
  public void swapIn() throws IOException {
    try {
      boolean first = !disk.exists(mark(name));
      disk.rename(next(name), name);
      disk.force();
      mark();
      DiskFile made = mark;
      if (first && made != null) { // from now on a log that is not there is lost, not new
        made.force();
        disk.force();
      }
    } catch (IOException | RuntimeException e) {
      closeAfter(e, log);
      throw e;
    }
  }

  /** Appends, durably; in several steps only if it is much. */
  public void append(List<byte[]> records) throws IOException {
    write(records);
    mark();
  }

  private void write(List<byte[]> records) throws IOException {
    List<byte[]> frame = new ArrayList<>();
    int bytes = 0;
    for (byte[] record : records) {
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

  /**
   * Notes how far the log has come. That is not forced, and if it fails nothing is lost: what is
   * noted is older, and still true.
   */
  private void mark() {
    try {
      DiskFile open = mark;
      if (open == null) {
        String file = mark(name);
        open = disk.exists(file) ? disk.open(file) : disk.create(file);
        mark = open;
      }
      EndMark.of(log).write(open);
    } catch (IOException e) {
      return;
    }
  }

  /** Makes durable how far the log has come. As for writing it: if that fails nothing is lost. */
  public void forceMark() {
    try {
      DiskFile open = mark;
      if (open != null) {
        open.force();
      }
    } catch (IOException e) {
      return;
    }
  }

  /** How many copies of frames were bad when the log was opened, and are whole again. */
  public int repaired() {
    return log.repaired();
  }

  /** Bytes of the log. */
  public long size() {
    return log.size();
  }

  /** How far it has come. */
  public EndMark end() {
    return EndMark.of(log);
  }

  /** Which log this is, among all that were here. */
  public long generation() {
    return log.generation();
  }

  private static void closeAfter(Exception failure, AutoCloseable what) {
    try {
      what.close();
    } catch (Exception alsoFailed) {
      failure.addSuppressed(alsoFailed);
    }
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
