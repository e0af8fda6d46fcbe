package org.millrace.disk;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;

/**
 * The file of a {@link StrandLog}: a log of {@link StrandRecord}s.
 *
 * <p>For one thread. Closing closes the file.
 */
final class StrandLogFile implements AutoCloseable {

  static final String NAME = "strands";

  private final MarkedLog log;

  private StrandLogFile(MarkedLog log) {
    this.log = log;
  }

  /** Opens the log and puts the last record of each strand into {@code into}; null if it is new. */
  static @Nullable StrandLogFile open(Disk disk, Map<StrandKey, StrandRecord> into)
      throws IOException {
    Optional<MarkedLog> found = MarkedLog.open(disk, NAME);
    if (found.isEmpty()) {
      for (StrandKey id : StrandFiles.list(disk)) { // made before there were logs
        if (StrandFiles.exist(disk, id)) {
          into.put(id, new StrandRecord.InFiles(id));
        }
      }
      return null;
    }
    MarkedLog log = found.get();
    try {
      replay(log.takeRecords(), disk, into);
      return new StrandLogFile(log);
    } catch (IOException | RuntimeException e) {
      try (log) {
        throw e;
      }
    }
  }

  /** What the log says, for readers that leave it alone: another process may be writing it. */
  static Map<StrandKey, StrandRecord> peek(Disk disk) throws IOException {
    Map<StrandKey, StrandRecord> found = new TreeMap<>();
    replay(MarkedLog.peek(disk, NAME), disk, found);
    found.values().removeIf(record -> record instanceof StrandRecord.Gone);
    return found;
  }

  private static void replay(List<byte[]> records, Disk disk, Map<StrandKey, StrandRecord> into)
      throws CorruptBlockException {
    for (byte[] bytes : records) {
      StrandRecord record = StrandRecord.decode(bytes, disk.name() + ": file " + NAME);
      into.put(record.id(), record);
    }
  }

  /** Writes another log beside the one that is there, if any. */
  static StrandLogFile prepare(Disk disk, List<StrandRecord> records, long generation)
      throws IOException {
    return new StrandLogFile(MarkedLog.prepare(disk, NAME, encoded(records), generation));
  }

  private static List<byte[]> encoded(List<StrandRecord> records) {
    return records.stream().map(StrandRecord::encode).toList();
  }

  /** Puts this log, just prepared, in the other's place. If that fails, either may be there. */
  void swapIn() throws IOException {
    log.swapIn();
  }

  /** Appends, durably. */
  void append(List<StrandRecord> records) throws IOException {
    log.append(encoded(records));
  }

  long size() {
    return log.size();
  }

  /** How far it has come. */
  EndMark end() {
    return log.end();
  }

  /** Which log this is, among all that were here. */
  long generation() {
    return log.generation();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
