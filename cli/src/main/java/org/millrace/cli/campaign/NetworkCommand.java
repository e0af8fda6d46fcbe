package org.millrace.cli.campaign;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Tls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace campaign network}. Used by one thread. */
@Command(
    name = "network",
    description = {
      "Disturb the network between four hosts: a coordinator with a node, two more nodes, and a"
          + " program, with TLS between them. Links go down, both ways or one way only, and"
          + " connections are reset. When the network is whole again, everything must work, and"
          + " nothing may be lost that was acknowledged.",
      "The hosts are network namespaces, which are made and removed. Needs root, ip and ss (Debian:"
          + " iproute2)."
    })
final class NetworkCommand implements Callable<Integer> {

  private static final int HOSTS = 4;
  private static final int NODES = 3;
  private static final int PROGRAM = 3;
  private static final int WRITERS = 3;
  private static final int PORT = 7000;
  private static final long SECOND = 1_000_000_000L;
  private static final long SILENCE_SECONDS = 4;
  private static final long GRACE_SECONDS = 2;

  /** Until then all must be as before: sessions have ended, nodes have registered again. */
  private static final long HEAL_SECONDS = 60;

  private static final int MIN_MILLIS = 300;
  private static final int MAX_MILLIS = 8000;

  /** What happens to the network. */
  private enum Fault {
    CUT,
    ONE_WAY,
    RESET
  }

  @Mixin private CampaignOptions options;

  @Option(
      names = "--schedules",
      paramLabel = "N",
      description =
          "How often the network is disturbed; the whole campaign has 50, which is the"
              + " default.")
  private int schedules = 50;

  @Option(names = "--inside", hidden = true, description = "Names of the hosts, on one of them.")
  private @Nullable String inside;

