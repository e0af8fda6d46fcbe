package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.NodeAdministration;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.message.TransportOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace campaign lost}. Used by one thread; others do the work that is disturbed. */
@Command(
    name = "lost",
    description = {
      "Lose nodes for good, under load: kill a node's process and delete its directory, while ranks"
          + " write, flush and read files with two copies; then put an empty node in its place.",
      "Nothing that was flushed may be lost, no rank may fail that had flushed, and all copies must"
          + " be there again within --most seconds. Of files without copies exactly those are"
          + " damaged that had something on the node, and ls -l says so."
    })
final class LostCommand implements Callable<Integer> {

  private static final int NODES = 4;
  private static final int RANKS = 3;
  private static final long SECOND = 1_000_000_000L;
  private static final long PAUSE_NANOS = SECOND / 20;
  private static final int CHUNK = 1 << 20;
  private static final int FLUSHES_AFTER = 5;
  private static final long WAIT_SECONDS = 120;

  @Mixin private CampaignOptions options;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How many nodes are lost, one after the other (default: ${DEFAULT-VALUE}).")
  private int rounds = 4;

  @Option(
      names = "--megabytes",
      paramLabel = "N",
      description = "Size of the large file, which has two copies (default: ${DEFAULT-VALUE}).")
  private int megabytes = 1024;

  @Option(
      names = "--most",
      paramLabel = "S",
      description =
          "Seconds until all copies are there again, once an empty node is in place (default:"
              + " ${DEFAULT-VALUE}).")
  private int most = 60;

