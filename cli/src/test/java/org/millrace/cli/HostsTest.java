package org.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.campaign.Hosts;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/**
 * Clusters whose coordinator, nodes and ranks are on several hosts, as docs/hosts.md sets them up.
 * The hosts are network namespaces; where these cannot be made, the tests are skipped.
 */
final class HostsTest {

  private static final Pattern CHECKSUM = Pattern.compile("checksum ([0-9a-f]{8})");
  private static final int PORT = 7000;

  @TempDir private Path folder;

  private Processes processes;
  private @Nullable Hosts hosts;
  private IntFunction<String> called = Hosts::name;
  private String silence = "20"; // seconds; a busy machine may keep a process waiting for long

  @BeforeAll
  static void look() throws IOException, InterruptedException {
    Optional<String> obstacle = Hosts.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> "several hosts are not tested: " + obstacle.orElse(""));
  }

  @BeforeEach
  void prepare() {
    processes = new Processes(folder);
  }

  @AfterEach
  void end() throws IOException {
    processes.close();
    if (hosts != null) {
      hosts.close();
    }
  }

  private Hosts hosts() {
    return requireNonNull(hosts, "no hosts were made");
  }

  /** A command of {@code millrace} on a host. */
  private Processes.Started on(int host, Map<String, String> variables, List<String> args)
      throws IOException {
    return processes.start(variables, hosts().command(host, JavaCommand.of(args)));
  }

  /**
   * Makes hosts, with a coordinator on the first and nodes on the first ones.
   *
   * @param naming how hosts are called in addresses and keys: by name or by number
   */
  private void startCluster(int count, int nodes, IntFunction<String> naming) throws Exception {
    called = naming;
    hosts = Hosts.make(count);
    makeKeys(count);
    daemon(0, "coordinator", "--nodes", "" + nodes, "--address", coordinator());
    for (int node = 0; node < nodes; node++) {
      if (node > 0) {
        Files.createDirectories(directory(node));
        Files.copy(directory(0).resolve("secret"), directory(node).resolve("secret"));
      }
      String at = "tls:%s:0".formatted(called.apply(node));
      daemon(node, "node", "--node", "" + node, "--address", at, "--coordinator", coordinator());
    }
  }

  private void makeKeys(int count) {
    List<String> args = new ArrayList<>(List.of("keys", "--dir", keys().toString(), "init"));
    args.addAll(List.of("--user", System.getProperty("user.name")));
    IntStream.range(0, count).forEach(host -> args.addAll(List.of("--host", called.apply(host))));
    CommandLineRun made = CommandLineRun.of(args.toArray(String[]::new));
    assertThat(made.exitCode()).as(made.err()).isZero();
  }

  private Path keys() {
    return folder.resolve("keys");
  }

  private void daemon(int host, String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--dir", directory(host).toString()));
    all.addAll(howToTalk(host));
    on(host, Map.of(), all).awaitOutput("is ready");
  }

  private Path directory(int host) {
    return folder.resolve("data-" + host);
  }

  private String coordinator() {
    return "tls:%s:%d".formatted(called.apply(0), PORT);
  }

  private List<String> howToTalk(int host) {
    String own = keys().resolve(called.apply(host)).toString();
    return List.of("--silence", silence, "--grace", "2", "--keys", own);
  }

  /** Starts one rank of a program on the host of its number. */
  private Processes.Started rank(int rank, int ranks, Map<String, String> more, String... program)
      throws IOException {
    Map<String, String> variables = new HashMap<>(more);
    variables.put("MILLRACE_RANK", "" + rank);
    variables.put("MILLRACE_RANKS", "" + ranks);
    variables.put("MILLRACE_JOB", "hosts");
    List<String> args = new ArrayList<>(List.of("run", "--connect", coordinator()));
    args.addAll(howToTalk(rank));
    args.addAll(List.of(program));
    return on(rank, variables, args);
  }

  private String[] heat() {
    String picture = folder.resolve("heat.png").toString();
    return new String[] {"heat", "--size", "60", "--steps", "20", "--out", picture};
  }

  private static String checksum(CommandLineRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    Matcher matcher = CHECKSUM.matcher(run.out());
    assertThat(matcher.find()).as(run.out()).isTrue();
    return matcher.group(1);
  }

  /** What rank 0 found; all others have ended well, too. */
  private static String checksum(List<Processes.Started> ranks) throws Exception {
    for (Processes.Started other : ranks.subList(1, ranks.size())) {
      CommandLineRun run = other.await();
      assertThat(run.exitCode()).as(run.err()).isZero();
    }
    return checksum(ranks.getFirst().await());
  }

  private String checksumInOneJvm() {
    List<String> args = new ArrayList<>(List.of("run"));
    args.addAll(List.of(heat()));
    args.addAll(List.of("--dir", folder.resolve("one").toString()));
    return checksum(CommandLineRun.of(args.toArray(String[]::new)));
  }

  @Tag("long")
  @Test
  void ranksOnTwoHostsWithKeysForNumbersFindTheOneChecksum() throws Exception {
    startCluster(2, 2, Hosts::number);
    List<Processes.Started> ranks =
        List.of(rank(0, 2, Map.of(), heat()), rank(1, 2, Map.of(), heat()));
    assertThat(checksum(ranks)).isEqualTo(checksumInOneJvm());
  }

  /** Ranks 0 and 1 take the address by which they reach the coordinator. */
  @Test
  @Tag("long")
  void ranksOnFourHostsWithKeysForNamesFindTheOneChecksumHoweverTheyAreTold() throws Exception {
    startCluster(4, 2, Hosts::name);
    List<String> option = new ArrayList<>(List.of("--listen", "tls:mill-c:0"));
    option.addAll(List.of(heat()));
    List<Processes.Started> ranks =
        List.of(
            rank(0, 4, Map.of(), heat()),
            rank(1, 4, Map.of(), heat()),
            rank(2, 4, listen("tls:localhost:0"), option.toArray(String[]::new)),
            rank(3, 4, listen("tls:mill-d:0"), heat()));
    assertThat(checksum(ranks)).isEqualTo(checksumInOneJvm());
  }

  /** What docs/mount.md says of two mounts holds between hosts, too. */
  @Tag("long")
  @Test
  void mountsOnTwoHostsSeeEachOther() throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse to write to");
    startCluster(2, 2, Hosts::name);
    Path here = mount(0);
    Path there = mount(1);
    Files.writeString(here.resolve("f"), "one");
    assertThat(there.resolve("f")).hasContent("one");
    try (FileChannel writes = FileChannel.open(here.resolve("f"), StandardOpenOption.WRITE);
        FileChannel reads = FileChannel.open(there.resolve("f"))) {
      for (int i = 0; i < 20; i++) {
        String text = "%03d".formatted(i);
        writes.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
        assertThat(read(reads)).as("what another host has just written").isEqualTo(text);
      }
    }
    byte[] large = new byte[5_000_000];
    new Random(17).nextBytes(large);
    Files.write(there.resolve("large"), large);
    assertThat(Files.readAllBytes(here.resolve("large"))).isEqualTo(large);
    try (FileChannel one = FileChannel.open(here.resolve("large"), StandardOpenOption.WRITE);
        FileChannel other = FileChannel.open(there.resolve("large"), StandardOpenOption.WRITE)) {
      try (FileLock lock = one.lock()) {
        assertThat(lock.isValid()).isTrue();
        assertThat(other.tryLock()).as("a lock that another host has").isNull();
      }
      try (FileLock lock = other.tryLock()) {
        assertThat(lock).as("a lock that was given back").isNotNull();
      }
    }
    for (int i = 0; i < 40; i++) {
      Path log = (i % 2 == 0 ? here : there).resolve("log");
      Files.writeString(log, i + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    assertThat(Files.readAllLines(here.resolve("log")))
        .isEqualTo(IntStream.range(0, 40).mapToObj(Integer::toString).toList());
    Files.move(here.resolve("log"), here.resolve("moved"));
    Eventually.holds("another host has the new name", () -> Files.exists(there.resolve("moved")));
  }

  private static String read(FileChannel from) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(100);
    from.read(into, 0);
    return StandardCharsets.UTF_8.decode(into.flip()).toString();
  }

  /** Mounts on a host, which has mounts of its own: they are seen through its process. */
  private Path mount(int host) throws Exception {
    Path at = Files.createDirectory(folder.resolve("mount-" + host));
    String own = keys().resolve(called.apply(host)).toString();
    Processes.Started mount =
        on(
            host,
            Map.of(),
            List.of("mount", "-f", "--connect", coordinator(), "--keys", own, at.toString()));
    mount.awaitOutput("mounted");
    return Path.of("/proc/" + mount.pid() + "/root" + at.toAbsolutePath());
  }

  private static Map<String, String> listen(String address) {
    return Map.of("MILLRACE_LISTEN", address);
  }

  /** The control: rank 1 listens where its own name used to lead, and rank 2's host is cut off. */
  @Test
  @Tag("long")
  void ranksThatCannotBeReachedAreNamedToEveryRank() throws Exception {
    silence = "8"; // the test waits for it
    startCluster(3, 1, Hosts::name);
    Processes.Started zero = rank(0, 2, Map.of(), heat());
    Processes.Started one = rank(1, 2, listen("tls:localhost:0"), heat());
    assertThat(one.await().exitCode()).isEqualTo(1);
    CommandLineRun told = zero.await();
    assertThat(told.exitCode()).isEqualTo(1);
    assertThat(told.err())
        .containsPattern(
            "rank 1 at tls:localhost:[0-9]+ does not answer rank 0 at tls:mill-a:[0-9]+:"
                + " no process answers at tls:localhost:[0-9]+ \\(127.0.0.1\\)")
        .contains("--listen", "MILLRACE_LISTEN");

    List<Processes.Started> ranks = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      ranks.add(rank(rank, 3, Map.of(), Circle.class.getName()));
    }
    for (Processes.Started rank : ranks) {
      rank.awaitOutput("round 3\n");
    }
    hosts().cut(2);
    for (int rank = 0; rank < 3; rank++) {
      CommandLineRun run = ranks.get(rank).await();
      assertThat(run.exitCode()).isEqualTo(1);
      // NODE: the rank that is cut off waited for a message and asked the coordinator in vain
      String codes = rank == 2 ? "RANK_FAILED|UNKNOWN|NODE" : "RANK_FAILED|UNKNOWN";
      assertThat(run.out()).containsPattern("told (%s)\n".formatted(codes));
      assertThat(run.err()).contains("rank 2");
      if (rank == 2) {
        assertThat(run.err()).containsPattern("tls:mill-[ab]:[0-9]+ is lost");
      }
    }
  }

  /** Ranks send to the next and receive from the last one, and meet, until something breaks. */
  static final class Circle implements Program {

    @Override
    public void run(Rank rank) throws IOException {
      int next = (rank.number() + 1) % rank.size();
      int last = (rank.number() + rank.size() - 1) % rank.size();
      try {
        for (int round = 0; true; round++) {
          rank.send(next, 7, new byte[] {(byte) round});
          rank.receive(last, 7);
          rank.barrier();
          System.out.println("round " + round);
        }
      } catch (MillraceException e) {
        System.out.println("told " + e.code());
        throw e;
      }
    }
  }
}
