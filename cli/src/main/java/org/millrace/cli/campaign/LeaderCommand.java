package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.millrace.cli.daemons.Daemons;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.ReplicatedCoordinator;
import org.millrace.env.ThreadKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace campaign leader}. Used by one thread; others do the work that is disturbed. */
@Command(
    name = "leader",
    description = {
      "Kill the leader of three coordinators again and again, or stop it for a while, under heat"
          + " with ranks as processes and under ranks that append through a shared pointer, ask for"
          + " names and make some.",
      "Every run of heat must end with the right checksum, every record must be there once and in"
          + " order, nothing may fail, and no call may take longer than --most."
    })
final class LeaderCommand implements Callable<Integer> {

  private static final int NODES = 2;
  private static final int APPENDS_FOR_EACH = 50;
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long PAUSE_NANOS = 50 * MILLI;
  private static final int STOP_SECONDS = 8;
  private static final int WHOLE_SECONDS = 60;

  @Mixin private CampaignOptions options;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long it goes on (default: ${DEFAULT-VALUE}).")
  private int seconds = 300;

  @Option(
      names = "--every",
      paramLabel = "S",
      description =
          "Seconds from one leader that is struck to the next (default: ${DEFAULT-VALUE}).")
  private int every = 20;

  @Option(
      names = "--most",
      paramLabel = "S",
      description = "Seconds that a call may take (default: ${DEFAULT-VALUE}).")
  private int most = 5;

  @Option(
      names = "--stop-one-in",
      paramLabel = "N",
      description =
          "Stop every N-th leader for 8 s instead of killing it; 0 for none (default:"
              + " ${DEFAULT-VALUE}).")
  private int stopOneIn = 0;

  private final List<String> findings = new ArrayList<>();
  private int kills;
  private int stops;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--seconds", seconds);
    options.require("--every", every);
    options.require("--most", most);
    SplittableRandom random = new SplittableRandom(options.seed());
    Path place = options.workFolder();
    Path directory = place.resolve("cluster");
    var cluster = new ClusterProcesses(directory, NODES, List.of("--coordinators", "3"), Map.of());
    var heat = new HeatRuns(options.env, place);
    var appends = new AppendingRanks(options.env);
    try (ProgressBar bar = options.bar(seconds)) {
      cluster.up();
      try (RunningCluster asking = connect(directory);
          RunningCluster working = connect(directory)) {
        heat.start(directory);
        options.env.start(ThreadKind.HELPER, "appends", () -> appends.run(working));
        strike(cluster, asking, random, bar);
        appends.end();
        heat.end();
      }
      cluster.stop();
    } finally {
      ClusterProcesses.kill(cluster.all());
      PoweredCluster.remove(place);
    }
    findings.addAll(appends.findings());
    findings.addAll(heat.findings());
    return report(appends, heat);
  }

  private static RunningCluster connect(Path directory) throws IOException {
    return RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT);
  }

  private void strike(
      ClusterProcesses cluster, RunningCluster asking, RandomGenerator random, ProgressBar bar)
      throws IOException, InterruptedException {
    long began = options.env.nanoTime();
    long end = began + seconds * SECOND;
    long shown = 0;
    long next = began + every * SECOND / 2;
    while (options.env.nanoTime() < end) {
      long passed = Math.min(seconds, (options.env.nanoTime() - began) / SECOND);
      bar.advance(passed - shown);
      shown = passed;
      if (options.env.nanoTime() >= next && next + most * SECOND < end) {
        next += every * SECOND;
        options.env.sleep(random.nextInt(1000) * MILLI);
        strikeOne(cluster, asking);
      }
      options.env.sleep(PAUSE_NANOS);
    }
  }

  /** Kills or stops the leader, and waits until all three are there again. */
  private void strikeOne(ClusterProcesses cluster, RunningCluster asking)
      throws IOException, InterruptedException {
    Optional<Long> leader = leader(cluster, asking);
    if (leader.isEmpty()) {
      findings.add("nobody leads");
      return;
    }
    if (stopOneIn > 0 && (kills + stops) % stopOneIn == stopOneIn - 1) {
      stops++;
      Shell.signal("STOP", List.of(leader.get()));
      options.env.sleep(STOP_SECONDS * SECOND);
      Shell.signal("CONT", List.of(leader.get()));
    } else {
      kills++;
      ClusterProcesses.kill(List.of(leader.get()));
      cluster.up();
    }
    long deadline = options.env.deadlineAfter(WHOLE_SECONDS * SECOND);
    while (!isWhole(members(asking))) {
      if (options.env.nanoTime() > deadline) {
        findings.add("not all coordinators came back: " + members(asking));
        return;
      }
      options.env.sleep(PAUSE_NANOS);
    }
  }

  private static String members(RunningCluster asking) throws IOException {
    Map<String, String> settings = asking.administration().facts().settings();
    return settings.getOrDefault(ReplicatedCoordinator.MEMBERS_SETTING, "");
  }

  private static boolean isWhole(String members) {
    return members.contains("leader") && !members.contains("silent");
  }

  private static Optional<Long> leader(ClusterProcesses cluster, RunningCluster asking)
      throws IOException {
    for (String one : members(asking).split(",", -1)) {
      String[] words = one.split(" ", -1);
      if (words.length == 3 && words[1].equals("leader")) {
        String name = CoordinatorGroup.nameOf(Integer.parseInt(words[0]));
        return new Daemons(cluster.directory()).process(name).map(ProcessHandle::pid);
      }
    }
    return Optional.empty();
  }

  private int report(AppendingRanks appends, HeatRuns heat) {
    int struck = kills + stops;
    int expected = Math.max(1, seconds / every - 1);
    if (struck < expected) {
      findings.add("only %s of %s leaders were struck".formatted(struck, expected));
    }
    if (appends.appended() < (long) APPENDS_FOR_EACH * struck || heat.runs() == 0) {
      findings.add("too little was done to show anything");
    }
    if (appends.longestNanos() > most * SECOND) {
      findings.add(
          String.format(
              Locale.ROOT,
              "a call took %.1f s: %s",
              appends.longestNanos() / 1e9,
              appends.longestCall()));
    }
    PrintWriter out = options.out();
    options.print(findings);
    out.printf(
        "  heat: %s runs, each with checksum %s; %s records, %s questions, %s names%n",
        heat.runs(), heat.expected(), appends.appended(), appends.asked(), appends.named());
    out.printf(
        Locale.ROOT,
        "%s leaders killed and %s stopped in %s s: the longest call took %.1f s, %s wrong or late%n",
        kills,
        stops,
        seconds,
        appends.longestNanos() / 1e9,
        findings.size());
    return findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
