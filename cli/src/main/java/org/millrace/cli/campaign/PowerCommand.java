package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace campaign power}. Used by one thread. */
@Command(
    name = "power",
    description = {
      "Take the power of a running cluster's disks, again and again, and check that nothing is lost"
          + " that was acknowledged: flushes, transactions, names.",
      "The cluster lies on file systems in image files (ext4 and xfs), which forget what was not"
          + " forced. All disks lose their power, or one node's alone. A control, whose fsync does"
          + " nothing, must lose something, or the campaign shows nothing.",
      "Needs root, and xfs_io, mkfs.xfs and libeatmydata (Debian: xfsprogs, eatmydata)."
    })
final class PowerCommand implements Callable<Integer> {

  private static final int NODES = 2;
  private static final int WRITERS = 3;
  private static final int SHOWN = 10;
  private static final Path EAT_MY_DATA =
      Path.of("/usr/lib/x86_64-linux-gnu/libeatmydata.so");

  @Spec private CommandSpec spec;

  @Option(
      names = "--cuts",
      paramLabel = "N",
      description = "How often the power is cut (default: ${DEFAULT-VALUE}).")
  private int cuts = 100;

  @Option(
      names = "--control",
      paramLabel = "N",
      description = "How often in the control (default: ${DEFAULT-VALUE}).")
  private int control = 3;

  @Option(names = "--seed", paramLabel = "S", description = "The seed (default: by chance).")
  private @Nullable Long seed;

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      description = "Where the images are made (default: a temporary folder).")
  private @Nullable Path folder;

  private final Env env = Env.real();

  /** What a part of the campaign has seen. */
  private record Outcome(
      int cuts, int alone, long flushes, long names, int lost, List<String> findings) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (cuts < 1 || control < 1) {
      throw new ParameterException(spec.commandLine(), "--cuts and --control must be at least 1");
    }
    Shell.requireRoot();
    Shell.require(List.of("xfs_io", "mkfs.xfs", "mkfs.ext4", "mount"), "xfsprogs e2fsprogs mount");
    if (!Files.exists(EAT_MY_DATA)) {
      throw new IOException("there is no " + EAT_MY_DATA + "; on Debian: apt-get install eatmydata");
    }
    PrintWriter out = spec.commandLine().getOut();
    Long given = seed;
    long first = given == null ? env.random("campaign").nextLong() >>> 16 : given;
    out.printf("campaign power: seed %d%n", first);
    out.flush();
    Path own = folder;
    Path place = own == null ? Files.createTempDirectory("millrace-power") : own;
    Files.createDirectories(place);
    Outcome tried;
    Outcome controlled;
    try (ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            env,
            ProgressBar.terminalColumns(),
            "campaign power",
            (long) cuts + control)) {
      tried = run(place, cuts, Map.of(), first, bar, false);
      controlled =
          run(place, control, Map.of("LD_PRELOAD", EAT_MY_DATA.toString()), first, bar, true);
    }
    return report(out, tried, controlled);
  }

  private int report(PrintWriter out, Outcome tried, Outcome controlled) {
    tried.findings.stream().limit(SHOWN).forEach(one -> out.println("  " + one));
    out.printf(
        "%d power cuts (%d of one node alone): %,d flushes and transactions and %,d changes of"
            + " names were acknowledged; %d lost or wrong%n",
        tried.cuts, tried.alone, tried.flushes, tried.names, tried.findings.size());
    out.printf(
        "control, fsync does nothing: %d of %d cuts lost something%n",
        controlled.lost, controlled.cuts);
    boolean enough = tried.flushes >= 10L * tried.cuts && tried.names >= tried.cuts;
    if (!enough) {
      out.println("too little was acknowledged to show anything");
    }
    if (controlled.lost == 0) {
      out.println("the control lost nothing: the campaign shows nothing");
    }
    return enough && controlled.lost > 0 && tried.findings.isEmpty()
        ? ExitCode.OK
        : ExitCode.FAILED;
  }

  /** A cluster on fresh disks, and its power cuts. */
  private Outcome run(
      Path place,
      int count,
      Map<String, String> environment,
      long first,
      ProgressBar bar,
      boolean isControl)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(first);
    List<LoopDisk> disks = new ArrayList<>(); // the coordinator's, then the nodes'
    Path directory = place.resolve("cluster");
    ClusterProcesses cluster = new ClusterProcesses(directory, NODES, environment);
    List<String> findings = new ArrayList<>();
    Workload workload = new Workload(WRITERS);
    int lost = 0;
    int alone = 0;
    int done = 0;
    try {
      for (int d = 0; d <= NODES; d++) {
        LoopDisk.Kind kind = random.nextBoolean() ? LoopDisk.Kind.EXT4 : LoopDisk.Kind.XFS;
        Path at = d == 0 ? directory : directory.resolve("node-" + (d - 1));
        disks.add(LoopDisk.make(kind, place.resolve("disk-" + d + ".img"), at));
      }
      Shell.run("sync"); // the folders of the nodes lie on the first disk
      cluster.up();
      WorkloadRun.alone(cluster, workload::begin);
      while (done < count) {
        int victim = random.nextInt(3) == 0 ? 1 + random.nextInt(NODES) : 0;
        List<LoopDisk> hit = victim == 0 ? disks : List.of(disks.get(victim));
        alone += victim == 0 ? 0 : 1;
        List<String> seen = new ArrayList<>();
        cut(cluster, workload, hit, victim, random.nextLong(), random.nextInt(200, 2000), seen);
        done++;
        boolean wrong = !seen.isEmpty();
        int cycle = done;
        seen.forEach(one -> findings.add("cut " + cycle + ": " + one));
        lost += wrong ? 1 : 0;
        bar.advance(1);
        if (wrong && isControl) { // what is left of it need not work
          bar.advance(count - done);
          break;
        }
      }
      return new Outcome(
          done, alone, workload.acknowledged(), workload.changes(), lost, findings);
    } finally {
      end(cluster, disks, directory);
    }
  }

  /** One cut while the writers work, and everything up again and checked. */
  private void cut(
      ClusterProcesses cluster,
      Workload workload,
      List<LoopDisk> hit,
      int victim,
      long seedOfWriters,
      int millis,
      List<String> findings)
      throws IOException, InterruptedException {
    WorkloadRun writers = new WorkloadRun(env, cluster, workload, WRITERS, seedOfWriters);
    env.sleep(millis * 1_000_000L);
    List<Long> victims = victim == 0 ? cluster.all() : cluster.node(victim - 1);
    workload.disturb();
    Shell.signal("STOP", victims);
    for (LoopDisk disk : hit) {
      disk.cut();
    }
    ClusterProcesses.kill(victims);
    workload.end();
    findings.addAll(writers.await());
    for (LoopDisk disk : hit.reversed()) {
      disk.unmount();
    }
    for (LoopDisk disk : hit) {
      disk.mount();
    }
    try {
      cluster.up();
    } catch (IOException e) {
      findings.add("it does not come up again: " + e.getMessage());
      return;
    }
    try {
      WorkloadRun.alone(cluster, rank -> findings.addAll(workload.check(rank)));
    } catch (IOException e) {
      findings.add("it cannot be read: " + e.getMessage());
    }
  }

  private static void end(ClusterProcesses cluster, List<LoopDisk> disks, Path directory)
      throws IOException, InterruptedException {
    ClusterProcesses.kill(cluster.all());
    IOException failure = null;
    for (LoopDisk disk : disks.reversed()) {
      try {
        disk.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    try (Stream<Path> left = Files.walk(directory)) {
      for (Path one : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }
}
