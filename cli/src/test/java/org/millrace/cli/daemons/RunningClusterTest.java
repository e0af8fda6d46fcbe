package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;

/** The commands against servers that listen, though in this JVM. */
final class RunningClusterTest {

  @TempDir private Path folder;
  private Path cluster;
  private final List<Server> servers = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    cluster = folder.resolve("c");
    servers.add(Server.coordinator(cluster, 2, ServerOptions.DEFAULT, line -> {}));
    for (int i = 0; i < 2; i++) {
      var where = new ClusterLocation.In(cluster);
      servers.addFirst(Server.node(cluster, i, where, ServerOptions.DEFAULT, line -> {}));
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (Server server : servers) {
      server.close();
    }
  }

  private CommandLineRun run(String command, String... args) {
    List<String> line = new ArrayList<>(List.of(command, "--dir", cluster.toString()));
    line.addAll(List.of(args));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private String well(String command, String... args) {
    CommandLineRun run = run(command, args);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  @Test
  void scrubsReadEverythingAndSayWhatIsLeft() throws IOException {
    byte[] content = new byte[1 << 20];
    new Random(2).nextBytes(content);
    Path file = Files.write(folder.resolve("file"), content);
    well("put", file.toString(), "x");
    assertThat(well("scrub", "--rate", "1g")).contains("on 2 nodes", "nothing bad is left");
    assertThat(well("scrub", "--json")).contains("\"well\": true", "\"problems\": []");
    assertThat(well("status")).contains("last scrub");
    Path strand;
    try (var files = Files.list(cluster.resolve("node-1"))) {
      strand = files.filter(one -> one.toString().endsWith(".strand")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(strand);
    bytes[100_000] ^= 1;
    Files.write(strand, bytes);
    CommandLineRun run = run("scrub");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("problem: x, bytes ", "on node 1", "no other copy", "1 left");
    CommandLineRun status = run("status");
    assertThat(status.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(status.out()).contains("node 1: its last scrub found 1 bad place");
  }

  @Test
  void aRunningClusterIsNotChecked() {
    CommandLineRun run = run("check");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("millrace scrub");
  }

  @Test
  void nodesAreListedAndNotRemovedWhileTheyHoldSomething() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[300_000]);
    well("put", file.toString(), "x");
    assertThat(well("nodes").lines()).hasSize(3).anyMatch(line -> line.contains("used"));
    assertThat(well("nodes", "--json")).contains("\"use\": \"used\"");
    assertThat(run("nodes", "remove", "1").err()).contains("drain it first");
    assertThat(run("nodes", "replace", "1").err()).contains("node 1 is up");
    assertThat(run("nodes", "remove", "7").err()).contains("node 7 is not in 0..1");
    assertThat(run("nodes", "paint", "1").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void filesGoThroughTheServers() throws IOException {
    byte[] content = new byte[(9 << 20) + 1];
    new Random(1).nextBytes(content);
    Path file = Files.write(folder.resolve("file"), content);
    well("put", file.toString(), "x");
    well("put", "-f", file.toString(), "x");
    Path back = folder.resolve("back");
    well("get", "x", back.toString());
    assertThat(Files.mismatch(file, back)).isEqualTo(-1);
    assertThat(well("ls", "-l")).contains(Integer.toString(content.length));
    assertThat(well("df").lines()).hasSize(3);
    well("mkdir", "d");
    well("mv", "x", "d");
    well("rm", "-r", "d");
    assertThat(well("ls")).isEmpty();
    assertThat(well("top", "--once", "--every", "0.01"))
        .contains("2 nodes", "machine", "localhost", "session");
    assertThat(well("status")).contains("all is well");
    assertThat(well("status", "--json")).contains("\"well\": true", "\"upNanos\"");
  }

  /** A count of all nodes since they started. */
  private long counter(String name) throws IOException {
    try (Cluster there = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
      long sum = 0;
      for (Map<String, Long> node : there.report()) {
        sum += node.getOrDefault(name, 0L); // kinds of requests that never came are left out
      }
      return sum;
    }
  }

  @Test
  void largeFilesGoStraightBetweenLocalFilesAndTheNodesMemory() throws IOException {
    byte[] content = new byte[24 << 20];
    new Random(1).nextBytes(content);
    Path file = Files.write(folder.resolve("file"), content);
    well("put", file.toString(), "x");
    Path back = folder.resolve("back");
    well("get", "x", back.toString());
    assertThat(Files.mismatch(file, back)).isEqualTo(-1);
    // a long range and a short one are pinned once at each of two nodes, in both directions
    assertThat(counter("pin.count")).isEqualTo(2 * 2 * 2);
    assertThat(counter("list.count")).as("requests for checksums").isEqualTo(2);
    assertThat(counter("put.count") + counter("get.count") + counter("bytesRead")).isZero();
  }

  @Test
  void zerosStayHolesAndWhatIsBetweenThemIsKept() throws IOException {
    byte[] content = new byte[40 << 20];
    new Random(1).nextBytes(content);
    Arrays.fill(content, 9 << 20, 15 << 20, (byte) 0); // within the second range
    Arrays.fill(content, 30 << 20, 40 << 20, (byte) 0);
    Path file = Files.write(folder.resolve("file"), content);
    well("put", file.toString(), "x");
    long stored = 24L << 20;
    assertThat(counter("bytesWritten")).isBetween(stored, stored + (2 << 20));
    Path back = folder.resolve("back");
    well("get", "x", back.toString());
    assertThat(Files.mismatch(file, back)).isEqualTo(-1);
  }

  @Test
  void manyFilesGoThereAndBackAndOneThatFailsLeavesTheOthersWhole() throws IOException {
    Path tree = folder.resolve("tree");
    for (int i = 0; i < 30; i++) {
      Path sub = Files.createDirectories(tree.resolve("d" + i % 3));
      Files.writeString(sub.resolve("f" + i), "file " + i);
    }
    well("put", "-r", tree.toString(), "t");
    well("get", "-r", "t", folder.resolve("back").toString());
    for (int i = 0; i < 30; i++) {
      assertThat(folder.resolve("back/d" + i % 3 + "/f" + i)).hasContent("file " + i);
    }
    well("rm", "t/d0/f0");
    String[] subs = {"d0", "d1", "d2"};
    List<String> args = new ArrayList<>(List.of("-r"));
    Arrays.stream(subs).map(sub -> tree.resolve(sub).toString()).forEach(args::add);
    args.add("t");
    CommandLineRun again = run("put", args.toArray(String[]::new)); // all but one exist
    assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(again.err()).contains("exists; -f replaces it");
    for (String sub : subs) {
      assertThat(well("ls", "t/" + sub)).as("nothing half done").doesNotContain(".put-");
    }
  }

  @Test
  void twoSourcesOfOneNameAreRefusedBeforeAnythingIsCopied() throws IOException {
    Path one = Files.write(Files.createDirectory(folder.resolve("a")).resolve("x"), new byte[1]);
    Path two = Files.write(Files.createDirectory(folder.resolve("b")).resolve("x"), new byte[2]);
    well("mkdir", "d");
    CommandLineRun put = run("put", "-f", one.toString(), two.toString(), "d");
    assertThat(put.err()).contains("would both become d/x");
    assertThat(well("ls", "d")).isEmpty();
  }

  @Test
  void aFileInUseIsNotReplacedAndNothingIsLeft() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[100]);
    well("put", file.toString(), "x");
    try (Cluster there = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
      there.run(
          1,
          rank -> {
            try (SharedFile open = rank.open("x", OpenOptions.read())) {
              CommandLineRun refused = run("put", "-f", file.toString(), "x");
              assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
              assertThat(refused.err()).contains("\"x\" is open in group");
              assertThat(open.size()).isEqualTo(100);
            }
          });
    }
    assertThat(well("ls")).isEqualTo("x\n");
  }

  @Test
  void stopNeverSaysThatNothingRunsWhileSomethingDoes() {
    CommandLineRun stop = run("stop");
    assertThat(stop.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(stop.err()).contains("no pid file names", "coordinator (pid ", "node-1 (pid ");
  }

  @Test
  void nodesThatEndAreTrouble() throws IOException {
    servers.removeFirst().close();
    CommandLineRun status = run("status");
    assertThat(status.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(status.out()).contains("problem: node 1 is ");
    assertThat(run("df").exitCode()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void whoWaitsIsShownAndResetEndsIt() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    CompletableFuture<Exception> failure = new CompletableFuture<>();
    Thread program =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Cluster there =
                      Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
                    there.run(
                        2,
                        rank -> {
                          SharedFile file = rank.open("shared", OpenOptions.create());
                          if (rank.number() == 1) {
                            late.await();
                            return;
                          }
                          try {
                            file.setAtomic(true); // waits for the other rank
                          } catch (IOException e) {
                            failure.complete(e);
                          }
                        });
                  } catch (IOException e) {
                    failure.complete(e);
                  }
                });
    try {
      CommandLineRun status = run("status", "--max-wait", "0");
      while (!status.out().contains(" in setAtomic")) { // on its way there it waits, too
        status = run("status", "--max-wait", "0");
      }
      assertThat(status.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(status.out()).contains("shared", "/1", "problem: rank 0 of group ");
      assertThat(well("status", "--json")).contains("\"waitsFor\": [", "\"path\": \"shared\"");
      assertThat(run("reset", "nothing").exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(well("reset", "shared")).isEqualTo("1 open file reset\n");
      assertThat(failure.get()).hasMessageContaining("reset");
    } finally {
      late.countDown();
      program.join();
    }
    assertThat(well("reset")).isEqualTo("0 open files reset\n");
  }

  @Test
  void addressesAreEnoughAndWrongOnesAreToldSoon() throws IOException {
    String address =
        Files.readAllLines(cluster.resolve("run").resolve("coordinator.address")).getFirst();
    CommandLineRun there = CommandLineRun.of("status", "--connect", address);
    assertThat(there.exitCode()).as(there.err()).isZero();
    CommandLineRun nowhere =
        CommandLineRun.of("status", "--connect", "unix:" + folder.resolve("nobody"));
    assertThat(nowhere.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(nowhere.err()).matches("millrace: .*nobody.*\\R");
  }

  @Test
  void directoriesOfServersThatWereKilledAreOpened() throws Exception {
    well("mkdir", "d");
    Path address = cluster.resolve("run").resolve("coordinator.address");
    String left = Files.readString(address).replaceAll("pid \\d+", "pid " + deadProcess());
    stop();
    servers.clear();
    Files.writeString(address, left); // as a kill would leave it
    assertThat(well("ls")).isEqualTo("d/\n");
    assertThat(run("status").exitCode()).isEqualTo(ExitCode.UNREACHABLE);
  }

  private static long deadProcess() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    return process.pid();
  }

  @Test
  void aNodeThatIsAwayCostsItsOwnBytes() throws IOException {
    byte[] content = new byte[1 << 20];
    new Random(3).nextBytes(content);
    Path file = Files.write(folder.resolve("file"), content);
    well("put", file.toString(), "x");
    servers.removeFirst().close(); // node 1
    Path out = folder.resolve("out");
    CommandLineRun plain = run("get", "x", out.toString());
    assertThat(plain.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(plain.err())
        .contains("x: bytes ", "of the file are missing", "node 1")
        .contains("millrace nodes replace 1", "get --skip-bad gets the rest");
    assertThat(out).doesNotExist();
    CommandLineRun rest = run("get", "--skip-bad", "x", out.toString());
    assertThat(rest.exitCode()).as(rest.err()).isEqualTo(ExitCode.FAILED);
    assertThat(rest.out()).contains("missing: x: bytes ", "why: x: ", "missing in all: ");
    byte[] got = Files.readAllBytes(out);
    int same = 0;
    for (int i = 0; i < got.length; i++) {
      assertThat(got[i] == content[i] || got[i] == 0).isTrue();
      same += got[i] == content[i] ? 1 : 0;
    }
    assertThat(same).as("bytes of node 0").isGreaterThan(500_000);
    assertThat(well("ls", "-l")).contains("?");
  }

  @Test
  void filesThatStayOnADrainedNodeAreNamed() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[300_000]);
    well("put", file.toString(), "x");
    try (Cluster user = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
      user.run(
          1,
          rank -> {
            try (SharedFile _ = rank.open("x", OpenOptions.read())) {
              CommandLineRun drain = run("nodes", "drain", "1");
              assertThat(drain.exitCode()).isEqualTo(ExitCode.FAILED);
              assertThat(drain.out()).contains("open: x, by group ", "1 ranks");
            }
          });
    }
    assertThat(well("nodes", "drain", "1")).contains("holds nothing any more");
  }
}
