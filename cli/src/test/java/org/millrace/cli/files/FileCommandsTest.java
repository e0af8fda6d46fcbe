package org.millrace.cli.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;

/** Files of an embedded cluster from the shell. */
final class FileCommandsTest {

  private static final int NODES = 3;

  @TempDir private Path folder;
  private Path cluster;

  @BeforeEach
  void makeCluster() throws IOException {
    cluster = folder.resolve("cluster");
    Cluster.embedded(cluster, NODES).close();
  }

  private CommandLineRun run(String command, Object... args) {
    List<String> line = new ArrayList<>(List.of(command, "--dir", cluster.toString()));
    Arrays.stream(args).map(Object::toString).forEach(line::add);
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private String well(String command, Object... args) {
    CommandLineRun run = run(command, args);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).isEmpty();
    return run.out();
  }

  private void fails(String says, String command, Object... args) {
    CommandLineRun run = run(command, args);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).matches("millrace: .*\\R").contains(says);
  }

  private Path file(String name, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return Files.write(folder.resolve(name), content);
  }

  @Test
  void whatIsPutIsGotten() throws IOException {
    Path large = file("large", (17 << 20) + 5); // more than two pieces
    well("put", large, "large");
    Path back = folder.resolve("back");
    well("get", "large", back);
    assertThat(Files.mismatch(large, back)).isEqualTo(-1);
    assertThat(folder.resolve("back.part")).doesNotExist();
    assertThat(well("ls")).isEqualTo("large\n");
  }

  /** A file of 1 TiB with a few bytes at its begin, in the middle and near its end. */
  @Test
  void holesStayHoles() throws IOException {
    long size = 1L << 40;
    long[] places = {3, (size >> 1) - 7, size - (5 << 20)};
    byte[] some = "some bytes in a hole".getBytes(StandardCharsets.US_ASCII);
    try (Cluster open = Cluster.embedded(cluster, NODES)) {
      open.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("sparse", OpenOptions.create())) {
              for (long place : places) {
                file.at(place).write(MemorySegment.ofArray(some));
              }
              file.resize(size);
            }
          });
    }
    Path back = folder.resolve("back");
    well("get", "sparse", back);
    assertThat(Files.size(back)).isEqualTo(size);
    assertThat(occupied(back)).isBetween(1L, 1L << 20);
    try (FileChannel in = FileChannel.open(back)) {
      for (long place : places) {
        ByteBuffer found = ByteBuffer.allocate(some.length + 2);
        in.read(found, place - 1);
        assertThat(found.array()).startsWith((byte) 0).endsWith((byte) 0).contains(some);
      }
    }
  }

  @Test
  void whatIsPutWithHolesHasHoles() throws IOException {
    Path sparse = folder.resolve("sparse");
    try (FileChannel out =
        FileChannel.open(sparse, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      out.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 20 << 20);
      out.write(ByteBuffer.wrap(new byte[] {0}), (64 << 20) - 1);
    }
    well("put", sparse, "sparse");
    long inCluster = 0;
    try (Stream<Path> files = Files.walk(cluster)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        inCluster += occupied(file);
      }
    }
    assertThat(inCluster).isLessThan(8L << 20);
    Path back = folder.resolve("back");
    well("get", "sparse", back);
    assertThat(Files.mismatch(sparse, back)).isEqualTo(-1);
    assertThat(occupied(back)).isLessThan(1L << 20);
    // the control: without its holes the same file takes all of its size
    Files.write(folder.resolve("full"), Files.readAllBytes(sparse));
    assertThat(occupied(folder.resolve("full"))).isGreaterThanOrEqualTo(64L << 20);
  }

  /** How many bytes of the disk a file takes: st_blocks, which the JDK does not tell. */
  private static long occupied(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    return 512 * Long.parseLong(blocks.strip());
  }

  @Test
  void emptyFilesAndModesAreKept() throws IOException {
    Path empty = file("empty", 0);
    Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rw-r-----"));
    well("put", "--no-verify", empty, "/empty");
    assertThat(well("ls", "-l")).startsWith("-rw-r-----");
    Path back = folder.resolve("back");
    well("get", "--no-verify", "empty", back);
    assertThat(back).isEmptyFile();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void existingFilesAreReplacedOnlyIfAsked() throws IOException {
    Path one = file("one", 100);
    Path two = file("two", 200);
    well("put", one, "x");
    fails("x exists; -f replaces it", "put", two, "x");
    well("put", "-f", two, "x");
    assertThat(well("ls")).isEqualTo("x\n");
    fails("exists; -f replaces it", "get", "x", one);
    well("get", "-f", "x", one);
    assertThat(Files.mismatch(one, two)).isEqualTo(-1);
  }

  @Test
  void foldersGoThereAndBack() throws IOException {
    Path tree = folder.resolve("tree");
    Files.createDirectories(tree.resolve("sub/deep"));
    Files.writeString(tree.resolve("a"), "first");
    Files.writeString(tree.resolve("sub/deep/b"), "second");
    fails("-r puts it", "put", tree, "t");
    well("put", "-r", tree, "t");
    assertThat(well("ls", "t")).isEqualTo("a\nsub/\n");
    fails("-r gets it", "get", "t", folder.resolve("copy"));
    well("get", "-r", "t", folder.resolve("copy"));
    assertThat(folder.resolve("copy/sub/deep/b")).hasContent("second");
    well("mkdir", "u");
    well("put", "-r", tree, "u");
    assertThat(well("ls", "u/tree/sub")).isEqualTo("deep/\n");
  }

  /** Some go through memory at once, some in pieces; some are holes. */
  @Test
  void manyFilesOfAllSizesGoThereAndBack() throws IOException {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    int[] sizes = {0, 1, 100, 4 << 10, 64 << 10, (64 << 10) + 1, 1 << 20, (1 << 20) + 1, 5 << 20};
    for (int i = 0; i < 10 * sizes.length; i++) {
      Path one = file("tree/f" + i, sizes[i % sizes.length]);
      if (i % 4 == 0) {
        Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rw-r-----"));
      }
    }
    Files.write(tree.resolve("zeros"), new byte[200_000]);
    well("put", "-r", tree, "t");
    Path back = folder.resolve("back");
    well("get", "-r", "t", back);
    try (Stream<Path> all = Files.list(tree)) {
      for (Path one : all.toList()) {
        Path other = back.resolve(one.getFileName());
        assertThat(Files.mismatch(one, other)).as(one.toString()).isEqualTo(-1);
        assertThat(Files.getPosixFilePermissions(other))
            .isEqualTo(Files.getPosixFilePermissions(one));
      }
    }
    assertThat(occupied(back.resolve("zeros"))).isLessThan(100_000);
    try (Stream<Path> all = Files.list(back)) {
      assertThat(all).hasSize(10 * sizes.length + 1);
    }
    assertThat(well("ls", "t").lines()).hasSize(10 * sizes.length + 1).doesNotContain(".put-");
  }

  @Test
  void filesOfAFolderAreReplacedOnlyIfAskedAndNeverHalf() throws IOException {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    for (int i = 0; i < 50; i++) {
      Files.writeString(tree.resolve("f" + i), "old " + i);
    }
    well("put", "-r", tree, "/");
    for (int i = 0; i < 50; i++) {
      Files.writeString(tree.resolve("f" + i), "the new file " + i);
    }
    fails("exists; -f replaces it", "put", "-r", tree, "/");
    fails("exists; -f replaces it", "put", tree.resolve("f1"), tree.resolve("f2"), "tree");
    Path back = Files.createDirectory(folder.resolve("back"));
    well("get", "-r", "tree", back);
    assertThat(back.resolve("tree/f7")).hasContent("old 7");
    well("put", "-rf", tree, "/");
    fails("exists; -f replaces it", "get", "-r", "tree", back);
    assertThat(back.resolve("tree/f7")).hasContent("old 7");
    well("get", "-rf", "tree", back);
    for (int i = 0; i < 50; i++) {
      assertThat(back.resolve("tree/f" + i)).hasContent("the new file " + i);
    }
    assertThat(well("ls", "tree").lines()).hasSize(50);
    try (Stream<Path> all = Files.list(back.resolve("tree"))) {
      assertThat(all).hasSize(50);
    }
  }

  @Test
  void severalFilesNeedADirectory() throws IOException {
    Path a = file("a", 1);
    Path b = file("b", 2);
    fails("millrace mkdir", "put", a, b, "d");
    fails("there is no directory \"e\"; make it with millrace mkdir", "put", a, "e/a");
    well("mkdir", "d");
    well("put", a, b, "d");
    assertThat(well("ls", "d")).isEqualTo("a\nb\n");
    Path out = Files.createDirectory(folder.resolve("out"));
    well("get", "d/a", "d/b", out);
    assertThat(out.resolve("b")).hasSize(2);
  }

  @Test
  void standardInputAndOutputAreDashes() throws IOException {
    InputStream in = System.in;
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setIn(new ByteArrayInputStream("through a pipe".getBytes(UTF_8)));
      well("put", "-", "piped");
      assertThat(well("ls", "-l")).startsWith("-rw-------");
      System.setOut(new PrintStream(printed, true, UTF_8));
      well("get", "piped", "-");
      well("cat", "piped", "/piped");
    } finally {
      System.setIn(in);
      System.setOut(out);
    }
    assertThat(printed.toString(UTF_8)).isEqualTo("through a pipe".repeat(3));
  }

  @Test
  void whatFailsLeavesNothingBehind() throws IOException {
    Path a = file("a", 10);
    fails("no such file", "put", folder.resolve("missing"), "x");
    fails("\"no\"", "put", a, "no/such/directory");
    assertThat(well("ls")).isEmpty();
    fails("\"missing\"", "get", "missing", folder.resolve("y"));
    well("put", a, "a");
    fails("", "get", "a", folder.resolve("no/folder"));
    well("mkdir", "-p", "d/a");
    fails("d/a is a directory", "put", "-f", a, "d");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactlyInAnyOrder(a, cluster);
    }
  }

  @Test
  void somebodyElsesPartIsLeftAlone() throws IOException {
    Path a = file("a", 10);
    well("put", a, "a");
    Path part = Files.writeString(folder.resolve("x.part"), "theirs");
    fails("remove it", "get", "a", folder.resolve("x"));
    assertThat(part).hasContent("theirs");
  }

  @Test
  void namesAreMovedAndRemoved() throws IOException {
    Path a = file("a", 10);
    well("put", a, "a");
    well("mkdir", "-p", "d/e/f", "d/e");
    fails("exists", "mkdir", "d");
    well("mv", "a", "b");
    well("mv", "b", "d/e");
    assertThat(well("ls", "d/e")).isEqualTo("b\nf/\n");
    well("put", a, "a");
    fails("-f replaces", "mv", "a", "d/e/b");
    fails("not a directory", "mv", "a", "d/e/b", "missing");
    fails("-r removes", "rm", "d");
    fails("\"zzz\"", "rm", "zzz");
    well("rm", "-f", "zzz");
    well("rm", "-r", "d", "a");
    assertThat(well("ls")).isEmpty();
    assertThat(run("rm", "-r", "/").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void statTellsWhatEachNodeHolds() throws IOException {
    well(
        "put", "--stripe-unit", "1k", "--strands", "2", "--block-size", "8k", file("a", 2500), "a");
    assertThat(well("stat", "a"))
        .contains(
            "size    2500", "2 strands, stripe unit 1024 bytes, blocks of 8192 bytes", "owner")
        .containsPattern("\\R +0 +\\d +1476\\R +1 +\\d +1024\\R");
    assertThat(well("ls", "-l", "a")).containsPattern(" 2500 .* 2 x 1.0K +a\\R");
    String json = well("stat", "--json", "a");
    assertThat(json)
        .contains(
            "\"size\": 2500",
            "\"bytes\": 1476",
            "\"stripeUnitBytes\": 1024",
            "\"blockBytes\": 8192");
    assertThat(well("ls", "--json")).isEqualTo(json);
    assertThat(well("stat", "/")).contains("kind    directory");
  }

  @Test
  void aBlockSizeThatNoFileMayHaveIsWrongUsageAndMakesNothing() throws IOException {
    for (String bad : List.of("0", "100", "2k", "12k", "8m", "5g")) {
      var run = run("put", "--block-size", bad, file("a", 10), "a");
      assertThat(run.exitCode()).as(bad).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains("a power of two from 4096 to 4194304");
    }
    assertThat(well("ls")).isEmpty();
  }

  @Test
  void dfKnowsEachNode() throws IOException {
    well("put", file("a", 1 << 20), "a");
    assertThat(well("df").lines()).hasSize(1 + NODES);
    assertThat(well("df", "--json")).contains("\"diskFree\": ", "\"node\": 2");
  }

  @Test
  void missingClustersAndTwoOfThemAreToldApart() {
    cluster = folder.resolve("nowhere");
    fails("there is no cluster in", "ls");
    assertThat(folder.resolve("nowhere")).doesNotExist();
    CommandLineRun two = run("ls", "--connect", "unix:/x");
    assertThat(two.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(two.err()).contains("give one of them");
  }
}
