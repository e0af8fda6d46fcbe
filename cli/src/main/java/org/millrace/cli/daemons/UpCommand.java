package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeFact;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace up}: a whole cluster of processes on this host. Used by one thread. */
@Command(
    name = "up",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Start a cluster of processes on this host: a coordinator and nodes.",
      "",
      "Starts only those that are not running: after a node was killed, the same command brings it"
          + " back. Returns when all nodes have registered. A node that cannot come back, for"
          + " example because its disk is gone, is named; the others serve without it, and the exit"
          + " code is 4. millrace stop ends them."
    },
    exitCodeList = {
      "  0:all daemons run",
      "  1:the cluster could not be started",
      "  2:the command line is wrong",
      "  3:could not start: no suitable JDK, or the build failed",
      "  4:a daemon did not come back, the others serve"
    })
public final class UpCommand implements Callable<Integer> {

  /** Nodes of a new cluster that was not told how many. */
  public static final int DEFAULT_NODES = 4;

  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long PAUSE_NANOS = 100_000_000L;
  private static final int LOOKS = 3;

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description =
          "Number of nodes; more than it has adds some (default: as many as it has, or 4).")
  void setNodes(String count) {
    options.give("nodes", count);
  }

  @Option(
      names = "--coordinators",
      paramLabel = "N",
      description =
          "Number of coordinators of a new cluster, odd: with 3 the death of any one is survived,"
              + " with 5 that of two (default: as many as it has, or 1).")
  void setCoordinators(String count) {
    options.give("coordinators", count);
  }

  @Option(
      names = "--console",
      description =
          "Also start the console, a page for browsers of this host, and print a link to it"
              + " (millrace console).")
  private boolean console;

  @Option(
      names = "--install-service",
      description =
          "Do not start it now: let systemd start it with this host, with these options, and stop"
              + " it in order. Usually as root; the processes are those of the directory's owner.")
  private boolean installService;

  @Option(
      names = "--service-root",
      paramLabel = "DIR",
      defaultValue = "/",
      description = "Install the service below DIR, for images of other hosts (default: /).")
  private Path serviceRoot = Path.of("/");

  /** How many nodes a cluster has, or would have. */
  public static int nodesOf(Path directory) throws IOException {
    return new Daemons(directory).nodesOfCluster().orElse(DEFAULT_NODES);
  }

  @Override
  public Integer call() throws Exception {
    DaemonOptions.Settings settings = options.settings();
    ServerOptions server = settings.server(); // better told here than in a log what is wrong
    Path directory = settings.directory();
    if (installService) {
      return install(settings);
    }
    Optional<CoordinatorGroup> group = Members.find(directory, settings.number("coordinators", 0));
    int had = new Daemons(directory).nodesOfCluster().orElse(0);
    int wanted = settings.number("nodes", had == 0 ? DEFAULT_NODES : had);
    int nodes = Math.max(wanted, had);
    if (wanted < had) {
      spec.commandLine()
          .getErr()
          .printf(
              "millrace: the cluster in %s has %s nodes and keeps them; --nodes %s takes none"
                  + " away%n",
              directory, had, wanted);
    }
    RunFolder.make(directory, server.shared());
    Daemons daemons = new Daemons(directory);
    try (DirectoryLock _ = alone(directory);
        StartedDaemons started = new StartedDaemons(daemons)) {
      if (group.isPresent()) {
        startMembers(started, settings, group.get(), nodes);
        awaitMembers(daemons, started, group.get());
      } else {
        startCoordinator(started, settings, nodes);
        awaitAddress(daemons, started);
      }
      Nodes there = await(daemons, started, server, false);
      if (there.all < nodes) {
        throw new IOException(
            "the cluster that runs in %s has %s nodes; millrace stop, then up --nodes %s adds some"
                .formatted(directory, there.all, nodes));
      }
      for (int i : there.here()) {
        start(started, Daemons.node(i), settings, nodeOptions(settings, i, there.here().size()));
      }
      await(daemons, started, server, true);
      List<String> lost = started.ended();
      if (console) {
        started.start(ConsoleDaemon.NAME, consoleArguments(settings));
      }
      int kept = started.keep();
      int consoles = started.all().containsKey(ConsoleDaemon.NAME) ? 1 : 0;
      report(directory, there, kept - consoles - lost.size(), group);
      if (console) {
        sayWhereConsoleIs(daemons, started);
      }
      lost.forEach(daemon -> complain(daemons, daemon));
      return lost.isEmpty() ? ExitCode.OK : ExitCode.NOT_ALL;
    }
  }

  private static List<String> consoleArguments(DaemonOptions.Settings settings) {
    List<String> args = new ArrayList<>(List.of(ConsoleDaemon.NAME, "--as-daemon"));
    args.add("--dir=" + settings.directory().toAbsolutePath());
    args.add("--address=127.0.0.1:0");
    settings.text("keys").ifPresent(keys -> args.add("--keys=" + keys));
    return args;
  }

  /** A console that does not start is no reason to give up the cluster. */
  private void sayWhereConsoleIs(Daemons daemons, StartedDaemons started)
      throws IOException, InterruptedException {
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    Optional<String> said = ConsoleDaemon.lines(daemons.directory());
    while (said.isEmpty()
        && !started.ended().contains(ConsoleDaemon.NAME)
        && env.nanoTime() < deadline) {
      env.sleep(PAUSE_NANOS);
      said = ConsoleDaemon.lines(daemons.directory());
    }
    spec.commandLine()
        .getOut()
        .println(
            said.orElse(
                "The console did not start; its log is " + daemons.log(ConsoleDaemon.NAME)));
  }

  private int install(DaemonOptions.Settings settings) throws IOException {
    Path directory = settings.directory().toAbsolutePath().normalize();
    List<String> more = new ArrayList<>(settings.asOptions(false));
    more.removeIf(option -> option.startsWith("--dir="));
    settings.text("nodes").ifPresent(count -> more.add("--nodes=" + count));
    settings.text("coordinators").ifPresent(count -> more.add("--coordinators=" + count));
    if (console) {
      more.add("--console");
    }
    Files.createDirectories(directory); // it must belong to somebody
    var unit = new ServiceUnit(directory, Files.getOwner(directory).getName(), more);
    PrintWriter out = spec.commandLine().getOut();
    try {
      out.println("Installed " + unit.install(serviceRoot) + "; it starts with this host");
    } catch (AccessDeniedException e) {
      throw new IOException("cannot write " + e.getFile() + ": try again as root", e);
    }
    out.println("Start it now: systemctl daemon-reload && systemctl start " + unit.name());
    return ExitCode.OK;
  }

  /** Two at a time would each start what the other does, and end it when that fails. */
  private static DirectoryLock alone(Path directory) throws IOException {
    try {
      return DirectoryLock.acquirePart(directory, "run");
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.IN_USE) {
        throw e;
      }
      throw new MillraceException(
          ErrorCode.IN_USE,
          "another millrace up%s is at work in %s"
              .formatted(DirectoryLock.holderOfPart(directory, "run").orElse(""), directory),
          e);
    }
  }

  /** The nodes of one host share its memory. */
  static List<String> nodeOptions(DaemonOptions.Settings settings, int node, int nodes) {
    List<String> options = new ArrayList<>(List.of("--node", "" + node));
    if (settings.text("cache").isEmpty()) {
      options.add("--cache=" + CacheShare.here(nodes));
    }
    return options;
  }

  /**
   * Starts those that are at home on this host. One whose folder is gone while others have theirs
   * says itself that it is lost.
   */
  private static void startMembers(
      StartedDaemons started, DaemonOptions.Settings settings, CoordinatorGroup group, int nodes)
      throws IOException {
    boolean isNew = true;
    for (CoordinatorGroup.Member one : group.members()) {
      isNew &= !ClusterDirectory.isMemberThere(settings.directory(), one.number());
    }
    for (CoordinatorGroup.Member one : group.members()) {
      boolean here =
          Members.isHere(one) || ClusterDirectory.isMemberThere(settings.directory(), one.number());
      if (here) {
        List<String> more =
            List.of(
                "--nodes",
                "" + nodes,
                "--member",
                "" + one.number(),
                "--new-member=" + (isNew && Members.isHere(one) ? "begins" : "none"));
        start(started, one.name(), settings, more);
      }
    }
  }

  /** Waits until one of them leads; most of them must be there. */
  private static void awaitMembers(Daemons daemons, StartedDaemons started, CoordinatorGroup group)
      throws IOException, InterruptedException {
    RunFolder folder = RunFolder.of(daemons.directory());
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (CoordinatorAddress.read(folder).flatMap(CoordinatorAddress::process).isEmpty()) {
      List<String> ended = coordinators(started.ended());
      if (ended.size() > group.members().size() / 2) {
        throw new IOException(ended(daemons, ended.getFirst()));
      }
      check(daemons, started, env, deadline);
      env.sleep(PAUSE_NANOS);
    }
  }

  private static List<String> coordinators(List<String> all) {
    return all.stream().filter(one -> one.startsWith(Daemons.COORDINATOR)).toList();
  }

  /** Looks twice: a process that was just killed may take a moment to be gone. */
  private static void startCoordinator(
      StartedDaemons started, DaemonOptions.Settings settings, int nodes)
      throws IOException, InterruptedException {
    List<String> more = List.of("--nodes", "" + nodes);
    start(started, Daemons.COORDINATOR, settings, more);
    for (int i = 0; i < LOOKS && started.all().isEmpty(); i++) {
      Env.real().sleep(PAUSE_NANOS);
      start(started, Daemons.COORDINATOR, settings, more);
    }
  }

  static void start(
      StartedDaemons started, String daemon, DaemonOptions.Settings settings, List<String> more)
      throws IOException {
    List<String> args = new ArrayList<>();
    boolean node = !daemon.startsWith(Daemons.COORDINATOR);
    args.add(node ? "node" : Daemons.COORDINATOR);
    args.addAll(settings.asOptions(node));
    args.addAll(more);
    started.start(daemon, args);
  }

  /** What a coordinator left that was killed is not its address any more. */
  private static void awaitAddress(Daemons daemons, StartedDaemons started)
      throws IOException, InterruptedException {
    Process coordinator = started.all().get(Daemons.COORDINATOR);
    RunFolder folder = RunFolder.of(daemons.directory());
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (coordinator != null) {
      Optional<CoordinatorAddress> said = CoordinatorAddress.read(folder);
      if (said.isPresent() && said.get().pid() == coordinator.pid()) {
        return;
      }
      check(daemons, started, env, deadline);
      env.sleep(PAUSE_NANOS);
    }
  }

  /**
   * The nodes of a cluster.
   *
   * @param all how many there are
   * @param elsewhere those of other hosts, or of other directories: not to be started here
   * @param removed those that were removed for good
   */
  private record Nodes(int all, List<Integer> elsewhere, List<Integer> removed) {

    List<Integer> here() {
      return IntStream.range(0, all)
          .boxed()
          .filter(i -> !elsewhere.contains(i) && !removed.contains(i))
          .toList();
    }
  }

  /** Waits until the coordinator answers and all that were started can be found. */
  private static Nodes await(
      Daemons daemons, StartedDaemons started, ServerOptions server, boolean withNodes)
      throws IOException, InterruptedException {
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    var where = new ClusterLocation.In(daemons.directory());
    try (RunningCluster cluster =
        RunningCluster.connect(where, ClusterOptions.DEFAULT, server.transport())) {
      while (true) {
        List<NodeFact> facts = cluster.nodeFacts();
        Nodes nodes =
            new Nodes(
                facts.size(),
                cluster.administration().nodesElsewhere(),
                facts.stream().filter(NodeFact::isRemoved).map(NodeFact::number).toList());
        List<String> ended = started.ended();
        boolean up =
            nodes.here().stream()
                .allMatch(i -> facts.get(i).up() || ended.contains(Daemons.node(i)));
        if ((up || !withNodes) && haveSaidSo(daemons, started)) {
          return nodes;
        }
        check(daemons, started, env, deadline);
        env.sleep(PAUSE_NANOS);
      }
    }
  }

  /** Until its pid file is there, millrace stop would not know of a daemon. */
  private static boolean haveSaidSo(Daemons daemons, StartedDaemons started) throws IOException {
    List<String> ended = started.ended();
    for (String daemon : started.all().keySet()) {
      if (!ended.contains(daemon) && daemons.process(daemon).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static void check(Daemons daemons, StartedDaemons started, Env env, long deadline)
      throws IOException {
    if (started.ended().contains(Daemons.COORDINATOR)) { // without it nothing can come back
      throw new IOException(ended(daemons, Daemons.COORDINATOR));
    }
    if (env.nanoTime() > deadline) {
      throw new IOException(
          "not all daemons have started within %s s; see their logs in %s"
              .formatted(
                  TIMEOUT_NANOS / 1_000_000_000L, daemons.log(Daemons.COORDINATOR).getParent()));
    }
  }

  private static String ended(Daemons daemons, String daemon) throws IOException {
    return "%s ended at once: %s; all of its log is in %s"
        .formatted(daemon, String.join("; ", daemons.tail(daemon)), daemons.log(daemon));
  }

  /** Says of a node that did not come back why, and what that means. */
  private void complain(Daemons daemons, String node) {
    PrintWriter err = spec.commandLine().getErr();
    try {
      err.println("millrace: " + ended(daemons, node));
    } catch (IOException e) {
      err.println("millrace: " + node + " ended at once, and its log cannot be read: " + e);
    }
    if (node.startsWith(Daemons.COORDINATOR)) {
      err.println("millrace: the other coordinators go on without it");
    } else {
      err.printf(
          "millrace: files that are striped over %s cannot be used until it is back; all others can%n",
          node);
    }
  }

  private void report(Path directory, Nodes there, int started, Optional<CoordinatorGroup> group)
      throws IOException {
    int nodes = there.all - there.removed.size();
    PrintWriter out = spec.commandLine().getOut();
    String where = new ClusterLocation.In(directory).coordinator().toString();
    String what =
        started == 0
            ? "is up already"
            : started >= there.here().size() + 1
                ? "is up"
                : "is up, " + started + " of its processes anew";
    out.printf(
        "The cluster in %s %s: %s node%s%s, %s at %s%n",
        directory,
        what,
        nodes,
        nodes == 1 ? "" : "s",
        there.elsewhere.isEmpty() ? "" : ", of which %s elsewhere".formatted(there.elsewhere),
        group.map(all -> all.members().size() + " coordinators, the leader").orElse("coordinator"),
        where);
    if (started > 0) {
      String option =
          directory.equals(ClusterLocation.DEFAULT_DIRECTORY) ? "" : " --dir " + directory;
      out.printf(
          "Next: millrace run heat --procs%s, or millrace status%s; end it with: millrace stop%s%n",
          option, option, option);
    }
  }
}
