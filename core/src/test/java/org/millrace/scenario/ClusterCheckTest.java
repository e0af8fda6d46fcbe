package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterCheck;
import org.millrace.cluster.FileProblem;
import org.millrace.cluster.RunningCluster;
import org.millrace.coordinator.StoredLog;
import org.millrace.env.Env;

/** What is read of a cluster that does not run. */
final class ClusterCheckTest {

  private static final int BYTES = 600_000;

  private static final StoredLog.Reader NONE =
      (_, part) -> {
        throw new AssertionError(part + " of one coordinator");
      };

  @TempDir private Path directory;

  private RunningCluster cluster() throws IOException {
    return RunningCluster.embedded(
        directory, 3, ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20));
  }

  private static void write(RunningCluster cluster, String name, int copies, int count)
      throws IOException {
    byte[] bytes = new byte[count];
    new Random(copies).nextBytes(bytes);
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(name, OpenOptions.create().withCopies(copies))) {
            file.at(0).write(Memory.of(bytes));
            file.flush();
          }
        });
  }

  private void begin() throws IOException {
    try (RunningCluster cluster = cluster()) {
      write(cluster, "one", 1, BYTES);
      write(cluster, "two", 2, BYTES);
      write(cluster, "small", 2, 100);
      write(cluster, "tiny", 1, 100);
    }
  }

  private List<FileProblem> check() throws IOException {
    try (ClusterCheck check = ClusterCheck.open(Env.real(), directory, NONE)) {
      List<FileProblem> found = new ArrayList<>();
      long[] strands = new long[1];
      found.addAll(check.run(() -> strands[0]++));
      assertThat(strands[0]).isEqualTo(check.strands()).isEqualTo(12);
      return found;
    }
  }

  private Map<String, List<Byte>> bytes() throws IOException {
    Map<String, List<Byte>> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path one : files.filter(Files::isRegularFile).toList()) {
        if (!one.getFileName().toString().endsWith(".lock")) {
          List<Byte> content = new ArrayList<>();
          for (byte b : Files.readAllBytes(one)) {
            content.add(b);
          }
          all.put(directory.relativize(one).toString(), content);
        }
      }
    }
    return all;
  }

  /** The first block file of a node that belongs to a file with copies, or without. */
  private Path strand(int node, boolean copied) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("node-" + node))) {
      return files
          .filter(one -> one.toString().endsWith(".strand"))
          .filter(one -> one.getFileName().toString().startsWith("000040") == copied)
          .findFirst()
          .orElseThrow();
    }
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  @Test
  void aClusterThatIsWellStaysAsItIs() throws IOException {
    begin();
    Map<String, List<Byte>> before = bytes();
    assertThat(check()).isEmpty();
    assertThat(bytes()).isEqualTo(before);
  }

  @Test
  void whatIsCorruptIsNamedAndNothingIsRepaired() throws IOException {
    begin();
    flip(strand(1, false), 70_000);
    flip(strand(1, true), 70_000);
    Map<String, List<Byte>> before = bytes();
    List<FileProblem> found = check();
    assertThat(found).hasSize(2).noneMatch(FileProblem::repaired);
    assertThat(found).allMatch(one -> one.node() == 1 && one.to() - one.from() == 64 << 10);
    assertThat(found).anyMatch(one -> one.path().equals("one") && one.what().contains("no copy"));
    assertThat(found)
        .anyMatch(one -> one.path().equals("two") && one.what().contains("another copy is good"));
    assertThat(bytes()).isEqualTo(before);
    assertThat(check()).as("again").hasSize(2);
  }

  @Test
  void missingStrandsAndNodesAreNamed() throws IOException {
    begin();
    Files.delete(strand(0, false));
    List<FileProblem> found = check();
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().path()).isEqualTo("one");
    assertThat(found.getFirst().what()).contains("missing");
    Files.move(directory.resolve("node-2"), directory.resolve("away"));
    assertThat(check().stream().map(FileProblem::path)).contains("", "one", "two", "tiny");
  }

  @Test
  void strandsOfNoFileAreNamed() throws IOException {
    begin();
    Path strand = strand(0, false);
    for (String end : List.of(".strand", ".sums", ".intents")) {
      String name = strand.getFileName().toString().replace(".strand", end);
      Files.copy(strand.resolveSibling(name), strand.resolveSibling("0000000000000002-7" + end));
    }
    assertThat(check()).singleElement().matches(one -> one.strand() == 7 && one.node() == 0);
  }

  @Test
  void aClusterThatRunsIsRefused() throws IOException {
    begin();
    try (RunningCluster _ = cluster()) {
      assertThatThrownBy(this::check).hasMessageContaining("millrace scrub");
    }
    assertThat(check()).isEmpty();
  }
}
