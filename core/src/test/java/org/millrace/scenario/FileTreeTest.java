package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;

/** The files of a cluster for programs that are no ranks, in one JVM and over sockets. */
final class FileTreeTest {

  private static final int NODES = 3;

  /** In one JVM, over disks in memory. */
  @Nested
  final class InOneJvmTest {

    private RunningCluster cluster;
    private FileTree tree;

    @BeforeEach
    void start() throws IOException {
      List<Disk> disks = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        disks.add(new MemoryDisk("n" + i));
      }
      cluster =
          RunningCluster.over(
              Env.real(),
              new MemoryDisk("c"),
              disks,
              ClusterOptions.DEFAULT.withCacheBytesPerNode(8 << 20).withStripeUnitBytes(512));
      tree = cluster.files();
    }

    @AfterEach
    void stop() throws IOException {
      tree.close();
      cluster.close();
    }

    @Test
    void everyCallDoesWhatTheOracleDoes() throws IOException {
      FileTreeCases.agreesWithTheOracle(tree, 6, 600);
    }

    /** One byte more than a stripe unit lies on two of three nodes. */
    @Test
    void forcingARangeAsksOnlyNodesThatHaveSomethingOfIt() throws IOException {
      FilePath path = FilePath.of("f");
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(new byte[513]));
        file.force(0, 513);
        assertThat(flushes()).isEqualTo(2);
        file.force(512, 1);
        assertThat(flushes()).isEqualTo(3);
        file.force(0, 0);
        assertThat(flushes()).isEqualTo(3);
        file.force(true);
        assertThat(flushes()).isEqualTo(5); // the third has nothing, which it does not count
      }
    }

    private long flushes() throws IOException {
      return cluster.report().stream()
          .mapToLong(counters -> counters.getOrDefault("flush.count", 0L))
          .sum();
    }

    @Test
    void appendersShareTheEndOfAFile() throws IOException {
      FileTreeCases.appendersShareTheEnd(tree);
    }

    @Test
    void aFileOutlivesItsNameForThoseWhoHaveItOpen() throws IOException {
      try (FileTree other = cluster.files()) {
        FileTreeCases.aFileOutlivesItsName(tree, other);
      }
    }

    @Test
    void ranksAndHandlesThatAppendTakeDifferentPlaces() throws IOException {
      int each = 300;
      FilePath path = FilePath.of("both");
      tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644)).close();
      FileTreeCases.inThreads(
          2,
          thread -> {
            if (thread == 0) {
              cluster.run(
                  2,
                  rank -> {
                    try (var file = rank.open("both", OpenOptions.readWrite().withAppend())) {
                      for (int i = 0; i < each; i++) {
                        file.write(Memory.of(new byte[] {1, 1, 1}));
                      }
                    }
                  });
            } else {
              try (FileHandle file =
                  tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0))) {
                for (int i = 0; i < each; i++) {
                  file.append(MemorySegment.ofArray(new byte[] {2, 2, 2}));
                }
              }
            }
          });
      byte[] all = new byte[3 * 3 * each];
      try (FileHandle file = tree.open(path, Set.of(FileTree.Opening.READ), NewFile.with(0))) {
        assertThat(file.size()).isEqualTo(all.length);
        assertThat(file.read(0, MemorySegment.ofArray(all))).isEqualTo(all.length);
      }
      int[] counts = new int[3];
      for (byte one : all) {
        counts[one]++;
      }
      assertThat(counts).containsExactly(0, 2 * 3 * each, 3 * each);
    }

    @Test
    void aTimeThatWasSetHoldsUntilTheNextWrite() throws IOException {
      FilePath path = FilePath.of("f");
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        FileStatus made = tree.stat(path);
        file.write(0, MemorySegment.ofArray(new byte[2000]));
        long written = tree.stat(path).times().modified();
        assertThat(written).isGreaterThanOrEqualTo(made.times().created() - 1_000_000_000L);
        assertThat(tree.change(path, FileChange.NONE.withModified(12345)).times().modified())
            .isEqualTo(12345);
        assertThat(tree.change(path, FileChange.NONE.withPermissions(0600)).times().modified())
            .isEqualTo(12345);
        file.write(1999, MemorySegment.ofArray(new byte[1]));
        assertThat(tree.stat(path).times().modified()).isGreaterThanOrEqualTo(written);
        assertThat(file.status().times().changed())
            .isGreaterThanOrEqualTo(file.status().times().modified());
      }
    }

    @Test
    void listsOfManyFilesComeInPartsWithTheirSizes() throws IOException {
      int files = 250;
      for (int i = 0; i < files; i++) {
        FilePath path = FilePath.of("f%03d".formatted(i));
        try (FileHandle file =
            tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
          file.write(i, MemorySegment.ofArray(new byte[] {1}));
        }
      }
      int seen = 0;
      String after = "";
      boolean more = true;
      while (more) {
        FileListing part = tree.list(FilePath.of(""), after, 100);
        for (FileListing.Entry entry : part.entries()) {
          assertThat(entry.name()).isEqualTo("f%03d".formatted(seen));
          assertThat(entry.status().size()).isEqualTo(++seen);
          after = entry.name();
        }
        more = part.more();
      }
      assertThat(seen).isEqualTo(files);
      assertThat(tree.space().files()).isGreaterThanOrEqualTo(files);
    }

    @Test
    void manyOpensLeaveNothingBehind() throws IOException {
      FilePath path = FilePath.of("f");
      tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644)).close();
      byte[] bytes = new byte[8];
      for (int i = 0; i < 100_000; i++) {
        try (FileHandle file = tree.open(path, Set.of(FileTree.Opening.READ), NewFile.with(0))) {
          file.read(0, MemorySegment.ofArray(bytes));
        }
      }
      tree.remove(path, FileTree.Removing.FILE); // it is open nowhere, so it is gone at once
      assertThatThrownBy(() -> tree.stat(path)).isInstanceOf(MillraceException.class);
    }

    @Test
    void locksOfOtherSessionsAreInTheWayUntilTheyEnd() throws IOException {
      FilePath path = FilePath.of("locked");
      FileHandle mine = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644));
      ByteLock all = new ByteLock(1, 0, ByteLock.TO_THE_END, ByteLock.Kind.EXCLUSIVE);
      FileTree other = cluster.files();
      FileHandle theirs = other.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644));
      assertThat(theirs.lock(new ByteLock(1, 10, 10, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
      assertThat(mine.lock(all, 0)).isFalse();
      assertThat(mine.lock(all, 1_000_000)).as("waits, and not for ever").isFalse();
      assertThat(mine.conflict(all)).contains(new ByteLock(1, 10, 10, ByteLock.Kind.EXCLUSIVE));
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      other.close();
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      assertThat(mine.lock(all, 300_000_000_000L)).as("the other session ends").isTrue();
      assertThat(waiting).isNotNull();
      mine.close();
    }

    @Test
    void ownersThatWouldWaitForEachOtherAreTold() throws IOException {
      FilePath path = FilePath.of("circle");
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        assertThat(file.lock(new ByteLock(1, 0, 1, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
        assertThat(file.lock(new ByteLock(2, 1, 1, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
        List<String> ends = Collections.synchronizedList(new ArrayList<>());
        FileTreeCases.inThreads(
            2,
            thread -> {
              ByteLock wanted = new ByteLock(1 + thread, 1 - thread, 1, ByteLock.Kind.EXCLUSIVE);
              try {
                ends.add("locked " + file.lock(wanted, 300_000_000_000L));
              } catch (MillraceException e) {
                ends.add(e.code().name());
                file.unlockAll(1 + thread);
              }
            });
        assertThat(ends).containsExactlyInAnyOrder("DEADLOCK", "locked true");
      }
    }
  }

  /** Over sockets, with a guard before each node. */
  @Nested
  final class OverSocketsTest {

    @TempDir private Path directory;
    private final List<Server> servers = new ArrayList<>();
    private RunningCluster cluster;
    private FileTree tree;

    @BeforeEach
    void start() throws IOException {
      servers.add(coordinator());
      for (int i = 0; i < NODES; i++) {
        servers.add(node(i));
      }
      cluster = RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT);
      tree = cluster.files();
    }

    private Server coordinator() throws IOException {
      return Server.coordinator(directory, NODES, ServerOptions.DEFAULT, _ -> {});
    }

    private Server node(int number) throws IOException {
      return Server.node(
          directory, number, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {});
    }

    @AfterEach
    void stop() throws IOException {
      tree.close();
      cluster.close();
      Closing.closeAll(servers.reversed());
    }

    @Test
    void everyCallDoesWhatTheOracleDoes() throws IOException {
      FileTreeCases.agreesWithTheOracle(tree, 2, 300);
    }

    @Test
    void appendersShareTheEndOfAFile() throws IOException {
      FileTreeCases.appendersShareTheEnd(tree);
    }

    @Test
    void aFileOutlivesItsNameForThoseWhoHaveItOpen() throws IOException {
      try (FileTree other = cluster.files()) {
        FileTreeCases.aFileOutlivesItsName(tree, other);
      }
    }

    @Test
    void aHandleThatHasForcedItsWritesSurvivesARestartedNode() throws IOException {
      byte[] bytes = new byte[2_000_000];
      Arrays.fill(bytes, (byte) 3);
      FilePath path = FilePath.of("f");
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(bytes));
        file.force(true);
        servers.get(2).close();
        servers.set(2, node(1));
        byte[] again = new byte[bytes.length];
        assertThat(file.read(0, MemorySegment.ofArray(again))).isEqualTo(bytes.length);
        assertThat(again).isEqualTo(bytes);
        file.write(5, MemorySegment.ofArray(new byte[] {1}));
        assertThat(file.status().size()).isEqualTo(bytes.length);
      }
    }

    @Test
    void aHandleWhoseWritesMayBeLostWithANodeIsTold() throws IOException {
      byte[] bytes = new byte[2_000_000];
      FilePath path = FilePath.of("f");
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(bytes));
        servers.get(2).close();
        servers.set(2, node(1));
        assertThatThrownBy(() -> file.force(true))
            .isInstanceOfSatisfying(
                MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOST));
      }
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(bytes));
        file.force(true);
      }
    }
  }
}
