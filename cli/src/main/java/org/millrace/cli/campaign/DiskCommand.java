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
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace campaign disk}. Used by one thread. */
@Command(
    name = "disk",
    description = {
      "Let the disks of a running cluster fail: writes, reads and forces with EIO, a full disk,"
          + " writes that write nothing. Then take their power, and check that nothing is lost that"
          + " was acknowledged, and that nothing hangs.",
      "Needs root, strace, and xfs_io and mkfs.xfs (Debian: strace, xfsprogs)."
    })
final class DiskCommand implements Callable<Integer> {

  private static final int NODES = 2;
  private static final int WRITERS = 3;
  private static final int MIN_MILLIS = 500;
  private static final int MAX_MILLIS = 1500;
  private static final List<String> FAULTS =
      List.of(
          "fdatasync,fsync:error=EIO",
          "fdatasync,fsync:error=ENOSPC",
          "pwrite64,pwritev,write:error=EIO",
          "pwrite64,pwritev:error=ENOSPC",
          "pwrite64,pwritev:retval=0",
          "pread64,preadv:error=EIO",
          "ftruncate:error=EIO",
          "openat:error=EIO",
          "openat:error=EMFILE",
          "rename,renameat,renameat2:error=EIO");

  /** Calls of which a node makes few. */
  private static final List<String> RARE = FAULTS.subList(FAULTS.size() - 5, FAULTS.size());

  @Mixin private CampaignOptions options;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "How many rounds of faults; the whole campaign has 60, which is the" + " default.")
  private int rounds = 60;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--rounds", rounds);
    Shell.requireRoot();
    Shell.require(List.of("xfs_io", "mkfs.xfs", "mkfs.ext4", "strace"), "xfsprogs strace");
    SplittableRandom random = new SplittableRandom(options.seed());
    Path place = options.workFolder();
    List<String> findings = new ArrayList<>();
    Map<String, Long> fired = new TreeMap<>();
    Workload workload = new Workload(WRITERS);
    try (ProgressBar bar = options.bar(rounds);
        PoweredCluster cluster = PoweredCluster.make(place, NODES, Map.of(), random)) {
      WorkloadRun.alone(cluster.processes(), workload::begin);
      for (int round = 1; round <= rounds; round++) {
        int now = round;
        round(cluster, place.resolve("trace"), workload, random, fired)
            .forEach(one -> findings.add("round " + now + ": " + one));
        bar.advance(1);
      }
    }
    PoweredCluster.remove(place);
    return report(workload, fired, findings);
  }

  private int report(Workload workload, Map<String, Long> fired, List<String> findings) {
    PrintWriter out = options.out();
    options.print(findings);
    long all = fired.values().stream().mapToLong(Long::longValue).sum();
    fired.forEach((fault, count) -> out.printf(Locale.ROOT, "  %-36s %,d%n", fault, count));
    out.printf(
        Locale.ROOT,
        "%s rounds, %,d injected errors: %,d flushes and transactions and %,d changes of names were"
            + " acknowledged; %s lost, wrong or hanging%n",
        rounds,
        all,
        workload.acknowledged(),
        workload.changes(),
        findings.size());
    boolean enough = all >= rounds && workload.acknowledged() >= 3L * rounds;
    if (!enough) {
      out.println("too little happened to show anything");
    }
    return enough && findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** Faults of one kind at one process while the writers work, then a power cut. */
  private List<String> round(
      PoweredCluster cluster,
      Path trace,
      Workload workload,
      RandomGenerator random,
      Map<String, Long> fired)
      throws IOException, InterruptedException {
    String fault = FAULTS.get(random.nextInt(FAULTS.size()));
    List<Long> processes = cluster.processes().all();
    long victim = processes.get(random.nextInt(processes.size()));
    int first = 1 + random.nextInt(RARE.contains(fault) ? 3 : 30);
    String when = random.nextBoolean() ? "" + first : first + "+" + (1 + random.nextInt(20));
    workload.renew();
    workload.disturb(); // errors are what this is about
    Process strace = attach(victim, fault, when, trace);
    WorkloadRun writers =
        new WorkloadRun(options.env, cluster.processes(), workload, WRITERS, random.nextLong());
    writers.awaitWork();
    options.env.sleep(random.nextInt(MIN_MILLIS, MAX_MILLIS) * 1_000_000L);
    workload.end();
    cluster.cut(PoweredCluster.ALL);
    if (!strace.waitFor(10, TimeUnit.SECONDS)) {
      strace.destroyForcibly().waitFor();
    }
    fired.merge(fault, injected(trace), Long::sum);
    cluster.restore(PoweredCluster.ALL);
    return writers.checkAfter(cluster.processes(), workload);
  }

  private Process attach(long pid, String fault, String when, Path trace)
      throws IOException, InterruptedException {
    String calls = fault.substring(0, fault.indexOf(':'));
    Files.deleteIfExists(trace);
    Process strace =
        new ProcessBuilder(
                "strace",
                "-f",
                "-qq",
                "-o",
                trace.toString(),
                "-e",
                "trace=" + calls,
                "-e",
                "inject=" + fault + ":when=" + when,
                "-p",
                "" + pid)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    while (strace.isAlive() && !isTraced(pid)) {
      options.env.sleep(10_000_000);
    }
    return strace;
  }

  private static boolean isTraced(long pid) throws IOException {
    Path status = Path.of("/proc/" + pid + "/status");
    return !Files.exists(status)
        || Files.readAllLines(status).stream()
            .anyMatch(line -> line.matches("TracerPid:\\s*[1-9][0-9]*"));
  }

  private static long injected(Path trace) throws IOException {
    if (!Files.exists(trace)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(trace)) {
      return lines.filter(line -> line.contains("(INJECTED)")).count();
    } finally {
      Files.delete(trace);
    }
  }
}