  @Option(names = "--place", hidden = true, description = "With --inside: where the keys are.")
  private Path place = Path.of("");

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.require("--schedules", schedules);
    String prefix = inside;
    return prefix == null ? outside() : disturb(Hosts.of(prefix, HOSTS));
  }

  /** Makes the hosts and the cluster, and goes on as a process on one of the hosts. */
  private int outside() throws IOException, InterruptedException {
    Shell.requireRoot();
    Shell.require(List.of("ip", "ss", "unshare", "hostname"), "iproute2 util-linux hostname");
    long seed = options.seed();
    place = options.workFolder();
    List<Process> daemons = new ArrayList<>();
    try (Hosts hosts = Hosts.make(HOSTS)) {
      start(hosts, daemons);
      List<String> line =
          JavaCommand.of(
              List.of(
                  "campaign",
                  "network",
                  "--inside",
                  hosts.prefix(),
                  "--schedules",
                  "" + schedules,
                  "--seed",
                  "" + seed,
                  "--place",
                  place.toString()));
      Process program = new ProcessBuilder(hosts.command(PROGRAM, line)).inheritIO().start();
      daemons.add(program);
      return program.waitFor();
    } finally {
      for (Process one : daemons.reversed()) {
        one.descendants().forEach(ProcessHandle::destroyForcibly);
        one.destroyForcibly().waitFor();
      }
      PoweredCluster.remove(place);
    }
  }

  private void start(Hosts hosts, List<Process> daemons) throws IOException, InterruptedException {
    List<String> keys = new ArrayList<>(List.of("keys", "--dir", place.resolve("keys").toString()));
    keys.addAll(List.of("init", "--user", System.getProperty("user.name", "root")));
    for (int host = 0; host < HOSTS; host++) {
      keys.addAll(List.of("--host", Hosts.name(host)));
    }
    Shell.run(JavaCommand.of(keys), Map.of());
    daemon(hosts, 0, daemons, "coordinator", "--nodes", "" + NODES, "--address", coordinator());
    for (int node = 0; node < NODES; node++) {
      Path own = directory(node);
      if (node > 0) {
        Files.createDirectories(own);
        Files.copy(directory(0).resolve("secret"), own.resolve("secret"));
      }
      String at = "tls:%s:0".formatted(Hosts.name(node));
      daemon(
          hosts,
          node,
          daemons,
          "node",
          "--node",
          "" + node,
          "--address",
          at,
          "--coordinator",
          coordinator());
    }
  }

  private Path directory(int host) {
    return place.resolve("data-" + host);
  }

  private static String coordinator() {
    return "tls:%s:%s".formatted(Hosts.name(0), PORT);
  }

  private Path keys(int host) {
    return place.resolve("keys").resolve(Hosts.name(host));
  }

  private void daemon(Hosts hosts, int host, List<Process> daemons, String... args)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--dir", directory(host).toString()));
    all.addAll(List.of("--keys", keys(host).toString()));
    all.addAll(List.of("--silence", "" + SILENCE_SECONDS, "--grace", "" + GRACE_SECONDS));
    Path log = place.resolve("log-" + daemons.size());
    Process process =
        new ProcessBuilder(hosts.command(host, JavaCommand.of(all)))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    daemons.add(process);
    while (!Files.readString(log).contains("is ready")) {
      if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
        throw new IOException(args[0] + " did not start: " + Files.readString(log));
      }
    }
  }

  /** As the program on its host: writes, disturbs, heals and checks, again and again. */
  private int disturb(Hosts hosts) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(options.seed());
    WorkloadRun.Connector cluster = this::connect;
    List<String> findings = new ArrayList<>();
    Workload workload = new Workload(WRITERS);
    Map<Fault, Integer> done = new EnumMap<>(Fault.class);
    long slowest = 0;
    try (ProgressBar bar = options.bar(schedules)) {
      WorkloadRun.alone(cluster, workload::begin);
      for (int schedule = 1; schedule <= schedules; schedule++) {
        workload.renew();
        workload.disturb();
        WorkloadRun writers =
            new WorkloadRun(options.env, cluster, workload, WRITERS, random.nextLong());
        writers.awaitWork();
        options.env.sleep(random.nextInt(MIN_MILLIS, MIN_MILLIS + 1000) * 1_000_000L);
        done.merge(strike(hosts, random), 1, Integer::sum);
        workload.end();
        List<String> seen = new ArrayList<>(writers.await());
        // what was on its way when its sender gave up must have arrived, or its session have ended
        options.env.sleep((SILENCE_SECONDS + GRACE_SECONDS + 1) * SECOND);
        slowest = Math.max(slowest, checkUntilItWorks(cluster, workload, seen));
        int now = schedule;
        seen.forEach(one -> findings.add("schedule " + now + ": " + one));
        bar.advance(1);
      }
    }
    return report(workload, findings, done, slowest);
  }

  private int report(
      Workload workload, List<String> findings, Map<Fault, Integer> done, long slowest) {
    PrintWriter out = options.out();
    options.print(findings);
    out.printf(
        Locale.ROOT,
        "%s schedules %s: %,d flushes and transactions and %,d changes of names were acknowledged,"
            + " %s writers were disturbed; all worked again %s ms after the time that sessions"
            + " have, or sooner; %s lost, wrong or hanging%n",
        schedules,
        done,
        workload.acknowledged(),
        workload.changes(),
        workload.failures(),
        TimeUnit.NANOSECONDS.toMillis(slowest),
        findings.size());
    boolean enough =
        workload.acknowledged() >= 3L * schedules && workload.failures() >= schedules / 3;
    if (!enough) {
      out.println("too little happened to show anything");
    }
    return enough && findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** One disturbance, from beginning to end. */
  private Fault strike(Hosts hosts, RandomGenerator random)
      throws IOException, InterruptedException {
    Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
    int host = random.nextInt(HOSTS);
    int other = (host + 1 + random.nextInt(HOSTS - 1)) % HOSTS;
    long nanos = random.nextInt(MIN_MILLIS, MAX_MILLIS) * 1_000_000L;
    switch (fault) {
      case CUT -> {
        hosts.cut(host);
        options.env.sleep(nanos);
        hosts.plug(host);
      }
      case ONE_WAY -> {
        hosts.block(host, other);
        options.env.sleep(nanos);
        hosts.unblock(host, other);
      }
      case RESET -> {
        for (int times = 1 + random.nextInt(5); times > 0; times--) {
          hosts.reset(host);
          options.env.sleep(nanos / 10);
        }
      }
    }
    return fault;
  }

  /** How long it took until everything could be read; what was wrong goes to the list. */
  private long checkUntilItWorks(
      WorkloadRun.Connector cluster, Workload workload, List<String> seen)
      throws InterruptedException {
    long began = options.env.nanoTime();
    long deadline = options.env.deadlineAfter(HEAL_SECONDS * SECOND);
    while (true) {
      try {
        WorkloadRun.alone(cluster, rank -> seen.addAll(workload.check(rank)));
        return options.env.nanoTime() - began;
      } catch (IOException e) {
        if (options.env.nanoTime() > deadline) {
          seen.add("it does not work again after " + HEAL_SECONDS + " s: " + e.getMessage());
          return options.env.nanoTime() - began;
        }
      }
      options.env.sleep(SECOND / 4);
    }
  }

  private RunningCluster connect() throws IOException {
    TransportOptions transport =
        TransportOptions.DEFAULT.withTimeouts(SILENCE_SECONDS * SECOND, GRACE_SECONDS * SECOND);
    return RunningCluster.connect(
        ClusterLocation.parse(coordinator()),
        ClusterOptions.DEFAULT.withLimits(
            new Limits(20 * SECOND, 20 * SECOND, Limits.DEFAULT.operations(), 1 << 20)),
        transport.withSecurity(transport.security().withTls(Tls.load(keys(PROGRAM)))));
  }
}
