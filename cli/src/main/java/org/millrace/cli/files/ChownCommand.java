package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.files.FileChange;
import org.millrace.files.FilePath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace chown}: whose files are. Used by one thread. */
@Command(
    name = "chown",
    description = {
      "Change owner and group of files and directories.",
      "Only the cluster's administrator may give files to others; an owner may choose one of his"
          + " groups."
    })
public final class ChownCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = {"-R", "--recursive"},
      description = "Change directories with all that is in them.")
  private boolean recursive;

  @Parameters(
      index = "0",
      paramLabel = "[OWNER][:GROUP]",
      description = "A name each; what is left out stays as it is.")
  private String names = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PATH",
      description = "Files and directories, or patterns in quotes.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    int colon = names.indexOf(':');
    String owner = colon < 0 ? names : names.substring(0, colon);
    String group = colon < 0 ? "" : names.substring(colon + 1);
    if (owner.isEmpty() && group.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "'" + names + "' names nobody: give OWNER, OWNER:GROUP or :GROUP");
    }
    FileChange withOwner = owner.isEmpty() ? FileChange.NONE : FileChange.NONE.withOwner(owner);
    FileChange change = group.isEmpty() ? withOwner : withOwner.withGroup(group);
    return new TreeChange(spec.commandLine(), "changed", recursive)
        .run(place, paths, (tree, path, _) -> tree.change(FilePath.of(path), change));
  }
}
