package org.millrace.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;

/** Commands for many names at once, in an embedded cluster: patterns, trees, copies. */
final class TreeCommandsTest {

  private static final int NODES = 2;

  @TempDir private Path folder;
  private Path cluster;

  @BeforeEach
  void makeFiles() throws IOException {
    cluster = folder.resolve("cluster");
    Cluster.embedded(cluster, NODES).close();
    Path tree = Files.createDirectories(folder.resolve("d/e"));
    Files.write(folder.resolve("d/a.npy"), new byte[100]);
    Files.write(folder.resolve("d/b.npy"), new byte[3000]);
    Files.write(folder.resolve("d/c.txt"), new byte[5]);
    Files.write(tree.resolve("f.npy"), new byte[7]);
    well("put", "-r", folder.resolve("d"), "d");
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
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).matches("millrace: .*\\R").contains(says);
  }

  @Test
  void patternsOfTheClustersNamesAreExpanded() {
    assertThat(well("ls", "d/*.npy")).isEqualTo("d/a.npy\nd/b.npy\n");
    assertThat(well("stat", "--json", "d/?.txt")).contains("\"d/c.txt\"");
    Path out = folder.resolve("out");
    assertThat(out.toFile().mkdir()).isTrue();
    well("get", "d/*.npy", out);
    assertThat(out).isDirectoryContaining("glob:**a.npy").isDirectoryContaining("glob:**b.npy");
    well("rm", "d/*.npy");
    assertThat(well("ls", "d")).isEqualTo("c.txt\ne/\n");
    fails("nothing in the cluster matches d/*.npy", "rm", "d/*.npy");
    well("rm", "-f", "d/*.npy");
  }

  @Test
  void lsShowsTreesAndSizesForPeople() {
    assertThat(well("ls", "-R", "d")).isEqualTo("d:\na.npy\nb.npy\nc.txt\ne/\n\nd/e:\nf.npy\n");
    assertThat(well("ls", "-lh", "d/b.npy")).contains(" 2.9K ");
    assertThat(well("ls", "-d", "d")).isEqualTo("d/\n");
    assertThat(well("ls", "--json", "-R", "d")).contains("\"d/e/f.npy\"", "\"size\": 7");
    assertThat(CommandLineRun.of("ls", "--help").out()).contains("--human-readable", "--help");
  }

  @Test
  void duAddsUp() {
    assertThat(well("du", "d").lines().map(line -> line.strip().split(" +")).map(Arrays::asList))
        .containsExactly(
            List.of("bytes", "files", "path"), List.of("7", "1", "d/e"), List.of("3112", "4", "d"));
    assertThat(well("du", "-sh", "d")).contains("3.0K").doesNotContain("d/e");
    assertThat(well("du", "-sh", "d", "d/b.npy")).doesNotContain("2.9K"); // each file once
    assertThat(well("du", "-a", "--json", "d")).contains("\"d/a.npy\"", "\"bytes\": 3112");
  }

  @Test
  void findLooksForNameKindSizeAndTime() {
    assertThat(well("find", "-name", "*.npy")).isEqualTo("d/a.npy\nd/b.npy\nd/e/f.npy\n");
    assertThat(well("find", "d", "-type", "d")).isEqualTo("d\nd/e\n");
    assertThat(well("find", "-size", "+1k")).isEqualTo("d/b.npy\n");
    assertThat(well("find", "-size", "-8", "-name", "*.npy")).isEqualTo("d/e/f.npy\n");
    assertThat(well("find", "-size", "100")).isEqualTo("d/a.npy\n");
    assertThat(well("find", "d", "-maxdepth", "1", "-type", "f")).doesNotContain("f.npy");
    assertThat(well("find", "-name", "c*", "-print0")).isEqualTo("d/c.txt\0");
    assertThat(well("find", "d/e", "--json")).contains("\"directory\"", "\"size\": 7");
    well("put", folder.resolve("d/c.txt"), "later");
    assertThat(well("find", "-newer", "d/b.npy", "-type", "f")).contains("later");
    assertThat(run("find", "-type", "x").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run("find", "-size", "big").err()).contains("-size: 'big' is not a number of bytes");
  }

  @Test
  void copiesInsideTheClusterAreEqualAndKeepLayoutAndMode() throws IOException {
    Path large = folder.resolve("large");
    byte[] bytes = new byte[(9 << 20) + 3];
    new Random(5).nextBytes(bytes);
    Files.write(large, bytes);
    well("put", "--stripe-unit", "32k", large, "large");
    well("chmod", "640", "large");
    well("cp", "large", "copy");
    well("get", "copy", folder.resolve("copy"));
    assertThat(Files.mismatch(large, folder.resolve("copy"))).isEqualTo(-1);
    assertThat(well("stat", "copy")).contains("stripe unit 32768", "0640");
    fails("-f replaces it", "cp", "d/a.npy", "copy");
    well("cp", "-f", "d/a.npy", "copy");
    assertThat(well("stat", "--json", "copy")).contains("\"size\": 100");
    assertThat(well("ls")).isEqualTo("copy\nd/\nlarge\n");
  }

  @Test
  void treesAreCopied() {
    fails("-r copies it", "cp", "d", "x");
    well("cp", "-r", "d", "x");
    assertThat(well("find", "x", "-type", "f")).isEqualTo("x/a.npy\nx/b.npy\nx/c.txt\nx/e/f.npy\n");
    well("cp", "d/*.npy", "x/e");
    assertThat(well("ls", "x/e")).isEqualTo("a.npy\nb.npy\nf.npy\n");
    fails("into itself", "cp", "-r", "d", "d/e");
    fails("to itself", "cp", "d/c.txt", "d");
    fails("is not a directory", "cp", "d/a.npy", "d/b.npy", "nowhere");
  }

  @Test
  void holesStayHolesInCopies() throws IOException {
    long size = 1L << 40;
    try (Cluster open = Cluster.embedded(cluster, NODES)) {
      open.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("sparse", OpenOptions.create())) {
              file.at(size / 2).write(MemorySegment.ofArray(new byte[] {1, 2, 3}));
              file.resize(size);
            }
          });
    }
    well("cp", "sparse", "copy");
    try (Cluster open = Cluster.embedded(cluster, NODES)) {
      open.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("copy", OpenOptions.read())) {
              byte[] found = new byte[3];
              MemorySegment into = MemorySegment.ofArray(found);
              assertThat(file.at(size / 2).read(into)).isEqualTo(3);
              assertThat(found).containsExactly(1, 2, 3);
              assertThat(file.size()).isEqualTo(size);
              assertThat(file.nextData(0)).isGreaterThan(size / 4);
            }
          });
    }
  }

  @Test
  void modesOfTreesAreChanged() {
    well("chmod", "-R", "u=rwX,go=", "d");
    assertThat(well("stat", "d/e", "d/e/f.npy")).contains("0700", "0600");
    assertThat(run("chmod", "u+q", "d").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run("chown", ":", "d").exitCode()).isEqualTo(ExitCode.USAGE);
    fails("zzz", "chmod", "600", "zzz");
  }

  @Test
  void everythingIsMadeDurable() {
    assertThat(well("sync")).isEmpty();
    assertThat(well("sync", "d/*.npy")).isEmpty();
    fails("zzz", "sync", "zzz");
  }

  @Test
  void movesTakePatternsAndReplaceOnlyIfAsked() {
    well("mv", "d/*.npy", "d/e");
    assertThat(well("ls", "d/e")).isEqualTo("a.npy\nb.npy\nf.npy\n");
    fails("-f replaces it", "mv", "d/e/a.npy", "d/c.txt");
    well("mv", "-f", "d/e/a.npy", "d/c.txt");
    assertThat(well("stat", "--json", "d/c.txt")).contains("\"size\": 100");
  }

  @Test
  void removingALinkLeavesWhatItLeadsTo() throws IOException {
    try (Cluster open = Cluster.embedded(cluster, NODES);
        FileTree tree = open.files()) {
      tree.makeLink(FilePath.of("link"), "d", NewFile.with(0777));
    }
    well("rm", "-r", "link");
    assertThat(well("ls")).isEqualTo("d/\n");
    assertThat(well("ls", "d")).contains("a.npy");
  }

  @Test
  void updatesCopyOnlyWhatHasChanged() throws IOException {
    String before = well("stat", "--json", "d/a.npy", "d/b.npy");
    Path changed = folder.resolve("d/b.npy");
    Files.write(changed, new byte[3001]);
    well("put", "-r", "-u", folder.resolve("d"), "/");
    String after = well("stat", "--json", "d/a.npy", "d/b.npy");
    String same = "\"id\": " + before.replaceFirst("(?s).*?\"id\": (\\d+).*", "$1") + ",";
    assertThat(after).contains(same, "\"size\": 3001"); // the id of a file that was not replaced
    assertThat(after).isNotEqualTo(before);

    Path out = Files.createDirectory(folder.resolve("out"));
    well("get", "-r", "-u", "d", out);
    FileTime old = FileTime.fromMillis(1000);
    Path stale = out.resolve("d/a.npy");
    Files.write(stale, new byte[] {9});
    Files.setLastModifiedTime(out.resolve("d/c.txt"), old);
    well("get", "-r", "-u", "d", out);
    assertThat(Files.size(stale)).isEqualTo(100);
    assertThat(Files.getLastModifiedTime(out.resolve("d/c.txt"))).isNotEqualTo(old);
  }
}
