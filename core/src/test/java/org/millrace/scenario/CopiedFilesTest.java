package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.StrandLog;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;

/** Copies of strands in a cluster in one JVM: where they are, and what they do for a bad disk. */
final class CopiedFilesTest {

  private static final int NODES = 4;
  private static final int BYTES = 900_000;
  private static final int ROUNDS = 200;

  private final MemoryDisk first = new MemoryDisk("coordinator");
  private final List<MemoryDisk> plain = new ArrayList<>();
  private final List<FaultyDisk> disks = new ArrayList<>();

  private RunningCluster cluster() throws IOException {
    if (disks.isEmpty()) {
      for (int i = 0; i < NODES; i++) {
        plain.add(new MemoryDisk("node-" + i));
        disks.add(new FaultyDisk(plain.get(i), Faults.seeded(i)));
      }
    }
    return again(disks);
  }

  private RunningCluster again(List<? extends Disk> with) throws IOException {
    return RunningCluster.over(
        Env.real(),
        first,
        List.<Disk>copyOf(with),
        ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20));
  }

  private static byte[] content(int seed) {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + i / 1000 + seed);
    }
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

  private static void assertContent(RunningCluster cluster, String name, byte[] bytes)
      throws IOException {
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(name, OpenOptions.read())) {
            byte[] got = new byte[bytes.length];
            assertThat(file.size()).isEqualTo(bytes.length);
            assertThat(file.at(0).read(Memory.of(got))).isEqualTo(bytes.length);
            assertThat(got).isEqualTo(bytes);
          }
        });
  }

  private static FileEntry stat(RunningCluster cluster, String name) throws IOException {
    return ((CoordinatorReply.About) cluster.ask(new CoordinatorRequest.Stat(name))).entry();
  }

  private static CopySet set(RunningCluster cluster, FileEntry file, int strand)
      throws IOException {
    var asked = new CoordinatorRequest.AskCopies(new StrandId(file.id(), strand));
    return ((CoordinatorReply.CopiesAt) cluster.ask(asked)).set();
  }

  @Test
  void eachStrandIsDurableOnAsManyNodesAsWereAskedFor() throws IOException {
    for (int copies = 1; copies <= 3; copies++) {
      try (RunningCluster cluster = cluster()) {
        String name = "f" + copies;
        write(cluster, name, OpenOptions.create().withCopies(copies), content(copies));
        FileEntry file = stat(cluster, name);
        assertThat(file.copies()).isEqualTo(copies);
        for (int s = 0; s < NODES; s++) {
          List<Integer> holders = new ArrayList<>();
          for (int node = 0; node < NODES; node++) {
            if (StrandLog.holds(plain.get(node).crash(), file.id(), s)) {
              holders.add(node);
            }
          }
          List<Integer> expected =
              copies == 1
                  ? List.of(file.layout().orElseThrow().node(s))
                  : set(cluster, file, s).inSync();
          assertThat(holders).containsExactlyInAnyOrderElementsOf(expected).hasSize(copies);
        }
        assertContent(cluster, name, content(copies));
      }
    }
  }

  @Test
  void aFileIsReadFromItsCopiesWhereADiskHasRotted() throws IOException {
    try (RunningCluster cluster = cluster()) {
      write(cluster, "two", OpenOptions.create().withCopies(2), content(1));
      write(cluster, "one", OpenOptions.create(), content(2));
    }
    for (String name : plain.get(1).list()) {
      if (name.endsWith(".strand")) {
        disks.get(1).flipBit(name, 8 * 100);
      }
    }
    try (RunningCluster cluster = cluster()) {
      assertContent(cluster, "two", content(1));
      assertThatThrownBy(() -> assertContent(cluster, "one", content(2)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("checksum");
    }
    try (RunningCluster cluster = cluster()) {
      assertContent(cluster, "two", content(1)); // mended for good
    }
  }

  @Test
  void aCopyThatMissedAWriteLeavesTheSetBeforeTheFlushReturns() throws IOException {
    try (RunningCluster cluster = cluster()) {
      OpenOptions options = OpenOptions.create().withCopies(2).withStrands(1).withFirstNode(0);
      write(cluster, "f", options, content(1));
      FileEntry file = stat(cluster, "f");
      CopySet before = set(cluster, file, 0);
      int copy = before.others().getFirst();
      disks.get(copy).faults().fail(Faults.Operation.FORCE, _ -> true, 0, Long.MAX_VALUE);
      write(cluster, "f", OpenOptions.write(), content(2));
      CopySet after = set(cluster, file, 0);
      assertThat(after.inSync()).containsExactly(0);
      assertThat(after.missing()).containsExactly(copy);
      assertThat(after.epoch()).isGreaterThan(before.epoch());
      assertThat(stat(cluster, "f").missing()).isEqualTo(1);
      disks.get(copy).faults().clear();
      write(cluster, "f", OpenOptions.write(), content(3));
      assertThat(set(cluster, file, 0).inSync()).as("it stays out until it is whole").hasSize(1);
    }
    try (RunningCluster cluster = cluster()) {
      assertThat(stat(cluster, "f").missing()).as("that is durable").isEqualTo(1);
      assertContent(cluster, "f", content(3));
    }
  }

  @Test
  void aFlushFailsIfTheCoordinatorCannotNoteThatACopyMissedIt() throws IOException {
    FaultyDisk journal = new FaultyDisk(first, Faults.seeded(9));
    cluster().close();
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(), journal, List.<Disk>copyOf(disks), ClusterOptions.DEFAULT)) {
      OpenOptions options = OpenOptions.create().withCopies(2).withStrands(1).withFirstNode(0);
      write(cluster, "f", options, content(1));
      int copy = set(cluster, stat(cluster, "f"), 0).others().getFirst();
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("f", OpenOptions.write());
            disks.get(copy).faults().fail(Faults.Operation.FORCE, _ -> true, 0, Long.MAX_VALUE);
            journal.faults().fail(Faults.Operation.FORCE, _ -> true, 0, Long.MAX_VALUE);
            file.at(0).write(Memory.of(content(2)));
            assertThatThrownBy(file::flush).isInstanceOf(MillraceException.class);
            journal.faults().clear();
            file.flush();
            disks.get(copy).faults().clear();
            file.close();
          });
      assertThat(stat(cluster, "f").missing()).isEqualTo(1);
    }
  }

  @Test
  void truncationReachesTheCopies() throws IOException {
    FileEntry file;
    try (RunningCluster cluster = cluster()) {
      OpenOptions options = OpenOptions.create().withCopies(2).withStrands(1).withFirstNode(0);
      write(cluster, "f", options, content(1));
      file = stat(cluster, "f");
      cluster.run(
          1,
          rank -> {
            try (SharedFile open = rank.open("f", OpenOptions.readWrite())) {
              open.resize(1000);
              open.flush();
            }
          });
      assertThat(set(cluster, file, 0).inSync()).hasSize(2);
    }
  }

  @Test
  void directoriesAndTheRootSayHowManyCopiesNewFilesGet() throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          1,
          rank -> {
            rank.names().makeDirectory("a");
            rank.names().makeDirectory("a/b");
            rank.names().setCopies("a", 3);
          });
      write(cluster, "a/b/f", OpenOptions.create(), content(1));
      write(cluster, "a/g", OpenOptions.create().withCopies(1), content(1));
      write(cluster, "h", OpenOptions.create(), content(1));
      assertThat(stat(cluster, "a/b/f").copies()).isEqualTo(3);
      assertThat(stat(cluster, "a/g").copies()).isEqualTo(1);
      assertThat(stat(cluster, "h").copies()).isEqualTo(1);
      assertThat(stat(cluster, "a").copies()).isEqualTo(3);
    }
    try (RunningCluster cluster = cluster()) {
      write(cluster, "a/i", OpenOptions.create(), content(1));
      assertThat(stat(cluster, "a/i").copies()).as("after a restart").isEqualTo(3);
      cluster.run(
          1,
          rank ->
              assertThatThrownBy(() -> rank.names().setCopies("a/i", 2))
                  .isInstanceOfSatisfying(
                      MillraceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_KIND)));
    }
  }

  @Test
  void removingAFileRemovesAllItsCopies() throws IOException {
    try (RunningCluster cluster = cluster()) {
      write(cluster, "f", OpenOptions.create().withCopies(3), content(1));
      cluster.run(1, rank -> rank.names().remove("f"));
    }
    for (MemoryDisk disk : plain) {
      assertThat(disk.list()).noneMatch(name -> name.endsWith(".strand"));
    }
  }

  /** Two ranks: one writes all the time, the other flushes. */
  private static void writeAndFlush(RunningCluster cluster, String name, OpenOptions options)
      throws IOException {
    cluster.run(
        2,
        rank -> {
          try (SharedFile file = rank.open(name, options)) {
            for (int i = 0; i < ROUNDS; i++) {
              if (rank.number() == 0) {
                file.at(i * 100L).write(Memory.of(new byte[100]));
              } else {
                file.flush();
              }
            }
          }
        });
  }

  @Test
  void copiesStayInSyncWhereSomeRanksWriteWhileOthersFlush() throws IOException {
    try (RunningCluster cluster = cluster()) {
      OpenOptions options = OpenOptions.create().withCopies(3).withStrands(1).withFirstNode(0);
      writeAndFlush(cluster, "f", options);
      assertThat(set(cluster, stat(cluster, "f"), 0).inSync()).hasSize(3);
    }
  }

  @Test
  void oneCopyThatFailsDoesNotCostTheOther() throws IOException {
    try (RunningCluster cluster = cluster()) {
      OpenOptions options = OpenOptions.create().withCopies(3).withStrands(1).withFirstNode(0);
      write(cluster, "f", options, content(1));
      int bad = set(cluster, stat(cluster, "f"), 0).others().getFirst();
      disks.get(bad).faults().fail(Faults.Operation.FORCE, _ -> true, 3, Long.MAX_VALUE);
      writeAndFlush(cluster, "f", OpenOptions.write());
      for (int i = 0; i < 4; i++) { // if the flushes above had all come before the writes
        write(cluster, "f", OpenOptions.write(), content(i));
      }
      CopySet left = set(cluster, stat(cluster, "f"), 0);
      disks.get(bad).faults().clear();
      assertThat(left.missing()).containsExactly(bad);
      assertThat(left.inSync()).hasSize(2);
    }
  }

  @Test
  void moreCopiesThanNodesAreRefused() throws IOException {
    try (RunningCluster cluster = again(List.of(new MemoryDisk("only")))) {
      assertThatThrownBy(() -> write(cluster, "f", OpenOptions.create().withCopies(2), content(1)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("2 copies, of which there can be 1 to 1 on 1 nodes");
    }
  }
}
