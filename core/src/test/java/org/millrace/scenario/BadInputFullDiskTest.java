package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.millrace.scenario.BadInputs.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.DiskFullException;
import org.millrace.error.MillraceException;

/**
 * A disk without room, injected and real: told as such, nothing stored is lost, and room heals it.
 */
final class BadInputFullDiskTest {

  private static final byte[] KEPT = BadInputs.content(600_000, 4);
  private static final byte[] MORE = BadInputs.content(20 << 20, 5);

  @TempDir Path directory;

  /** Two nodes in memory whose disks can be full. */
  private static final class Nodes {
    final Disk coordinator;
    final List<Faults> faults = new ArrayList<>();
    final List<Disk> disks = new ArrayList<>();

    Nodes() {
      coordinator = disk("coordinator");
      disks.add(disk("node 0"));
      disks.add(disk("node 1"));
    }

    private Disk disk(String name) {
      Faults its = Faults.seeded(1);
      faults.add(its);
      return new FaultyDisk(new MemoryDisk(name), its);
    }

    /** Of the coordinator, then of each node. */
    Faults of(int disk) {
      return faults.get(disk);
    }

    RunningCluster cluster() throws IOException {
      return RunningCluster.over(Env.real(), coordinator, disks, BadInputs.options());
    }
  }

  private static void writeTooMuch(
      RunningCluster cluster, Class<? extends Throwable> kind, String... words) throws IOException {
    cluster.run(
        1,
        rank -> {
          var file = rank.open("more", OpenOptions.create());
          Throwable thrown =
              catchThrowable(
                  () -> {
                    file.at(0).write(Memory.of(MORE));
                    file.flush();
                  });
          assertThat(thrown).isInstanceOf(kind);
          assertThat(thrown.getMessage()).contains(words);
          assertThat(catchThrowable(file::flush)).isInstanceOf(MillraceException.class);
          // a cache that is full of what does not fit has no room to read, but it never reads wrong
          Throwable reading = catchThrowable(() -> BadInputs.assertContent(rank, "kept", KEPT));
          if (reading != null) {
            assertThat(reading).isInstanceOf(DiskFullException.class);
          }
          // the other file has no dirty bytes and can be made durable
          rank.open("kept", OpenOptions.readWrite()).close();
          assertThat(catchThrowable(file::close)).isInstanceOf(MillraceException.class);
        });
  }

