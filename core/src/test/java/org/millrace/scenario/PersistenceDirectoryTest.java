package org.millrace.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.scenario.BadInputs.BLOCK;
import static org.millrace.scenario.BadInputs.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The directory of a cluster: opened again by any number of ranks; refused, by name, if a part of
 * it is missing, foreign or in use; and not harmed by having been refused.
 */
final class PersistenceDirectoryTest {

  private static final int NODES = 3;
  private static final byte[] CONTENT = BadInputs.content(12 * BLOCK + 1234, 20);

  @TempDir Path directory;

  private Path place(String name) {
    return directory.resolve(name);
  }

  private static RunningCluster open(Path place) throws IOException {
    return RunningCluster.embedded(place, NODES, BadInputs.options());
  }

  private Path stored(String name) throws IOException {
    Path place = place(name);
    try (RunningCluster cluster = open(place)) {
      BadInputs.store(cluster, "file", CONTENT);
    }
    return place;
  }

  private static void assertWhole(Path place) throws IOException {
    try (RunningCluster cluster = open(place)) {
      BadInputs.assertContent(cluster, "file", CONTENT);
      BadInputs.store(cluster, "next", CONTENT);
    }
  }

  @Test
  void anyNumberOfRanksReadsAndGoesOnWithWhatOthersWrote() throws Exception {
    Path place = place("cluster");
    int[] ranks = {4, 1, 3, 7, 2};
    int written = 0;
    for (int p : ranks) {
      int before = written;
      try (RunningCluster cluster = open(place)) {
        cluster.run(
            p,
            rank -> {
              OpenOptions how = OpenOptions.create().withMode(Mode.ORDERED);
              try (var file = rank.open("log", how)) {
                byte[] own = new byte[CONTENT.length];
                MemorySegment part =
                    MemorySegment.ofArray(own).asSlice(0, share(before, p, rank.number()));
                assertThat(file.read(part)).isEqualTo(part.byteSize());
                long from = 0;
                for (int r = 0; r < rank.number(); r++) {
                  from += share(before, p, r);
                }
                MemorySegment expected = BadInputs.segment(CONTENT).asSlice(from, part.byteSize());
                assertThat(part.mismatch(expected)).isEqualTo(-1);
                byte[] more =
                    Arrays.copyOfRange(
                        CONTENT,
                        before + rank.number() * 1111,
                        before + (rank.number() + 1) * 1111);
                assertThat(file.write(Memory.of(more))).isEqualTo(1111);
              }
            });
      }
      written += p * 1111;
    }
    try (RunningCluster cluster = open(place)) {
      BadInputs.assertContent(cluster, "log", Arrays.copyOf(CONTENT, written));
    }
  }

  /** How much of so many bytes a rank reads: unequal shares, all bytes together. */
  private static int share(int bytes, int ranks, int rank) {
    return rank == ranks - 1 ? bytes - bytes / (2 * ranks) * (ranks - 1) : bytes / (2 * ranks);
  }

  @Test
  void oldFilesKeepTheirStrandsWhenTheClusterGrowsAndNeedsAllOfThem() throws Exception {
    Path place = stored("cluster");
    try (RunningCluster cluster = RunningCluster.embedded(place, NODES + 2, BadInputs.options())) {
      assertThat(cluster.nodes()).isEqualTo(NODES + 2);
      BadInputs.assertContent(cluster, "file", CONTENT);
      BadInputs.store(cluster, "wide", CONTENT);
    }
    try (RunningCluster cluster = RunningCluster.embedded(place, 1, BadInputs.options())) {
      assertThat(cluster.nodes()).isEqualTo(NODES + 2);
      BadInputs.assertContent(cluster, "file", CONTENT);
      BadInputs.assertContent(cluster, "wide", CONTENT);
    }
    try (RunningCluster cluster = RunningCluster.open(place, BadInputs.options())) {
      assertThat(cluster.nodes()).isEqualTo(NODES + 2);
    }
  }

