package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.millrace.disk.Disk;
import org.millrace.disk.MarkedLog;
import org.millrace.error.CorruptBlockException;

/**
 * The journal's file: a log of encoded {@link NameChange}s.
 *
 * <p>Owned by the journal's disk thread. Closing closes the file.
 */
final class JournalFile implements AutoCloseable {

  static final String NAME = "journal";

  private final MarkedLog log;

  private JournalFile(MarkedLog log) {
    this.log = log;
  }

  /**
   * Opens the journal and applies what it holds; empty if there is none and never was.
   *
   * @throws CorruptBlockException if it is not the last that was here: cut, older, or gone
   */
  static Optional<JournalFile> open(Disk disk, Names names) throws IOException {
    Optional<MarkedLog> found = MarkedLog.open(disk, NAME);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MarkedLog log = found.get();
    try {
      for (byte[] record : log.takeRecords()) {
        names.apply(NameCodec.decode(record));
      }
      return Optional.of(new JournalFile(log));
    } catch (IOException | RuntimeException e) {
      try (log) {
        throw e;
      }
    }
  }

  /** Writes another journal beside the one that is there, if any. */
  static JournalFile prepare(Disk disk, List<NameChange> changes, long generation)
      throws IOException {
    return new JournalFile(MarkedLog.prepare(disk, NAME, encoded(changes), generation));
  }

  private static List<byte[]> encoded(List<NameChange> changes) {
    return changes.stream().map(NameCodec::encode).toList();
  }

  /**
   * Puts this journal, just prepared, in the other's place. If that fails, it is unknown which of
   * them is there.
   */
  void swapIn() throws IOException {
    log.swapIn();
  }

  /** Appends, durably. */
  void append(List<NameChange> changes) throws IOException {
    log.append(encoded(changes));
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
    log.close();
  }
}