  @Test
  void whatDoesNotFitButIsNotMuchDisturbsNobodyElse() throws Exception {
    Nodes nodes = new Nodes();
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      cluster.run(
          3,
          rank -> {
            if (rank.number() != 0) {
              rank.barrier();
              BadInputs.assertContent(rank, "kept", KEPT);
              rank.barrier();
              return;
            }
            var file = rank.alone().open("more", OpenOptions.create());
            nodes.of(1).fullAfter(100_000);
            file.at(0).write(segment(MORE).asSlice(0, 2 << 20));
            for (int i = 0; i < 3; i++) {
              assertThat(catchThrowable(file::flush))
                  .isInstanceOf(DiskFullException.class)
                  .hasMessageContaining("node 0");
            }
            rank.barrier();
            BadInputs.assertContent(rank, "kept", KEPT);
            byte[] own = new byte[2 << 20];
            assertThat(file.at(0).read(Memory.of(own))).isEqualTo(own.length);
            assertThat(segment(own).mismatch(segment(MORE))).isEqualTo(own.length);
            rank.barrier();
            nodes.of(1).clear();
            file.close();
          });
    }
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.assertContent(cluster, "kept", KEPT);
      BadInputs.assertContent(cluster, "more", Arrays.copyOf(MORE, 2 << 20));
    }
  }

  @Test
  void aFullNodeIsToldAndHealsWhenThereIsRoom() throws Exception {
    Nodes nodes = new Nodes();
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      nodes.of(2).fullAfter(1 << 20);
      writeTooMuch(cluster, DiskFullException.class, "node 1", "fit");
      nodes.of(2).clear();
      cluster.run(
          2,
          rank -> {
            try (var file = rank.open("more", OpenOptions.readWrite().withMode(Mode.GLOBAL))) {
              assertThat(file.write(Memory.of(MORE))).isEqualTo(MORE.length);
              file.flush();
            }
          });
      BadInputs.assertContent(cluster, "more", MORE);
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.assertContent(cluster, "more", MORE);
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
  }

  @Test
  void aFileThatDidNotFitCanBeRemovedWhileTheDiskIsFull() throws Exception {
    Nodes nodes = new Nodes();
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      nodes.of(1).fullAfter(100_000);
      writeTooMuch(cluster, DiskFullException.class, "node 0");
      cluster.run(1, rank -> rank.names().remove("more"));
      BadInputs.assertContent(cluster, "kept", KEPT);
      nodes.of(1).clear();
      BadInputs.store(cluster, "next", KEPT);
    }
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.assertContent(cluster, "next", KEPT);
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
  }

  @Test
  void overwritingOnAFullDiskLosesNoAcknowledgedByte() throws Exception {
    Nodes nodes = new Nodes();
    byte[] other = BadInputs.content(KEPT.length, 6);
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      nodes.of(1).fullAfter(0);
      cluster.run(
          1,
          rank -> {
            var file = rank.open("kept", OpenOptions.readWrite());
            file.at(100_000).write(segment(other).asSlice(100_000, 50_000));
            assertThat(catchThrowable(file::flush)).isInstanceOf(DiskFullException.class);
            assertThat(catchThrowable(file::close)).isInstanceOf(DiskFullException.class);
          });
      assertThat(catchThrowable(cluster::close)).isInstanceOf(DiskFullException.class);
    }
    nodes.of(1).clear();
    try (RunningCluster cluster = nodes.cluster()) {
      cluster.run(
          1,
          rank -> {
            byte[] found = new byte[KEPT.length];
            try (var file = rank.open("kept", OpenOptions.read())) {
              assertThat(file.at(0).read(Memory.of(found))).isEqualTo(found.length);
            }
            for (int i = 0; i < found.length; i++) {
              boolean changed = i >= 100_000 && i < 150_000;
              if (found[i] != KEPT[i] && (!changed || found[i] != other[i])) {
                throw new AssertionError("byte " + i + " is neither old nor new");
              }
            }
          });
    }
  }

  @Test
  void aFullCoordinatorRefusesNewNamesOnAllRanksAndServesOn() throws Exception {
    Nodes nodes = new Nodes();
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      nodes.of(0).fullAfter(0);
      cluster.run(
          3,
          rank -> {
            assertThat(catchThrowable(() -> rank.open("new", OpenOptions.create())))
                .isInstanceOf(DiskFullException.class);
            rank.barrier();
            BadInputs.assertContent(rank, "kept", KEPT);
            rank.barrier();
            nodes.of(0).clear();
            rank.barrier();
            assertThat(rank.names().list("")).containsExactly("kept");
            rank.barrier();
            rank.open("new", OpenOptions.create().withExclusive()).close();
          });
    }
    try (RunningCluster cluster = nodes.cluster()) {
      cluster.run(1, rank -> assertThat(rank.names().list("")).containsExactly("kept", "new"));
    }
  }

  @Test
  void aCollectiveWriteThatDoesNotFitFailsOnAllRanks() throws Exception {
    Nodes nodes = new Nodes();
    try (RunningCluster cluster = nodes.cluster()) {
      BadInputs.store(cluster, "kept", KEPT);
      nodes.of(1).fullAfter(0);
      cluster.run(
          3,
          rank -> {
            // strands with blocks of the usual size are not made before they have bytes
            OpenOptions other = OpenOptions.create().withBlockSize(4096);
            Throwable opening = catchThrowable(() -> rank.open("more", other));
            assertThat(opening)
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining("node 0");
          });
      cluster.run(1, rank -> assertThat(rank.names().list("")).containsExactly("kept"));
      nodes.of(1).clear();
      cluster.run(
          3,
          rank -> {
            var file = rank.open("more", OpenOptions.create());
            if (rank.number() == 0) {
              nodes.of(1).fullAfter(100_000);
            }
            rank.barrier();
            // more than the caches take
            Throwable thrown =
                catchThrowable(
                    () -> file.at((long) rank.number() * MORE.length).all().write(segment(MORE)));
            assertThat(thrown).isInstanceOf(DiskFullException.class).hasMessageContaining("node 0");
            rank.barrier();
            nodes.of(1).clear();
            rank.barrier();
            assertThat(file.at((long) rank.number() * MORE.length).all().write(segment(MORE)))
                .isEqualTo(MORE.length);
            file.close();
          });
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
  }

  @Test
  void aSmallFileSystemThatFillsUp() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue("root".equals(System.getProperty("user.name")), "only root can mount");
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=4m", "millrace-test", small.toString()),
        "mount is not allowed here");
    try {
      try (RunningCluster cluster = RunningCluster.embedded(small, 2, BadInputs.options())) {
        BadInputs.store(cluster, "kept", KEPT);
        writeTooMuch(cluster, DiskFullException.class, "node-");
        cluster.run(1, rank -> rank.names().remove("more"));
        BadInputs.assertContent(cluster, "kept", KEPT);
        BadInputs.store(cluster, "next", KEPT);
      }
      try (RunningCluster cluster = RunningCluster.embedded(small, 2, BadInputs.options())) {
        BadInputs.assertContent(cluster, "next", KEPT);
        BadInputs.assertContent(cluster, "kept", KEPT);
      }
    } finally {
      assertThat(succeeds("umount", small.toString())).isTrue();
    }
  }

  private static boolean succeeds(String... command) throws Exception {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  @Test
  void anOffsetThatTheFileSystemDoesNotHaveIsAnErrorAndCanBeTakenBack() throws Exception {
    try (RunningCluster cluster = RunningCluster.embedded(directory, 2, BadInputs.options())) {
      BadInputs.store(cluster, "kept", KEPT);
      cluster.run(
          1,
          rank -> {
            var file = rank.open("kept", OpenOptions.readWrite());
            long far = Long.MAX_VALUE - (1 << 20);
            assertThat(file.at(far).read(Memory.of(new byte[8]))).isZero();
            Throwable thrown =
                catchThrowable(
                    () -> {
                      file.at(far).write(Memory.of(new byte[8]));
                      file.flush();
                    });
            assertThat(thrown).isInstanceOf(MillraceException.class);
            file.resize(KEPT.length);
            file.flush();
            file.close();
          });
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
    try (RunningCluster cluster = RunningCluster.embedded(directory, 2, BadInputs.options())) {
      BadInputs.assertContent(cluster, "kept", KEPT);
    }
  }
}
