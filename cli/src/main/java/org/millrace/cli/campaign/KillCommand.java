package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cluster.RunningCluster;
import org.millrace.launch.Launch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace campaign kill}. Used by one thread. */
@Command(
    name = "kill",
    description = {
      "Kill one of several rank processes, or stop it, at chosen points of synchronizing calls:"
          + " opens, views, modes, collective reads and writes, barriers, locks, splits, closes.",
      "All others must be told that the rank has failed, form a group of those that are left, and"
          + " write and read a file together; nothing may hang, and nothing may be left behind."
    })
final class KillCommand implements Callable<Integer> {

  private static final int NODES = 2;
  private static final int RANKS = 4;
  private static final int MAX_DELAY_MICROS = 3000;
  private static final long END_SECONDS = 90;

  /** Short, so that a rank that is stopped is soon given up. */
  private static final String SILENCE = "5";

  private static final String GRACE = "2";

  @Mixin private CampaignOptions options;

  @Option(
      names = "--points",
      paramLabel = "N",
      description =
          "How many ranks are killed or stopped; the whole campaign has 120, which is the"
              + " default.")
  private int points = 120;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--points", points);
    SplittableRandom random = new SplittableRandom(options.seed());
    Path place = options.workFolder();
    ClusterProcesses cluster =
        new ClusterProcesses(
            place.resolve("cluster"),
            NODES,
            List.of("--silence", SILENCE, "--grace", GRACE),
            Map.of());
    List<String> findings = new ArrayList<>();
    Map<KilledRank.Call, Integer> done = new EnumMap<>(KilledRank.Call.class);
    List<KilledRank.Call> calls = List.of(KilledRank.Call.values());
    int stops = 0;
    try (ProgressBar bar = options.bar(points)) {
      cluster.up();
      for (int point = 0; point < points; point++) {
        KilledRank.Call call = calls.get(point % calls.size());
        boolean stop = random.nextInt(4) == 0;
        List<String> seen = point(cluster, "job-" + point, call, stop, random);
        int now = point;
        seen.forEach(one -> findings.add("point %s, %s: %s".formatted(now, call, one)));
        done.merge(call, 1, Integer::sum);
        stops += stop ? 1 : 0;
        bar.advance(1);
      }
      cluster.stop();
    } finally {
      ClusterProcesses.kill(cluster.all());
      PoweredCluster.remove(place);
    }
    return report(findings, done, stops);
  }

  private int report(List<String> findings, Map<KilledRank.Call, Integer> done, int stops) {
    PrintWriter out = options.out();
    options.print(findings);
    out.printf("  points: %s%n", done);
    out.printf(
        "%s points in %s kinds of calls, %s kills and %s stops: %s wrong or hanging%n",
        points, done.size(), points - stops, stops, findings.size());
    return findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private List<String> point(
      ClusterProcesses cluster,
      String job,
      KilledRank.Call call,
      boolean stop,
      RandomGenerator random)
      throws IOException, InterruptedException {
    int victim = random.nextInt(RANKS);
    String line = call + " " + (1 + random.nextInt(3));
    List<RankProcess> ranks = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    try {
      for (int rank = 0; rank < RANKS; rank++) {
        ranks.add(start(cluster, job, rank, rank == victim ? line : ""));
      }
      RankProcess struck = ranks.remove(victim);
      if (!struck.awaitLine()) {
        seen.add("rank " + victim + " ended before it was struck: " + struck.lastLine(""));
      }
      options.env.sleep(random.nextInt(MAX_DELAY_MICROS) * 1000L);
      Shell.signal(stop ? "STOP" : "KILL", List.of(struck.pid()));
      for (RankProcess rank : ranks) {
        check(rank, seen);
      }
      Shell.signal("CONT", List.of(struck.pid()));
      if (!struck.awaitEnd(END_SECONDS)) {
        seen.add("the struck rank does not end");
        struck.kill();
      }
      checkNobodyWaits(cluster, seen);
    } finally {
      ranks.forEach(RankProcess::kill);
    }
    return seen;
  }

  private RankProcess start(ClusterProcesses cluster, String job, int rank, String line)
      throws IOException {
    return new RankProcess(
        options.env,
        KilledRank.class,
        List.of(job),
        Map.of(
            "MILLRACE_RANK",
            "" + rank,
            "MILLRACE_RANKS",
            "" + RANKS,
            "MILLRACE_JOB",
            job,
            Launch.ADDRESS,
            cluster.directory().toString(),
            "MILLRACE_SILENCE",
            SILENCE,
            "MILLRACE_GRACE",
            GRACE),
        line);
  }

  private static void check(RankProcess rank, List<String> seen) throws InterruptedException {
    if (!rank.awaitEnd(END_SECONDS)) {
      seen.add("a rank hangs after '" + rank.lastLine("") + "'");
      rank.kill();
      return;
    }
    String failed = rank.lastLine("FAILED");
    String finished = rank.lastLine("DONE");
    if (!failed.startsWith("FAILED RANK_FAILED")
        || !finished.equals("DONE " + (RANKS - 1))
        || rank.exitCode() != 0) {
      seen.add(
          "a rank ended with %s after '%s', '%s', '%s'"
              .formatted(rank.exitCode(), failed, finished, rank.lastLine("")));
    }
  }

  private static void checkNobodyWaits(ClusterProcesses cluster, List<String> seen)
      throws IOException {
    try (RunningCluster connected = cluster.connect()) {
      connected.waits().forEach(wait -> seen.add("somebody still waits: " + wait));
    }
  }
}
