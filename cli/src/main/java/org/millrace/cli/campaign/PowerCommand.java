package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
  private static final int MIN_MILLIS = 200;
  private static final int MAX_MILLIS = 2000;

  @Mixin private CampaignOptions options;

  @Option(
      names = "--cuts",
      paramLabel = "N",
      description =
          "How often the power is cut; the whole campaign has 100, which is the" + " default.")
  private int cuts = 100;

  @Option(
      names = "--control",
      paramLabel = "N",
      description =
          "How often at most in the control, until something is lost (default: ${DEFAULT-VALUE}).")
  private int control = 5;

  /** What a part of the campaign has seen. */
  private record Outcome(int cuts, int alone, Workload workload, List<String> findings) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--cuts", cuts);
    options.require("--control", control);
    Shell.requireRoot();
    Shell.require(List.of("xfs_io", "mkfs.xfs", "mkfs.ext4", "mount"), "xfsprogs e2fsprogs mount");
    Path noSync = noSync();
    long seed = options.seed();
    Path place = options.workFolder();
    Outcome tried;
    Outcome controlled;
    try (ProgressBar bar = options.bar((long) cuts + 1)) {
      tried = run(place, cuts, Map.of(), seed, bar, false);
      controlled = run(place, control, Map.of("LD_PRELOAD", noSync.toString()), seed, bar, true);
    }
    PoweredCluster.remove(place);
    return report(tried, controlled);
  }

  /** The library with which fsync does nothing. */
  private static Path noSync() throws IOException {
    for (Path folder :
        List.of(
            Path.of("/usr/lib/x86_64-linux-gnu"),
            Path.of("/usr/lib/aarch64-linux-gnu"),
            Path.of("/usr/lib"))) {
      Path library = folder.resolve("libeatmydata.so");
      if (Files.exists(library)) {
        return library;
      }
    }
    throw new IOException(
        "there is no libeatmydata.so for the control; on Debian: apt-get install eatmydata");
  }

  private int report(Outcome tried, Outcome controlled) {
    PrintWriter out = options.out();
    Workload workload = tried.workload;
    options.print(tried.findings);
    out.printf(
        Locale.ROOT,
        "%s power cuts, %s of them of one node alone: %,d flushes and transactions and %,d changes"
            + " of names were acknowledged; %s lost or wrong%n",
        tried.cuts,
        tried.alone,
        workload.acknowledged(),
        workload.changes(),
        tried.findings.size());
    boolean red = !controlled.findings.isEmpty();
    out.printf(
        "control, with an fsync that does nothing: %s after %s%n",
        red ? "lost something" : "lost NOTHING, so this shows nothing", controlled.cuts);
    boolean enough =
        workload.acknowledged() >= 10L * tried.cuts && workload.changes() >= tried.cuts;
    if (!enough) {
      out.println("too little was acknowledged to show anything");
    }
    return enough && red && tried.findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private Outcome run(
      Path place,
      int count,
      Map<String, String> environment,
      long seed,
      ProgressBar bar,
      boolean untilLost)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> findings = new ArrayList<>();
    Workload workload = new Workload(WRITERS);
    int alone = 0;
    int done = 0;
    try (PoweredCluster cluster = PoweredCluster.make(place, NODES, environment, random)) {
      WorkloadRun.alone(cluster.processes(), workload::begin);
      while (done < count && !(untilLost && !findings.isEmpty())) {
        int victim = random.nextInt(3) == 0 ? random.nextInt(NODES) : PoweredCluster.ALL;
        alone += victim == PoweredCluster.ALL ? 0 : 1;
        done++;
        int cycle = done;
        workload.renew();
        WorkloadRun writers =
            new WorkloadRun(options.env, cluster.processes(), workload, WRITERS, random.nextLong());
        writers.awaitWork();
        options.env.sleep(random.nextInt(MIN_MILLIS, MAX_MILLIS) * 1_000_000L);
        workload.disturb();
        cluster.cut(victim);
        workload.end();
        cluster.restore(victim);
        writers
            .checkAfter(cluster.processes(), workload)
            .forEach(one -> findings.add("cut " + cycle + ": " + one));
        bar.advance(untilLost ? 0 : 1);
      }
    }
    return new Outcome(done, alone, workload, findings);
  }
}
