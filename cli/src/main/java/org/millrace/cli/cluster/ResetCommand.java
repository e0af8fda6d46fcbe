package org.millrace.cli.cluster;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.RunningCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace reset}: takes open files away. Used by one thread. */
@Command(
    name = "reset",
    description = {
      "Close files in the groups that have them open. Waiting calls and every later use fail; reads"
          + " and writes at the nodes fail within a second or two. Data that were written stay.",
      "For files whose program hangs or has lost ranks."
    })
public final class ResetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Files; all that you may reset if none is given.")
  private List<String> files = List.of();

  @Override
  public Integer call() throws IOException {
    try (RunningCluster cluster = place.connect()) {
      long ended = cluster.administration().reset(files.stream().map(FilePaths::of).toList());
      spec.commandLine()
          .getOut()
          .println(ended == 1 ? "1 open file reset" : ended + " open files reset");
      return ExitCode.OK;
    }
  }
}
