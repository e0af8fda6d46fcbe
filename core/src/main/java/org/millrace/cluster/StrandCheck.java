package org.millrace.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.disk.StrandLog;
import org.millrace.disk.StrandStore;
import org.millrace.error.CorruptBlockException;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.node.BlockSums;
import org.millrace.protocol.NodeReply;

/** Reads all copies of one strand and compares them. For one thread. */
final class StrandCheck {

  private static final long CHUNK_BYTES = 1 << 20;

  // constant after construction
  private final FileEntry file;
  private final int strand;
  private final Optional<CopySet> set;
  private final Map<Integer, StrandLog> logs;

  StrandCheck(FileEntry file, int strand, Optional<CopySet> set, Map<Integer, StrandLog> logs) {
    this.file = file;
    this.strand = strand;
    this.set = set;
    this.logs = logs;
  }

  /** The nodes that have something of it, or should. */
  List<Integer> holders() {
    return set.map(CopySet::all).orElseGet(() -> List.of(file.layout().orElseThrow().node(strand)));
  }

  private List<Integer> inSync() {
    return set.map(CopySet::inSync).orElseGet(this::holders);
  }

  void run(List<FileProblem> found) throws IOException {
    for (int node : set.map(CopySet::missing).orElse(List.of())) {
      found.add(
          problem(
              node,
              0,
              Long.MAX_VALUE,
              "the copy is out of date or missing; it is made anew while the cluster runs"));
    }
    Map<Integer, StrandStore> stores = new TreeMap<>();
    List<Integer> order = new ArrayList<>();
    try {
      for (int node : inSync()) {
        open(node, stores, order, found);
      }
      if (!order.isEmpty()) {
        compareEnds(order, stores, found);
        compare(order, stores, found);
      }
    } finally {
      for (StrandStore store : stores.values()) {
        store.close();
      }
    }
  }

  private void open(
      int node, Map<Integer, StrandStore> stores, List<Integer> order, List<FileProblem> found)
      throws IOException {
    StrandLog log = logs.get(node);
    if (log == null) {
      found.add(
          problem(node, 0, Long.MAX_VALUE, "the strand cannot be seen: its node is not here"));
      return;
    }
    try {
      int blockBytes = file.layout().orElseThrow().blockBytes();
      stores.put(node, log.open(file.id(), strand, blockBytes));
      order.add(node);
    } catch (CorruptBlockException e) {
      found.add(problem(node, 0, Long.MAX_VALUE, String.valueOf(e.getMessage())));
    }
  }

  private void compareEnds(
      List<Integer> order, Map<Integer, StrandStore> stores, List<FileProblem> found) {
    long end = store(stores, order.getFirst()).end();
    for (int node : order) {
      long other = store(stores, node).end();
      if (other != end) {
        found.add(
            problem(
                node,
                Math.min(end, other),
                Math.max(end, other),
                "the copy ends at %s, its owner's on node %s at %s"
                    .formatted(other, order.getFirst(), end)));
      }
    }
  }

  private static StrandStore store(Map<Integer, StrandStore> stores, int node) {
    StrandStore found = stores.get(node);
    if (found == null) {
      throw new IllegalStateException("node " + node + " was not opened");
    }
    return found;
  }

  private void compare(
      List<Integer> order, Map<Integer, StrandStore> stores, List<FileProblem> found)
      throws IOException {
    long end = stores.values().stream().mapToLong(StrandStore::end).max().orElse(0);
    int blockBytes = store(stores, order.getFirst()).blockBytes();
    long blocks = Math.ceilDiv(end, blockBytes);
    long most = Math.max(1, CHUNK_BYTES / blockBytes);
    for (long block = 0; ; ) {
      long from = block;
      long next = blocks;
      for (int node : order) {
        next =
            from < blocks ? Math.min(next, store(stores, node).nextWritten(from, blocks)) : blocks;
      }
      if (next >= blocks) {
        return;
      }
      int count = (int) Math.min(most, blocks - next);
      List<List<Long>> sums = new ArrayList<>();
      for (int node : order) {
        sums.add(BlockSums.of(store(stores, node), next, count));
      }
      for (int i = 0; i < count; i++) {
        int at = i;
        long first = (next + i) * blockBytes;
        add(
            order,
            sums.stream().map(list -> list.get(at)).toList(),
            first,
            first + blockBytes,
            found);
      }
      block = next + count;
    }
  }

  private void add(
      List<Integer> order, List<Long> sums, long from, long to, List<FileProblem> found) {
    boolean good = sums.stream().anyMatch(sum -> sum != NodeReply.CopySums.BAD);
    long right = sums.stream().filter(sum -> sum != NodeReply.CopySums.BAD).findFirst().orElse(-1L);
    for (int i = 0; i < order.size(); i++) {
      if (sums.get(i) == NodeReply.CopySums.BAD) {
        found.add(
            problem(
                order.get(i),
                from,
                to,
                "corrupt; "
                    + (good
                        ? "another copy is good: millrace up, then millrace scrub repairs it"
                        : "no copy is good: restore the file, or save the rest with millrace get --skip-bad")));
      } else if (sums.get(i) != right) {
        found.add(
            problem(
                order.get(i),
                from,
                to,
                "differs from the copy on node %s, as it may after a crash: millrace up, then millrace scrub makes them equal"
                    .formatted(order.getFirst())));
      }
    }
  }

  private FileProblem problem(int node, long from, long to, String what) {
    return FileProblem.of(Optional.of(file), file.id(), strand, node, from, to, false, what);
  }
}
