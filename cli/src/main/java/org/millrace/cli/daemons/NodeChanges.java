package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.StopHook;
import org.millrace.cluster.NodeAdministration;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.protocol.NodeAction;
import picocli.CommandLine.Model.CommandSpec;

/** Carries out changes of nodes, with their processes. Used by one thread. */
final class NodeChanges {

  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long PAUSE_NANOS = 100_000_000L;

  /** How often a drain is looked at: the coordinator goes through all files for it. */
  private static final long LOOK_NANOS = 500_000_000L;

  private static final long STUCK_NANOS = 15_000_000_000L;
  private static final int MAX_NAMES = 20;

  // constant after construction
  private final CommandSpec spec;
  private final DaemonOptions.Settings settings;
  private final NodeAdministration nodes;
  private final @Nullable String address;
  private final Env env = Env.real();

  NodeChanges(
      CommandSpec spec,
      DaemonOptions.Settings settings,
      NodeAdministration nodes,
      @Nullable String address) {
    this.spec = spec;
    this.settings = settings;
    this.nodes = nodes;
    this.address = address;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  int apply(int node, NodeAction action, String done) throws IOException {
    nodes.change(node, action);
    out().printf("Node %s %s%n", node, done);
    return ExitCode.OK;
  }

  int add() throws IOException, InterruptedException {
    int node = nodes.change(0, NodeAction.ADD);
    if (address != null) {
      sayHowToStart(node);
      return ExitCode.OK;
    }
    start(node);
    out().printf("Node %s is there; new files use it%n", node);
    return ExitCode.OK;
  }

  private void sayHowToStart(int node) {
    out()
        .printf(
            "Now start it, on its host, in a directory with the cluster's file secret: millrace"
                + " node --node %s --coordinator %s --dir D%n",
            node, address);
  }

  /** Starts a node's process here, and waits until it has registered. */
  private void start(int node) throws IOException, InterruptedException {
    Daemons daemons = new Daemons(settings.directory());
    RunFolder.make(settings.directory(), settings.server().shared());
    try (StartedDaemons started = new StartedDaemons(daemons)) {
      int all = nodes.list().size();
      List<String> more = UpCommand.nodeOptions(settings, node, all);
      UpCommand.start(started, Daemons.node(node), settings, more);
      long deadline = env.deadlineAfter(TIMEOUT_NANOS);
      while (!nodes.list().get(node).fact().up() || daemons.process(Daemons.node(node)).isEmpty()) {
        if (!started.ended().isEmpty() || env.nanoTime() > deadline) {
          throw new IOException(
              "node %s did not start: %s; all of its log is in %s"
                  .formatted(
                      node,
                      String.join("; ", daemons.tail(Daemons.node(node))),
                      daemons.log(Daemons.node(node))));
        }
        env.sleep(PAUSE_NANOS);
      }
      started.keep();
    }
  }

  int replace(int node) throws IOException, InterruptedException {
    awaitDown(node);
    boolean up = nodes.list().size() > node && nodes.list().get(node).fact().up();
    boolean begun = up && nodes.list().get(node).holding().missing() > 0;
    if (!begun) { // else it was replaced before, and this goes on
      nodes.change(node, NodeAction.REPLACE);
      if (address != null) {
        sayHowToStart(node);
      } else {
        start(node);
      }
    }
    awaitCopies(node);
    List<String> lost = new ArrayList<>();
    nodes.incomplete().forEach(file -> lost.add(file.path()));
    lost.stream()
        .limit(MAX_NAMES)
        .forEach(path -> out().println("lost: a part of " + path + ", which has no other copy"));
    if (lost.size() > MAX_NAMES) {
      out()
          .printf(
              "lost: parts of %s more files; millrace ls -l shows them%n", lost.size() - MAX_NAMES);
    }
    out()
        .printf(
            "Node %s has a new disk; %s%n",
            node,
            lost.isEmpty()
                ? "nothing is lost, and all copies are there again"
                : "files with copies are whole again, and parts of %s others are lost: save the rest with millrace get --skip-bad, then remove them"
                    .formatted(lost.size()));
    return lost.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** A process that has just ended is taken for running for a while. */
  private void awaitDown(int node) throws IOException, InterruptedException {
    boolean ended = address == null && hasEnded(new Daemons(settings.directory()), node);
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (ended
        && nodes.list().size() > node
        && nodes.list().get(node).fact().up()
        && env.nanoTime() < deadline) {
      env.sleep(PAUSE_NANOS);
    }
  }

  /** By its pid file, and by the lock of its directory: it may have been started in another way. */
  private static boolean hasEnded(Daemons daemons, int node) throws IOException {
    String name = Daemons.node(node);
    return daemons.process(name).isEmpty() && !daemons.held().containsKey(name);
  }

  /** Waits until no copy is missing on a node. */
  private void awaitCopies(int node) throws IOException, InterruptedException {
    long total = Math.max(1, nodes.list().get(node).holding().missing());
    try (ProgressBar bar = bar("copies", total);
        StopHook stop = new StopHook(env, () -> {})) {
      long left = total;
      while (left > 0) {
        checkGoesOn(
            stop,
            "node %s has a new disk, and its copies are made without this command; millrace nodes"
                + " shows how far that is",
            node);
        NodeAdministration.State now = nodes.list().get(node);
        long missing = now.fact().up() ? now.holding().missing() : total;
        bar.advance(Math.max(0, left - missing));
        left = missing;
        if (left > 0) {
          env.sleep(PAUSE_NANOS);
        }
      }
    }
  }

  private ProgressBar bar(String label, long total) {
    PrintWriter err = spec.commandLine().getErr();
    return new ProgressBar(err, env, ProgressBar.terminalColumns(), label, total);
  }

  int drain(int node) throws IOException, InterruptedException {
    nodes.change(node, NodeAction.DRAIN);
    long total = Math.max(1, left(node));
    if (!awaitEmpty(node, total)) {
      return sayWhatStays(node);
    }
    out().printf("Node %s holds nothing any more; millrace nodes remove %s%n", node, node);
    return ExitCode.OK;
  }

  /** False if nothing has left the node for some time: somebody has the rest open. */
  private boolean awaitEmpty(int node, long total) throws IOException, InterruptedException {
    try (ProgressBar bar = bar("drain", total);
        StopHook stop = new StopHook(env, () -> {})) {
      long before = total;
      long stuck = env.deadlineAfter(STUCK_NANOS);
      for (long left = left(node); left > 0; left = left(node)) {
        checkGoesOn(
            stop,
            "node %1$s is drained without this command; millrace nodes shows how far that is, and"
                + " millrace nodes use %1$s takes it back",
            node);
        if (left < before) {
          stuck = env.deadlineAfter(STUCK_NANOS);
        }
        bar.advance(Math.max(0, before - left));
        before = left;
        if (env.nanoTime() > stuck) {
          return false;
        }
        env.sleep(LOOK_NANOS);
      }
    }
    return true;
  }

  private static void checkGoesOn(StopHook stop, String outcome, int node)
      throws InterruptedIOException {
    if (stop.isAsked()) {
      throw new InterruptedIOException(outcome.formatted(node));
    }
  }

  private long left(int node) throws IOException {
    NodeAdministration.State now = nodes.list().get(node);
    return now.holding().strands() + now.holding().missing();
  }

  private int sayWhatStays(int node) throws IOException {
    NodeAdministration.State now = nodes.list().get(node);
    out()
        .printf(
            "Node %s still holds %s strands: %s of files without copies that are open, and move"
                + " when they are closed; %s of which no other node has all%s. It goes on by"
                + " itself; millrace nodes shows how far it is%n",
            node,
            now.holding().strands() + now.holding().missing(),
            now.holding().open(),
            Math.max(0, now.holding().alone() - now.holding().open()),
            now.fact().up() ? "" : ", since the node is down: start it, or replace it");
    List<NodeAdministration.Staying> staying = nodes.staying(node);
    staying.stream()
        .limit(MAX_NAMES)
        .forEach(
            one -> out().printf("open: %s, by %s%n", one.path(), String.join("; ", one.openBy())));
    if (staying.size() > MAX_NAMES) {
      out().printf("open: %s more files; millrace status%n", staying.size() - MAX_NAMES);
    }
    return ExitCode.FAILED;
  }

  int remove(int node) throws IOException {
    boolean done = nodes.list().size() > node && nodes.list().get(node).fact().isRemoved();
    if (!done) {
      nodes.change(node, NodeAction.REMOVE);
    }
    Daemons daemons = new Daemons(settings.directory());
    if (address == null && daemons.process(Daemons.node(node)).isPresent()) {
      StopCommand.askToEnd(Daemons.node(node), daemons.process(Daemons.node(node)).orElseThrow());
    }
    out()
        .printf(
            "Node %s is removed, and its number is not given again; its directory can be deleted%n",
            node);
    return ExitCode.OK;
  }
}