  @Test
  void aMissingNodeDirectoryIsNamedAndNotMadeAnew() throws Exception {
    Path place = stored("cluster");
    for (int n = 0; n < NODES; n++) {
      Path node = place.resolve("node-" + n);
      Path away = directory.resolve("away");
      Files.move(node, away);
      assertFails(ErrorCode.NODE, () -> open(place), "node-" + n);
      assertFails(
          ErrorCode.NODE, () -> RunningCluster.open(place, BadInputs.options()), "node-" + n);
      assertThat(node).doesNotExist();
      Files.move(away, node);
    }
    assertWhole(place);
  }

  @Test
  void anEmptyDirectoryInPlaceOfANodesIsRefused() throws Exception {
    Path place = stored("cluster");
    Path node = place.resolve("node-1");
    Files.move(node, place("away"));
    Files.createDirectory(node);
    assertFails(ErrorCode.NODE, () -> open(place), "node-1", "identity");
    try (var files = Files.list(node)) {
      assertThat(files).isEmpty();
    }
    Files.delete(node);
    Files.move(place("away"), node);
    assertWhole(place);
  }

  @Test
  void theNodeOfAnotherClusterIsForeign() throws Exception {
    Path mine = stored("mine");
    Path other = stored("other");
    Files.move(mine.resolve("node-1"), place("away"));
    Files.move(other.resolve("node-1"), mine.resolve("node-1"));
    assertFails(ErrorCode.NODE, () -> open(mine), "node-1", "foreign", "node 1 of cluster");
    Files.move(mine.resolve("node-1"), other.resolve("node-1"));
    Files.move(place("away"), mine.resolve("node-1"));
    assertWhole(mine);
    assertWhole(other);
  }

  @Test
  void anotherNodeOfTheSameClusterIsForeign() throws Exception {
    Path place = stored("cluster");
    Files.move(place.resolve("node-0"), place("away"));
    Files.move(place.resolve("node-1"), place.resolve("node-0"));
    Files.move(place("away"), place.resolve("node-1"));
    assertFails(ErrorCode.NODE, () -> open(place), "node-0", "node 1", "node 0");
    Files.move(place.resolve("node-0"), place("away"));
    Files.move(place.resolve("node-1"), place.resolve("node-0"));
    Files.move(place("away"), place.resolve("node-1"));
    assertWhole(place);
  }

  @Test
  void theCoordinatorOfAnotherClusterIsNoticed() throws Exception {
    Path mine = stored("mine");
    Path other = stored("other");
    Files.move(mine.resolve("coordinator"), place("away"));
    Files.move(other.resolve("coordinator"), mine.resolve("coordinator"));
    assertFails(ErrorCode.NODE, () -> open(mine), "node-0", "foreign");
    Files.move(mine.resolve("coordinator"), other.resolve("coordinator"));
    Files.move(place("away"), mine.resolve("coordinator"));
    assertWhole(mine);
    assertWhole(other);
  }

  @Test
  void aMissingCoordinatorDirectoryIsNamedAndNotMadeAnew() throws Exception {
    Path place = stored("cluster");
    Path coordinator = place.resolve("coordinator");
    Files.move(coordinator, place("away"));
    assertFails(ErrorCode.NODE, () -> open(place), "coordinator", "missing", "node-0");
    assertFails(ErrorCode.NODE, () -> RunningCluster.open(place, BadInputs.options()), "cluster");
    assertThat(coordinator).doesNotExist();
    Files.createDirectory(coordinator);
    assertFails(ErrorCode.NODE, () -> open(place), "coordinator", "identity", "node-0");
    Files.delete(coordinator);
    Files.move(place("away"), coordinator);
    assertWhole(place);
  }

