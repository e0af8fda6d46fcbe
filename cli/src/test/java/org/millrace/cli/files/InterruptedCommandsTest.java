package org.millrace.cli.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Processes;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.testing.Eventually;

/**
 * Real processes that get SIGINT in the middle, and what they leave. The cluster is in this JVM.
 */
final class InterruptedCommandsTest {

  private static final int FILES = 500;
  private static final byte[] OLD = "old".getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path folder;
  private Path cluster;
  private final List<Server> servers = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  /** Shells ignore SIGINT in what they run in the background, and so do all its children. */
  @BeforeAll
  static void sigintIsNotIgnored() throws IOException {
    String ignored =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElseThrow();
    long signals = Long.parseUnsignedLong(ignored.substring("SigIgn:".length()).strip(), 16);
    assumeTrue((signals & 1L << 1) == 0, "SIGINT is ignored here: run this in the foreground");
  }

  @BeforeEach
  void startCluster() throws IOException {
    cluster = Files.createDirectory(folder.resolve("cluster"));
    ServerOptions how = ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT);
    ClusterLocation where = new ClusterLocation.In(cluster);
    servers.add(Server.coordinator(cluster, 1, how, _ -> {}));
    servers.add(Server.node(cluster, 0, where, how, _ -> {}));
  }

  @AfterEach
  void stopAll() throws IOException {
    processes.forEach(Process::destroyForcibly);
    for (Server one : servers.reversed()) {
      one.close();
    }
  }

  private Process start(String command, String... args) throws IOException {
    List<String> line = new ArrayList<>(List.of(command, "--dir", cluster.toString()));
    line.addAll(List.of(args));
    Process process =
        new ProcessBuilder(Processes.millrace(line.toArray(String[]::new)))
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    processes.add(process);
    return process;
  }

  /** Sends SIGINT; returns what it said when it had ended. */
  private String interrupt(Process process) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    assertThat(process.waitFor()).isEqualTo(ExitCode.INTERRUPTED);
    return Files.readString(folder.resolve("err"));
  }

  private String well(String command, String... args) {
    List<String> line = new ArrayList<>(List.of(command, "--dir", cluster.toString()));
    line.addAll(List.of(args));
    CommandLineRun run = CommandLineRun.of(line.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private void makeFiles() throws IOException {
    try (Cluster open = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
      open.run(
          8,
          rank -> {
            if (rank.number() == 0) {
              rank.names().makeDirectory("many");
            }
            rank.barrier();
            for (int i = rank.number(); i < FILES; i += rank.size()) {
              OpenOptions how = OpenOptions.create().withUnforcedClose();
              try (SharedFile file = rank.alone().open("many/%03d".formatted(i), how)) {
                file.at(0).write(java.lang.foreign.MemorySegment.ofArray(OLD));
              }
            }
          });
    }
  }

  private static long told(String said, String past) {
    Matcher found = Pattern.compile("interrupted: (\\d+) of " + FILES + ".* " + past).matcher(said);
    assertThat(found.find()).as(said).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void aPutThatIsInterruptedLeavesTheOldFile() throws Exception {
    Path old = Files.write(folder.resolve("old"), OLD);
    well("put", old.toString(), "file");
    Process put = start("put", "-f", "-", "file");
    OutputStream in = put.getOutputStream();
    in.write(new byte[16 << 20]); // it has read all but what is in the pipe, and waits for more
    in.flush();
    assertThat(interrupt(put)).isEqualTo("millrace: interrupted: nothing was put\n");
    assertThat(well("ls")).isEqualTo("file\n");
    assertThat(well("stat", "--json", "file")).contains("\"size\": 3");
  }

  @Test
  void aGetThatIsInterruptedHasWholeFilesAndNoParts() throws Exception {
    makeFiles();
    Path out = Files.createDirectory(folder.resolve("got"));
    Process get = start("get", "-r", "many", out.toString());
    Eventually.holds("some files are fetched", () -> count(out.resolve("many")) > 8);
    String said = interrupt(get);
    assertThat(count(out.resolve("many"))).isEqualTo(told(said, "fetched")).isLessThan(FILES);
    try (Stream<Path> all = Files.list(out.resolve("many"))) {
      for (Path one : all.toList()) {
        assertThat(one).hasBinaryContent(OLD);
        assertThat(one.getFileName().toString()).matches("\\d+");
      }
    }
  }

  @Test
  void aCopyThatIsInterruptedHasWholeFilesAndNoOthers() throws Exception {
    makeFiles();
    Process cp = start("cp", "-r", "many", "copy");
    Eventually.holds("some files are copied", () -> lines("find", "copy", "-name", "[0-9]*") > 8);
    String said = interrupt(cp);
    assertThat(lines("find", "copy", "-type", "f"))
        .isEqualTo(told(said, "copied"))
        .isEqualTo(lines("find", "copy", "-name", "[0-9]*", "-size", "3"));
  }

  @Test
  void aRemovalThatIsInterruptedSaysHowMuchIsGone() throws Exception {
    makeFiles();
    Process rm = start("rm", "-r", "many");
    Eventually.holds("some files are removed", () -> lines("ls", "many") < FILES - 8);
    Matcher found =
        Pattern.compile("interrupted: (\\d+) of (\\d+) removed; the rest is as it was")
            .matcher(interrupt(rm));
    assertThat(found.find()).isTrue();
    assertThat(found.group(2)).isEqualTo(Integer.toString(FILES + 1)); // and the directory
    assertThat(lines("ls", "many")).isEqualTo(FILES - Long.parseLong(found.group(1)));
  }

  private long lines(String command, String... args) {
    List<String> line = new ArrayList<>(List.of(command, "--dir", cluster.toString()));
    line.addAll(List.of(args));
    return CommandLineRun.of(line.toArray(String[]::new)).out().lines().count();
  }

  private static long count(Path folder) {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(one -> !one.toString().endsWith(".part")).count();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
