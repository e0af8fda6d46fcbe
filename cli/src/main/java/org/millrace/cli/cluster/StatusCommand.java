package org.millrace.cli.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.Administration;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace status}: what a running cluster is doing. Used by one thread. */
@Command(
    name = "status",
    description = {
      "Show nodes, caches, groups, open files, pointers, locks, and which ranks wait for which"
          + " others, in which call and since when."
    },
    exitCodeList = {
      "  0:all is well",
      "  1:the coordinator or a node is down or in trouble, or a rank has been waiting for longer than --max-wait",
      "  2:the cluster cannot be reached, or the command line is wrong",
      "  3:could not start: no suitable JDK, or the build failed"
    })
public final class StatusCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--max-wait",
      paramLabel = "S",
      defaultValue = "60",
      description = "Seconds that a rank may wait for others (default: ${DEFAULT-VALUE}).")
  private int maxWait = 60;

  @Override
  public Integer call() throws IOException {
    if (maxWait < 0) {
      throw new ParameterException(
          spec.commandLine(), "--max-wait must be at least 0, was " + maxWait);
    }
    ClusterState state;
    try (RunningCluster cluster = place.connect()) {
      Administration administration = cluster.administration();
      state = ClusterState.of(Env.real(), administration);
    } catch (MillraceException e) {
      spec.commandLine().getErr().println("millrace: " + e.getMessage());
      return ExitCode.UNREACHABLE;
    }
    long nanos = maxWait * 1_000_000_000L;
    print(spec.commandLine().getOut(), state, nanos);
    return state.problems(nanos).isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void print(PrintWriter out, ClusterState state, long nanos) {
    List<String> lines =
        json ? List.of(Json.of(StatusText.values(state, nanos))) : StatusText.lines(state, nanos);
    lines.forEach(out::println);
  }
}
