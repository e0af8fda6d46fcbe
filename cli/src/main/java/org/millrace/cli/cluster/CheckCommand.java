package org.millrace.cli.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cluster.ClusterCheck;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.FileProblem;
import org.millrace.daemon.Replication;
import org.millrace.env.Env;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace check}: reads a cluster that does not run. Used by one thread. */
@Command(
    name = "check",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Read everything in the directory of a cluster that does not run, and change nothing.",
      "",
      "Lists files whose strands are missing or corrupt, copies that are missing or differ, and"
          + " strands that belong to no file. Exit code 1 if there is any. millrace scrub does the"
          + " same for a cluster that runs, and repairs."
    })
public final class CheckCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "D",
      description = "The cluster's directory (default: .millrace/data).")
  private Path directory = ClusterLocation.DEFAULT_DIRECTORY;

  @Option(names = "--json", description = "Print the results as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    PrintWriter out = spec.commandLine().getOut();
    try (ClusterCheck check = Replication.openStopped(env, directory)) {
      List<FileProblem> problems;
      try (ProgressBar bar =
          new ProgressBar(
              spec.commandLine().getErr(),
              env,
              ProgressBar.terminalColumns(),
              "check",
              Math.max(1, check.strands()))) {
        problems = check.run(() -> bar.advance(1));
      }
      if (json) {
        out.println(Json.of(values(check, problems)));
      } else {
        problems.forEach(one -> out.println(ProblemText.line(one)));
        out.printf(
            "Checked %s file%s, %s strands: %s%n",
            check.files(),
            check.files() == 1 ? "" : "s",
            check.strands(),
            problems.isEmpty() ? "all is well" : problems.size() + " problems");
      }
      return problems.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static Map<String, Object> values(ClusterCheck check, List<FileProblem> problems) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("well", problems.isEmpty());
    values.put("files", check.files());
    values.put("strands", check.strands());
    values.put("problems", ProblemText.values(problems));
    return values;
  }
}
