package org.millrace.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.NodeAdministration;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeUse;
import org.millrace.testing.Eventually;

/** Nodes are added, replaced, drained and removed, in servers of one JVM that talk over sockets. */
final class NodeChangesTest {

  private static final int BYTES = 700_000;
  private static final int COORDINATOR = -1;

  @TempDir private Path directory;

  private final Map<Integer, Server> servers = new TreeMap<>(); // the coordinator comes first

  private void start(int nodes) throws IOException {
    startCoordinator(nodes);
    for (int i = 0; i < nodes; i++) {
      startNode(i);
    }
  }

  private void startCoordinator(int nodes) throws IOException {
    servers.put(COORDINATOR, Server.coordinator(directory, nodes, ServerOptions.DEFAULT, _ -> {}));
  }

  private void startNode(int number) throws IOException {
    var where = new ClusterLocation.In(directory);
    servers.put(number, Server.node(directory, number, where, ServerOptions.DEFAULT, _ -> {}));
  }

  private void stop(int number) throws IOException {
    Server ended = servers.remove(number);
    if (ended != null) {
      ended.close();
    }
  }

  @AfterEach
  void stopAll() throws IOException {
    Closing.closeAll(List.copyOf(servers.values()).reversed());
    servers.clear();
  }

  private RunningCluster connect() throws IOException {
    return RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT);
  }

  private static byte[] content(String name) {
    byte[] bytes = new byte[BYTES];
    new Random(name.hashCode()).nextBytes(bytes);
    return bytes;
  }

  private static void write(RunningCluster cluster, String name, int copies) throws IOException {
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(name, OpenOptions.create().withCopies(copies))) {
            file.at(0).write(Memory.of(content(name)));
            file.flush();
          }
        });
  }

  private static byte[] read(RunningCluster cluster, String name) throws IOException {
    byte[] got = new byte[BYTES];
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(name, OpenOptions.read())) {
            assertThat(file.at(0).read(Memory.of(got))).isEqualTo(BYTES);
          }
        });
    return got;
  }

  private static FileEntry stat(RunningCluster cluster, String name) throws IOException {
    FileEntry[] found = new FileEntry[1];
    cluster.run(1, rank -> found[0] = rank.names().stat(name));
    return found[0];
  }

  private static NodeAdministration.State state(RunningCluster cluster, int node)
      throws IOException {
    return cluster.administration().nodes().list().get(node);
  }

  private void wipe(int node) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("node-" + node))) {
      for (Path one : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  @Test
  void anEmptyDiskTakesTheLostOnesPlaceAndWhatIsLostIsNeverZero() throws IOException {
    start(3);
    try (RunningCluster cluster = connect()) {
      write(cluster, "two", 2);
      write(cluster, "one", 1);
      NodeAdministration nodes = cluster.administration().nodes();
      assertThatThrownBy(() -> nodes.change(1, NodeAction.REPLACE))
          .as("it is up")
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
      stop(1);
      wipe(1);
      assertThatThrownBy(() -> startNode(1)).hasMessageContaining("had a directory before");
      nodes.change(1, NodeAction.REPLACE);
      nodes.change(1, NodeAction.REPLACE); // again
      assertThat(state(cluster, 1).holding().isFor()).isEqualTo(NodeUse.REPLACED);
      stop(COORDINATOR);
      startCoordinator(0); // that is durable
    }
    startNode(1);
    try (RunningCluster cluster = connect()) {
      assertThat(state(cluster, 1).holding().isFor()).isEqualTo(NodeUse.USED);
      Eventually.holds("all copies are back", () -> state(cluster, 1).holding().missing() == 0);
      assertThat(stat(cluster, "two").missing()).isZero();
      assertThat(read(cluster, "two")).isEqualTo(content("two"));
      assertThat(stat(cluster, "one").missing()).isEqualTo(1);
      assertThat(cluster.administration().nodes().incomplete())
          .extracting(FileEntry::path)
          .containsExactly("one");
      assertThatThrownBy(() -> read(cluster, "one"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
      write(cluster, "new", 1);
    }
    stopAll();
    start(3);
    try (RunningCluster cluster = connect()) {
      assertThat(read(cluster, "two")).isEqualTo(content("two"));
      assertThat(read(cluster, "new")).isEqualTo(content("new"));
      assertThatThrownBy(() -> read(cluster, "one"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
      cluster.run(1, rank -> rank.names().remove("one"));
      write(cluster, "one", 1);
      assertThat(read(cluster, "one")).isEqualTo(content("one"));
      assertThat(stat(cluster, "one").missing()).isZero();
    }
  }

  @Test
  void newFilesUseANodeThatWasAdded() throws IOException {
    start(2);
    try (RunningCluster cluster = connect()) {
      write(cluster, "old", 1);
      assertThat(cluster.administration().nodes().change(0, NodeAction.ADD)).isEqualTo(2);
      startNode(2);
      write(cluster, "new", 2); // by a program that was there before
      assertThat(stat(cluster, "new").layout().orElseThrow().nodes()).contains(0, 1, 2);
      assertThat(stat(cluster, "old").layout().orElseThrow().nodes()).doesNotContain(2);
      assertThat(read(cluster, "new")).isEqualTo(content("new"));
    }
    stopAll();
    start(3);
    try (RunningCluster cluster = connect()) {
      assertThat(cluster.nodeFacts()).hasSize(3);
      assertThat(read(cluster, "new")).isEqualTo(content("new"));
      assertThat(read(cluster, "old")).isEqualTo(content("old"));
    }
    stopAll();
    try (RunningCluster cluster = RunningCluster.open(directory, ClusterOptions.DEFAULT)) {
      assertThat(read(cluster, "new")).as("without processes").isEqualTo(content("new"));
    }
  }

  @Test
  void aDrainedNodeHoldsNothingAndNobodyNotices() throws IOException {
    start(3);
    try (RunningCluster cluster = connect()) {
      write(cluster, "two", 2);
      write(cluster, "one", 1);
      write(cluster, "open", 1);
      NodeAdministration nodes = cluster.administration().nodes();
      assertThatThrownBy(() -> nodes.change(1, NodeAction.REMOVE))
          .hasMessageContaining("drain it first");
      byte[] other = content("other");
      cluster.run(
          1,
          rank -> {
            try (SharedFile two = rank.open("two", OpenOptions.readWrite());
                SharedFile open = rank.open("open", OpenOptions.readWrite())) {
              two.at(0).write(Memory.of(other)); // and nobody flushes it
              nodes.change(1, NodeAction.DRAIN);
              nodes.change(1, NodeAction.DRAIN);
              Eventually.holds(
                  "only the open file is there",
                  () ->
                      state(cluster, 1).holding().strands() == 1
                          && state(cluster, 1).holding().open() == 1);
              byte[] got = new byte[BYTES];
              two.at(0).read(Memory.of(got));
              assertThat(got).as("what was not flushed").isEqualTo(other);
              two.flush();
              open.at(0).write(Memory.of(other));
              open.flush();
            }
          });
      Eventually.holds("it is empty", () -> state(cluster, 1).holding().strands() == 0);
      assertThat(read(cluster, "two")).isEqualTo(other);
      assertThat(read(cluster, "open")).isEqualTo(other);
      assertThat(read(cluster, "one")).isEqualTo(content("one"));
      write(cluster, "new", 2);
      assertThat(stat(cluster, "new").layout().orElseThrow().nodes()).doesNotContain(1);
      assertThat(stat(cluster, "two").missing()).isZero();
      nodes.change(1, NodeAction.REMOVE);
    }
    stop(1);
    wipe(1);
    stopAll();
    startCoordinator(0);
    startNode(0);
    startNode(2);
    try (RunningCluster cluster = connect()) {
      assertThat(state(cluster, 1).holding().isFor()).isEqualTo(NodeUse.REMOVED);
      assertThat(read(cluster, "two")).isEqualTo(content("other"));
      assertThat(read(cluster, "one")).isEqualTo(content("one"));
      assertThat(read(cluster, "new")).isEqualTo(content("new"));
      assertThatThrownBy(() -> startNode(1)).isInstanceOf(MillraceException.class);
    }
  }

  @Test
  void aDrainHandsOverWhatNobodyHasWritten() throws IOException {
    start(4);
    try (RunningCluster cluster = connect()) {
      NodeAdministration nodes = cluster.administration().nodes();
      byte[] bytes = content("fresh");
      cluster.run(
          1,
          rank -> {
            try (SharedFile fresh = rank.open("fresh", OpenOptions.create().withCopies(3))) {
              for (int drained = 0; drained < 4; drained++) {
                int node = drained;
                nodes.change(node, NodeAction.DRAIN);
                Eventually.holds(
                    "node " + node + " is empty",
                    () -> state(cluster, node).holding().strands() == 0);
                fresh.flush(); // each strand has had another owner by now, and nothing is lost
                nodes.change(node, NodeAction.USE);
              }
              fresh.at(0).write(Memory.of(bytes));
            }
          });
      assertThat(read(cluster, "fresh")).isEqualTo(bytes);
    }
  }

  /** Found by the hunt (seed 40457): it had one copy for ever, and then that disk was lost. */
  @Test
  void aCopyThatLeftForLackOfNodesComesBackWithTheNode() throws IOException {
    start(2);
    try (RunningCluster cluster = connect()) {
      NodeAdministration nodes = cluster.administration().nodes();
      write(cluster, "two", 2);
      long held = state(cluster, 1).holding().strands();
      assertThat(held).isPositive();
      nodes.change(1, NodeAction.DRAIN);
      Eventually.holds("node 1 is empty", () -> state(cluster, 1).holding().strands() == 0);
      nodes.change(1, NodeAction.USE);
      Eventually.holds(
          "node 1 has its copies", () -> state(cluster, 1).holding().strands() == held);
      stop(0);
      assertThat(read(cluster, "two")).isEqualTo(content("two"));
    }
  }

  @Test
  void aDrainGoesOnWhenOneThatTakesPartInItIsRestarted() throws IOException {
    start(3);
    List<Integer> victims = List.of(COORDINATOR, 1, 2);
    for (int victim : victims) {
      List<String> names = new ArrayList<>();
      try (RunningCluster cluster = connect()) {
        for (int i = 0; i < 3; i++) {
          names.add("one-" + victim + "-" + i);
          write(cluster, names.getLast(), 1);
          names.add("two-" + victim + "-" + i);
          write(cluster, names.getLast(), 2);
        }
        cluster.administration().nodes().change(1, NodeAction.DRAIN);
      }
      stop(victim);
      if (victim == COORDINATOR) {
        startCoordinator(0);
      } else {
        startNode(victim);
      }
      try (RunningCluster cluster = connect()) {
        Eventually.holds("it is empty", () -> state(cluster, 1).holding().strands() == 0);
        for (String name : names) {
          assertThat(read(cluster, name)).as(name).isEqualTo(content(name));
        }
        cluster.administration().nodes().change(1, NodeAction.USE);
      }
    }
  }
}
