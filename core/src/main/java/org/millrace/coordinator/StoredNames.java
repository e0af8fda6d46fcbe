package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.millrace.disk.Disk;
import org.millrace.disk.MarkedLog;
import org.millrace.disk.NodeMemory;
import org.millrace.error.CorruptBlockException;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.NodeUse;

/**
 * The names in a coordinator's journal, or in the logs of several, for a reader that starts no
 * coordinator.
 *
 * <p>Not safe for use by several threads.
 */
public final class StoredNames {

  private static final int ALL = 0777;

  private final Names names = new Names("", ALL); // a journal says first what the root's bits are

  private StoredNames() {}

  /**
   * Reads a journal as a coordinator that starts would; what recovery changes it writes.
   *
   * @throws CorruptBlockException if there is none, or it is damaged
   */
  public static StoredNames read(Disk disk) throws IOException {
    StoredNames made = new StoredNames();
    Optional<MarkedLog> found = MarkedLog.open(disk, JournalFile.NAME);
    if (found.isEmpty()) {
      throw new CorruptBlockException(disk.name() + " has no file " + JournalFile.NAME);
    }
    try (MarkedLog log = found.get()) {
      for (byte[] record : log.takeRecords()) {
        made.names.apply(NameCodec.decode(record));
      }
    }
    return made;
  }

  /** The names that several coordinators keep together. */
  public static StoredNames of(StoredLog log) throws IOException {
    StoredNames made = new StoredNames();
    for (byte[] record : log.names().records()) {
      made.names.apply(NameCodec.decode(record));
    }
    return made;
  }

  /** Whether a node was removed from the cluster. */
  public boolean isRemoved(int node) {
    return names.use(node) == NodeUse.REMOVED;
  }

  /** All files, by id. */
  public List<FileEntry> files() {
    return names.files().stream().map(NameEntry::describe).toList();
  }

  /** On which nodes a strand of a file with copies is. */
  public Optional<CopySet> copies(long file, int strand) {
    return names.copies(file, strand);
  }

  /** Removed files of which nodes may have strands still. */
  public Set<Long> gone() {
    return names.gone().keySet();
  }

  /** No file has had this number, or a higher one. */
  public long nextId() {
    return names.nextId();
  }

  /** How often a node was started. */
  public long nodeEpoch(int node) {
    return names.nodeEpoch(node);
  }

  /** The coordinator's last starts, the last one first. */
  public List<NodeMemory.Run> runs() {
    return names.runs();
  }
}
