package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code millrace stop}: ends a cluster's processes, in order. Used by one thread. */
@Command(
    name = "stop",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "End the processes of a cluster, in order, and wait for them.",
      "",
      "Nodes make their data durable and end first, then the coordinator. A process that is already"
          + " dead is not an error; one that could not make its data durable is. With --connect,"
          + " processes on other hosts end, too; their logs say how."
    })
public final class StopCommand implements Callable<Integer> {

  private static final long TIMEOUT_SECONDS = 60;
  private static final long POLL_NANOS = 20_000_000L;

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Override
  public Integer call() throws Exception {
    if (place.hasAddress()) {
      return ask();
    }
    Path directory = place.directory();
    Daemons daemons = new Daemons(directory);
    List<String> dead = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    endConsole(daemons);
    int ended =
        end(daemons, daemons.nodes(), dead, bad) + end(daemons, daemons.coordinators(), dead, bad);
    checkFree(daemons);
    PrintWriter out = spec.commandLine().getOut();
    if (!dead.isEmpty()) {
      out.println(
          "Dead already: %s; data that they had not flushed are lost"
              .formatted(String.join(", ", dead)));
    }
    if (!bad.isEmpty()) {
      throw new IOException(
          "%s ended, but not in order: data that they had not flushed may be lost; see %s"
              .formatted(
                  String.join(", ", bad),
                  String.join(", ", bad.stream().map(one -> "" + daemons.log(one)).toList())));
    }
    if (ended == 0 && dead.isEmpty()) {
      out.println("Nothing runs in " + directory);
    } else if (ended > 0) {
      out.println(
          "Ended %s processes in %s%s"
              .formatted(ended, directory, dead.isEmpty() ? "; everything is durable" : ""));
    }
    return ExitCode.OK;
  }

  /** It holds nothing: whether it ended in order is of no concern. */
  private static void endConsole(Daemons daemons) throws IOException, InterruptedException {
    end(daemons, List.of(ConsoleDaemon.NAME), new ArrayList<>(), new ArrayList<>());
  }

  private int ask() throws IOException {
    try (RunningCluster cluster = place.connect()) {
      int ended = cluster.administration().shutdown();
      spec.commandLine().getOut().println("Ended " + ended + " processes of " + place.name());
      return ExitCode.OK;
    }
  }

  /**
   * Ends those that live.
   *
   * @param dead told those that were dead
   * @param bad told those that left their pid files: they were killed, or failed at the end
   */
  private static int end(Daemons daemons, List<String> names, List<String> dead, List<String> bad)
      throws IOException, InterruptedException {
    Map<String, ProcessHandle> asked = new LinkedHashMap<>();
    for (String name : names) {
      Optional<ProcessHandle> process = daemons.process(name);
      if (process.isPresent()) {
        askToEnd(name, process.get());
        asked.put(name, process.get());
      } else if (daemons.hasPidFile(name)) {
        dead.add(name);
        daemons.forget(name);
      }
    }
    List<String> stubborn = new ArrayList<>();
    for (Map.Entry<String, ProcessHandle> one : asked.entrySet()) {
      if (!hasEnded(one.getValue())) {
        stubborn.add(one.getKey() + " (pid " + one.getValue().pid() + ")");
      } else if (daemons.hasPidFile(one.getKey())) {
        bad.add(one.getKey());
        daemons.forget(one.getKey());
      }
    }
    if (!stubborn.isEmpty()) {
      throw new IOException(
          "%s did not end within %s s: see the log in %s"
              .formatted(
                  String.join(", ", stubborn),
                  TIMEOUT_SECONDS,
                  daemons.log(Daemons.COORDINATOR).getParent()));
    }
    return asked.size();
  }

  /** Sends SIGTERM, which daemons take as a wish; a process of somebody else's cannot be asked. */
  static void askToEnd(String name, ProcessHandle process) throws MillraceException {
    if (!process.destroy() && process.isAlive()) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "not permitted: %s (pid %s) is a process of user %s"
              .formatted(name, process.pid(), process.info().user().orElse("unknown")));
    }
  }

  /** A process may be there of which no pid file tells: still starting, or no daemon at all. */
  private static void checkFree(Daemons daemons) throws IOException {
    Map<String, String> held = daemons.held();
    if (!held.isEmpty()) {
      List<String> who = held.entrySet().stream().map(e -> e.getKey() + e.getValue()).toList();
      throw new IOException(
          "%s in %s in use by a process that no pid file names, and that is left alone: %s"
              .formatted(
                  held.size() == 1 ? "a part is" : "parts are",
                  daemons.directory(),
                  String.join(", ", who)));
    }
  }

  /** Asked often: the JDK's own way of waiting for another's child looks every few seconds. */
  private static boolean hasEnded(ProcessHandle process) throws InterruptedException {
    Env env = Env.real();
    long deadline = env.deadlineAfter(TIMEOUT_SECONDS * 1_000_000_000L);
    while (process.isAlive()) {
      if (env.nanoTime() > deadline) {
        return false;
      }
      env.sleep(POLL_NANOS);
    }
    return true;
  }
}