  @Test
  void garbageInPlaceOfAnIdentityIsRefused() throws Exception {
    Path place = stored("cluster");
    for (String part : List.of("coordinator", "node-2")) {
      Path identity = place.resolve(part).resolve("identity");
      byte[] good = Files.readAllBytes(identity);
      List<byte[]> garbage =
          List.of(
              new byte[0],
              new byte[] {0, 1, 2},
              BadInputs.content(100_000, 1),
              "millrace 2\ncluster x\nnode 2\n".getBytes(UTF_8),
              "millrace 1\ncluster x\ncoordinator of many\n".getBytes(UTF_8),
              "millrace 1\ncluster x\ncoordinator of -1\n".getBytes(UTF_8));
      for (byte[] bad : garbage) {
        Files.write(identity, bad);
        assertFails(ErrorCode.NODE, () -> open(place), part);
      }
      Files.write(identity, good);
    }
    assertWhole(place);
  }

  @Test
  void aDirectoryWithoutAClusterIsNotOpenedAsOne() throws Exception {
    assertFails(
        ErrorCode.NODE,
        () -> RunningCluster.open(Files.createDirectory(place("empty")), BadInputs.options()),
        "empty");
    assertThatThrownBy(() -> RunningCluster.open(place("none"), BadInputs.options()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("none");
    assertThat(place("none")).doesNotExist();
    try (var files = Files.list(place("empty"))) {
      assertThat(files.filter(f -> !f.endsWith(".lock"))).isEmpty();
    }
  }

  @Test
  void aDeletedStrandFileIsNamedByWhoNeedsItAndNeverReadAsZeros() throws Exception {
    for (String kind : List.of(".strand", ".sums", ".intents")) {
      Path place = stored("cluster" + kind);
      Path victim;
      try (var files = Files.walk(place)) {
        victim = files.filter(f -> f.toString().endsWith("-1" + kind)).findFirst().orElseThrow();
      }
      Path away = place("away" + kind);
      Files.move(victim, away);
      String name = victim.getFileName().toString();
      try (RunningCluster cluster = open(place)) {
        cluster.run(
            3,
            rank -> {
              SharedFile file = rank.open("file", OpenOptions.readWrite());
              byte[] into = new byte[BLOCK];
              for (int b = 0; b < 12; b++) {
                long at = (long) b * BLOCK;
                if (file.layout().strandOf(at) == 1) {
                  assertFails(
                      ErrorCode.CORRUPT,
                      () -> file.at(at).read(Memory.of(into)),
                      name,
                      "missing",
                      "node");
                  assertFails(
                      ErrorCode.CORRUPT, () -> file.at(at).write(Memory.of(into)), name, "missing");
                } else {
                  assertThat(file.at(at).read(Memory.of(into))).isEqualTo(BLOCK);
                  assertThat(into)
                      .isEqualTo(Arrays.copyOfRange(CONTENT, b * BLOCK, (b + 1) * BLOCK));
                }
              }
              assertFails(ErrorCode.CORRUPT, file::size, name);
              assertFails(ErrorCode.CORRUPT, file::flush, name);
              // in a collective call, on all ranks
              assertFails(
                  ErrorCode.CORRUPT,
                  () -> file.at(0).all().read(BadInputs.segment(CONTENT.clone())),
                  name);
              assertFails(ErrorCode.CORRUPT, () -> file.resize(0), name);
              assertFails(ErrorCode.CORRUPT, file::close, name);
            });
        BadInputs.store(cluster, "next", CONTENT);
        BadInputs.assertContent(cluster, "next", CONTENT);
      }
      Files.move(away, victim);
      assertWhole(place);
    }
  }

  @Test
  void theSecondClusterOnADirectoryIsRefusedAndTheFirstUnharmed() throws Exception {
    Path place = stored("cluster");
    Path link = Files.createSymbolicLink(place("link"), place);
    try (RunningCluster first = open(place)) {
      for (Path same : List.of(place, link, place.resolve("node-0").resolve(".."))) {
        assertFails(ErrorCode.IN_USE, () -> open(same), "in use");
        assertFails(
            ErrorCode.IN_USE, () -> RunningCluster.open(same, BadInputs.options()), "in use");
      }
      BadInputs.assertContent(first, "file", CONTENT);
      BadInputs.store(first, "more", CONTENT);
    }
    assertWhole(place);
  }
}
