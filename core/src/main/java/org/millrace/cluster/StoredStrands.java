package org.millrace.cluster;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.millrace.coordinator.Coordinator;
import org.millrace.disk.Disk;
import org.millrace.disk.StrandKey;
import org.millrace.disk.StrandLog;
import org.millrace.error.CorruptBlockException;
import org.millrace.layout.Copies;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;

/**
 * Compares the strands on the nodes' disks with the coordinator's journal before a cluster starts.
 * A strand is removed only if the journal shows that its file was removed.
 *
 * <p>Belongs to the thread that assembles the cluster, and to the coordinator's while that
 * recovers.
 */
public final class StoredStrands {

  private final Map<Integer, Disk> disks;

  /** What is on the disks of all nodes. */
  public StoredStrands(List<Disk> disks) {
    this(
        IntStream.range(0, disks.size())
            .boxed()
            .collect(Collectors.toMap(Function.identity(), disks::get)));
  }

  /** What is on the disks of some nodes, by node; the others cannot be seen from here. */
  public StoredStrands(Map<Integer, Disk> disks) {
    this.disks = new TreeMap<>(disks);
  }

  /** Whether every strand of a file is on its node. */
  public Coordinator.StrandPresence look(FileEntry entry) throws IOException {
    Layout layout = entry.layout().orElseThrow();
    Coordinator.StrandPresence seen = Coordinator.StrandPresence.ALL;
    for (int s = 0; s < layout.strands(); s++) {
      int node = layout.nodes().get(s);
      Disk disk = disks.get(node);
      if (disk == null) {
        seen = Coordinator.StrandPresence.UNKNOWN;
      } else if (!StrandLog.holds(disk, entry.id(), s)) {
        return Coordinator.StrandPresence.SOME_MISSING;
      }
    }
    if (seen
        == Coordinator.StrandPresence
            .ALL) { // their creator may have ended before they were durable
      for (int node : new TreeSet<>(layout.nodes())) {
        requireNonNull(disks.get(node)).force();
      }
    }
    return seen;
  }

  /** What is on a disk; nothing if that cannot be told: the disk's node says so when it starts. */
  private static Set<StrandKey> strands(Disk disk) throws IOException {
    try {
      return StrandLog.peek(disk);
    } catch (CorruptBlockException e) {
      return Set.of();
    }
  }

  /** Throws if there is a strand of a file that the journal has never heard of. */
  public void checkJournal(Coordinator coordinator, String journalPlace) throws IOException {
    long next = coordinator.nextId();
    for (Disk disk : disks.values()) {
      for (StrandKey strand : strands(disk)) {
        if (Copies.numberOf(strand.fileId()) >= next) {
          throw new CorruptBlockException(
              "the journal in %s is truncated: it ends before file %s, of which %s has strand %s"
                  .formatted(journalPlace, strand.fileId(), disk.name(), strand.strand()));
        }
      }
    }
  }

  /**
   * Removes strands of files that no longer exist: the removing rank died before it reached the
   * node. A strand of a file that the journal has never heard of is another matter: the name was
   * durable before the strand was made, so the journal has lost its end, and removing would lose
   * the rest.
   */
  void removeOrphans(Coordinator coordinator, String journalPlace) throws IOException {
    Set<Long> known = new HashSet<>();
    for (FileEntry entry : coordinator.files()) {
      known.add(entry.id());
    }
    checkJournal(coordinator, journalPlace);
    for (Disk disk : disks.values()) {
      List<StrandKey> orphans = new ArrayList<>(strands(disk));
      orphans.removeIf(strand -> known.contains(strand.fileId()));
      if (!orphans.isEmpty()) {
        StrandLog.removeAll(disk, orphans);
      }
    }
  }
}
