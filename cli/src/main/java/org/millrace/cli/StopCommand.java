package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace stop}: ends a cluster's processes on this host, in order. Used by one thread. */
@Command(
    name = "stop",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "End the processes of a cluster on this host, in order, and wait for them.",
      "",
      "Nodes first, each of which makes everything durable, then the coordinator. Those that are"
          + " dead already are no error."
    })
final class StopCommand implements Callable<Integer> {

  private static final long PATIENCE_SECONDS = 60;
  private static final long POLL_NANOS = 20_000_000L;

  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "D",
      description = "The cluster's directory (default: .millrace/data).")
  private Path directory = RunCommand.DEFAULT_DIRECTORY;

  @Override
  public Integer call() throws Exception {
    Daemons daemons = new Daemons(directory);
    List<String> nodes = daemons.nodes();
    int ended = end(daemons, nodes) + end(daemons, List.of(Daemons.COORDINATOR));
    spec.commandLine()
        .getOut()
        .println(
            ended == 0
                ? "Nothing runs in " + directory
                : "Ended " + ended + " processes in " + directory + "; everything is durable");
    return ExitCode.OK;
  }

  private static int end(Daemons daemons, List<String> names)
      throws IOException, InterruptedException {
    Map<String, ProcessHandle> asked = new LinkedHashMap<>();
    for (String name : names) {
      Optional<ProcessHandle> process = daemons.process(name);
      if (process.isPresent()) {
        process.get().destroy(); // SIGTERM, which daemons take as a wish
        asked.put(name, process.get());
      } else {
        daemons.forget(name);
      }
    }
    List<String> stubborn = new ArrayList<>();
    for (Map.Entry<String, ProcessHandle> one : asked.entrySet()) {
      if (!hasEnded(one.getValue())) {
        stubborn.add(one.getKey() + " (pid " + one.getValue().pid() + ")");
      }
    }
    if (!stubborn.isEmpty()) {
      throw new IOException(
          "%s did not end within %d s: see the log in %s"
              .formatted(
                  String.join(", ", stubborn),
                  PATIENCE_SECONDS,
                  daemons.log(Daemons.COORDINATOR).getParent()));
    }
    return asked.size();
  }

  /** Asked often: the JDK's own way of waiting for another's child looks every few seconds. */
  private static boolean hasEnded(ProcessHandle process) throws InterruptedException {
    Env env = Env.real();
    long deadline = env.deadlineAfter(PATIENCE_SECONDS * 1_000_000_000L);
    while (process.isAlive()) {
      if (env.nanoTime() > deadline) {
        return false;
      }
      env.sleep(POLL_NANOS);
    }
    return true;
  }
}
