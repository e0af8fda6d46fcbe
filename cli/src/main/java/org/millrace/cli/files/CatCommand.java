package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.copy.Downloads;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace cat}: files to standard output. Used by one thread. */
@Command(name = "cat", description = "Write files to standard output.")
public final class CatCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files, or patterns in quotes.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    try (CopyRun passage = CopyRun.printing(spec.commandLine(), "cat", 0)) {
      return place.with(
          rank -> {
            Downloads downloads = new Downloads(rank, passage.courier(), false, false);
            for (String path : TypedPaths.expand(NameSource.of(rank.names()), paths)) {
              passage.name(path);
              downloads.print(path);
            }
            return ExitCode.OK;
          });
    }
  }
}
