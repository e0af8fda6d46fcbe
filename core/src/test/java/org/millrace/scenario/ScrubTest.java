package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.FileProblem;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.ScrubRun;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.node.CopyVerdict;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/** Scrubs of clusters in one JVM: what they find, what they repair, and from where. */
final class ScrubTest {

  private static final int NODES = 4;
  private static final int BYTES = 900_000;
  private static final OpenOptions TWO = OpenOptions.create().withCopies(2);

  private MemoryDisk first = new MemoryDisk("coordinator");
  private final List<MemoryDisk> plain = new ArrayList<>();
  private final List<FaultyDisk> disks = new ArrayList<>();

  private RunningCluster cluster() throws IOException {
    return cluster(NodeOptions.of(1 << 20));
  }

  private RunningCluster cluster(NodeOptions each) throws IOException {
    for (int i = disks.size(); i < NODES; i++) {
      plain.add(new MemoryDisk("node-" + i));
      disks.add(new FaultyDisk(plain.get(i), Faults.seeded(i)));
    }
    return RunningCluster.over(
        ClusterTopology.onePlace(Env.real()),
        first,
        List.<Disk>copyOf(disks),
        ClusterOptions.DEFAULT,
        each,
        Costs.DEFAULT);
  }

  private static byte[] content(long seed) {
    byte[] bytes = new byte[BYTES];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void write(RunningCluster cluster, String name, OpenOptions options, byte[] bytes)
      throws IOException {
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(name, options)) {
            file.at(0).write(Memory.of(bytes));
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

  /** Flips a bit in each block file of a node, in one of its blocks. */
  private void rot(int node, Random random) throws IOException {
    for (String name : plain.get(node).list()) {
      if (name.endsWith(".strand")) {
        long bytes;
        try (DiskFile file = plain.get(node).open(name)) {
          bytes = file.size();
        }
        disks.get(node).flipBit(name, random.nextLong(8 * bytes));
      }
    }
  }

  private static List<FileProblem> scrub(RunningCluster cluster) throws IOException {
    try (ScrubRun run = cluster.administration().scrub(0)) {
      Eventually.holds("the scrub ends", () -> !run.isRunning());
      return run.problems();
    }
  }

  @Test
  void whatHasRottedIsWrittenAgainFromTheOtherCopy() throws IOException {
    for (long seed : Seeds.of(4)) {
      first = new MemoryDisk("coordinator");
      plain.clear();
      disks.clear();
      byte[] bytes = content(seed);
      try (RunningCluster cluster = cluster()) {
        write(cluster, "f", TWO, bytes);
        assertThat(scrub(cluster)).as("before anything rots").isEmpty();
      }
      rot((int) Math.floorMod(seed, (long) NODES), new Random(seed));
      try (RunningCluster cluster = cluster()) {
        List<FileProblem> found = scrub(cluster);
        assertThat(found).as(Seeds.replay(seed)).isNotEmpty();
        assertThat(found).allMatch(FileProblem::repaired).allMatch(one -> one.path().equals("f"));
        assertThat(scrub(cluster)).as("all is well again").isEmpty();
        assertThat(read(cluster, "f")).isEqualTo(bytes);
      }
      // each copy by itself is right, and durable: the other one rots now
      rot((int) Math.floorMod(seed + 1, (long) NODES), new Random(seed));
      try (RunningCluster cluster = cluster()) {
        assertThat(scrub(cluster)).allMatch(FileProblem::repaired);
        assertThat(read(cluster, "f")).isEqualTo(bytes);
      }
    }
  }

  @Test
  void aScrubThatRepairsFromTheBadCopyIsFoundOut() throws IOException {
    byte[] bytes = content(5);
    try (RunningCluster cluster = cluster()) {
      write(cluster, "f", TWO, bytes);
    }
    rot(1, new Random(5));
    CopyVerdict.Judge believesTheOwner =
        (own, copies) ->
            copies.stream().allMatch(sum -> sum == own)
                ? CopyVerdict.of(own, copies)
                : new CopyVerdict(CopyVerdict.OWNER, List.of(CopyVerdict.OWNER, 0));
    try (RunningCluster cluster = cluster(NodeOptions.of(1 << 20).withJudge(believesTheOwner))) {
      scrub(cluster);
      assertThat(Arrays.equals(read(cluster, "f"), bytes)).as("the control").isFalse();
    }
  }

  @Test
  void whatHasNoOtherCopyIsNamedWithItsBytes() throws IOException {
    try (RunningCluster cluster = cluster()) {
      write(cluster, "one", OpenOptions.create().withStripeUnit(64 << 10), content(1));
    }
    String strand =
        plain.get(2).list().stream().filter(one -> one.endsWith(".strand")).findFirst().get();
    disks.get(2).flipBit(strand, 8 * (70L << 10));
    try (RunningCluster cluster = cluster()) {
      List<FileProblem> found = scrub(cluster);
      assertThat(found).hasSize(1);
      FileProblem one = found.getFirst();
      assertThat(one.path()).isEqualTo("one");
      assertThat(one.repaired()).isFalse();
      assertThat(one.node()).isEqualTo(2);
      assertThat(one.to() - one.from()).isEqualTo(64 << 10);
      long from = one.from();
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("one", OpenOptions.read())) {
              byte[] got = new byte[1000];
              assertThatThrownBy(() -> file.at(from).read(Memory.of(got)))
                  .hasMessageContaining("checksum");
            }
          });
      assertThat(cluster.report().get(2)).containsEntry("scrub.left", 1L);
    }
  }

  @Test
  void writesUnderWayAreNoFalseAlarms() throws IOException {
    try (RunningCluster cluster = cluster(NodeOptions.of(128 << 10))) {
      write(cluster, "f", TWO, content(1));
      write(cluster, "g", OpenOptions.create(), content(2));
      AtomicBoolean over = new AtomicBoolean();
      List<FileProblem> found = new ArrayList<>();
      cluster.run(
          2,
          rank -> {
            if (rank.number() == 1) {
              for (int i = 0; i < 5; i++) {
                found.addAll(scrub(cluster));
              }
              over.set(true);
              return;
            }
            Random random = new Random(3);
            byte[] some = new byte[10_000];
            while (!over.get()) {
              for (String name : List.of("f", "g")) {
                try (SharedFile file = rank.alone().open(name, OpenOptions.write())) {
                  for (int i = 0; i < 20; i++) {
                    random.nextBytes(some);
                    file.at(random.nextInt(BYTES)).write(Memory.of(some));
                  }
                  file.flush();
                }
              }
            }
          });
      assertThat(found).isEmpty();
      assertThat(scrub(cluster)).isEmpty();
    }
  }
}
