package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.tree.ModeChange;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace chmod}: who may do what. Used by one thread. */
@Command(name = "chmod", description = "Change the mode of files and directories.")
public final class ChmodCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = {"-R", "--recursive"},
      description = "Change directories with all that is in them.")
  private boolean recursive;

  @Parameters(
      index = "0",
      paramLabel = "MODE",
      description = "Octal, such as 640, or clauses such as u+x,go-w or a=rX.")
  private String mode = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PATH",
      description = "Files and directories, or patterns in quotes.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    ModeChange change;
    try {
      change = ModeChange.parse(mode);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return new TreeChange(spec.commandLine(), "changed", recursive)
        .run(
            place,
            paths,
            (tree, path, status) -> {
              boolean directory = status.kind() == FileKind.DIRECTORY;
              int bits = change.apply(status.permissions(), directory);
              tree.change(FilePath.of(path), FileChange.NONE.withPermissions(bits));
            });
  }
}