  private final List<String> findings = new ArrayList<>();
  private long longestRebuildNanos;
  private long missed;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--rounds", rounds);
    options.require("--megabytes", megabytes);
    options.require("--most", most);
    long seed = options.seed();
    SplittableRandom random = new SplittableRandom(seed);
    Path place = options.workFolder();
    var cluster = new ClusterProcesses(place.resolve("cluster"), NODES, List.of(), Map.of());
    var load = new FlushingRanks(options.env, RANKS, seed, (long) megabytes << 20);
    try (ProgressBar bar = options.bar(rounds)) {
      cluster.up();
      Shell.run(millrace("copies", "/", "2", cluster), Map.of());
      try (RunningCluster asking = connect(cluster);
          RunningCluster working = connect(cluster)) {
        asking.run(1, this::fill);
        Thread ranks = options.env.start(ThreadKind.HELPER, "ranks", () -> load.run(working));
        for (int round = 0; round < rounds && findings.isEmpty(); round++) {
          tryLose(cluster, asking, load, random.nextInt(NODES), round);
          bar.advance(1);
        }
        load.end();
        ranks.join();
        findings.addAll(load.findings());
        if (findings.isEmpty()) {
          asking.run(1, load::checkAll);
        }
      }
      cluster.stop();
    } finally {
      ClusterProcesses.kill(cluster.all());
      PoweredCluster.remove(place);
    }
    return report(load);
  }

  private static List<String> millrace(
      String command, String what, String more, ClusterProcesses cluster) {
    return JavaCommand.of(List.of(command, what, more, "--dir", cluster.directory().toString()));
  }

  private static RunningCluster connect(ClusterProcesses cluster) throws IOException {
    ClusterOptions patient =
        ClusterOptions.DEFAULT.withLimits(
            new Limits(60 * SECOND, 60 * SECOND, Limits.DEFAULT.operations(), 1 << 20));
    return RunningCluster.connect(
        new ClusterLocation.In(cluster.directory()), patient, TransportOptions.DEFAULT);
  }

  /** Makes the large file. */
  private void fill(Rank rank) throws IOException {
    try (Arena arena = Arena.ofConfined();
        SharedFile file = rank.open(FlushingRanks.LARGE, OpenOptions.create())) {
      MemorySegment memory = arena.allocate(CHUNK);
      for (long at = 0; at < (long) megabytes << 20; at += CHUNK) {
        for (int i = 0; i < CHUNK; i += Sector.BYTES) {
          Sector.stamp(memory, i, FlushingRanks.LARGE_NUMBER, (at + i) / Sector.BYTES, 1);
        }
        file.at(at).write(memory);
      }
      file.flush();
    }
  }

  private void tryLose(
      ClusterProcesses cluster, RunningCluster asking, FlushingRanks load, int node, int round)
      throws InterruptedException {
    try {
      lose(cluster, asking, load, node, round);
    } catch (IOException | RuntimeException e) {
      findings.add("round %s, node %s: %s".formatted(round, node, e));
    }
  }

  /** One node is lost, and replaced. */
  private void lose(
      ClusterProcesses cluster, RunningCluster asking, FlushingRanks load, int node, int round)
      throws IOException, InterruptedException {
    int other = (node + 1) % NODES;
    asking.run(
        1,
        rank -> {
          make(rank, "single-" + round, OpenOptions.create().withCopies(1));
          make(rank, "elsewhere-" + round, alone(other));
        });
    await("ranks do not work before round " + round, load, load.fewestFlushes());
    ClusterProcesses.kill(cluster.node(node));
    PoweredCluster.remove(cluster.directory().resolve("node-" + node));
    await("ranks do not go on after node " + node + " is lost", load, load.fewestFlushes());
    asking.run(1, rank -> read(rank, "elsewhere-" + round));
    checkMissing(asking, node);
    replace(cluster, asking, node);
    checkSingle(asking, "single-" + round);
  }

  private static OpenOptions alone(int node) {
    return OpenOptions.create().withCopies(1).withStrands(1).withFirstNode(node);
  }

  private static void make(Rank rank, String path, OpenOptions how) throws IOException {
    try (SharedFile file = rank.open(path, how);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(CHUNK);
      memory.fill((byte) 7);
      file.at(0).write(memory);
      file.flush();
    }
  }

  private void read(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.open(path, OpenOptions.read());
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(CHUNK);
      MemorySegment expected = arena.allocate(CHUNK);
      expected.fill((byte) 7);
      if (file.at(0).read(memory) != CHUNK || memory.mismatch(expected) >= 0) {
        findings.add(path + " is not what was written, and no node of it was lost");
      }
    }
  }

  /** Every rank must have some more flushes acknowledged. */
  private void await(String otherwise, FlushingRanks load, long before)
      throws InterruptedException {
    long deadline = options.env.deadlineAfter(WAIT_SECONDS * SECOND);
    while (load.fewestFlushes() < before + FLUSHES_AFTER && load.findings().isEmpty()) {
      options.env.sleep(PAUSE_NANOS);
      if (options.env.nanoTime() > deadline) {
        findings.add(otherwise);
        return;
      }
    }
  }

  /** Copies on the lost node are missing, and files say so. */
  private void checkMissing(RunningCluster asking, int node) throws IOException {
    long missing = 0;
    for (FileEntry file : asking.administration().nodes().incomplete()) {
      missing += file.missing();
    }
    missed += missing;
    if (missing == 0) {
      findings.add("node " + node + " is lost, and no file says that copies are missing");
    }
  }

  private void replace(ClusterProcesses cluster, RunningCluster asking, int node)
      throws IOException, InterruptedException {
    long began = options.env.nanoTime();
    try {
      Shell.run(millrace("nodes", "replace", "" + node, cluster), Map.of());
      findings.add("nodes replace does not say that a file without copies is damaged");
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("lost: a part of ")) {
        findings.add("node " + node + " cannot be replaced: " + e.getMessage());
      }
    }
    NodeAdministration nodes = asking.administration().nodes();
    long deadline = options.env.deadlineAfter(WAIT_SECONDS * SECOND);
    while (nodes.list().get(node).holding().missing() > 0 && options.env.nanoTime() < deadline) {
      options.env.sleep(PAUSE_NANOS);
    }
    long took = options.env.nanoTime() - began;
    longestRebuildNanos = Math.max(longestRebuildNanos, took);
    if (took > most * SECOND) {
      findings.add(
          "node %s had its copies again after %s s, not %s".formatted(node, took / SECOND, most));
    }
  }

  /** The file without copies is damaged, says so, and can be removed; nothing else is damaged. */
  private void checkSingle(RunningCluster asking, String path) throws IOException {
    List<String> damaged =
        asking.administration().nodes().incomplete().stream().map(FileEntry::path).toList();
    if (!damaged.equals(List.of(path))) {
      findings.add("damaged are " + damaged + ", only " + path + " had no copies");
    }
    asking.run(
        1,
        rank -> {
          try {
            read(rank, path);
            findings.add(path + " has lost a strand and is read as if it had not");
          } catch (MillraceException e) {
            rank.names().remove(path);
          }
        });
  }

  private int report(FlushingRanks load) {
    PrintWriter out = options.out();
    options.print(findings);
    out.printf(
        Locale.ROOT,
        "  %s flushes acknowledged, %s reads compared, %s times told of lost writes; the longest call took %.1f s%n",
        load.flushes(),
        load.reads(),
        load.told(),
        load.longestNanos() / (double) SECOND);
    out.printf(
        Locale.ROOT,
        "  %s copies were missing in all; all were there again after %.1f s at most%n",
        missed,
        longestRebuildNanos / (double) SECOND);
    boolean enough = load.fewestFlushes() >= (long) FLUSHES_AFTER * rounds && missed > 0;
    if (!enough) {
      out.println("  too little happened to show anything");
    }
    out.printf(
        "%s nodes lost under load, %s MiB with two copies: %s lost or wrong%n",
        rounds, megabytes, findings.size());
    return findings.isEmpty() && enough ? ExitCode.OK : ExitCode.FAILED;
  }
}
