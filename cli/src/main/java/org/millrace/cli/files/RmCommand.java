package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.FileEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace rm}: removes. Used by one thread. */
@Command(
    name = "rm",
    description = "Remove files and empty directories. Files that a group has open are refused.")
public final class RmCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-r", description = "Remove directories with all that is in them.")
  private boolean recursive;

  @Option(names = "-f", description = "Ignore names that do not exist.")
  private boolean force;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    List<String> wanted = paths.stream().map(FilePaths::of).toList();
    if (wanted.contains("")) {
      throw new ParameterException(
          spec.commandLine(), "the root directory cannot be removed; name what is in it");
    }
    return place.with(
        rank -> {
          for (String path : wanted) {
            remove(rank.names(), path);
          }
          return ExitCode.OK;
        });
  }

  private void remove(FileNames names, String path) throws IOException {
    FileEntry entry;
    try {
      entry = names.stat(path);
    } catch (NoSuchNameException e) {
      if (force) {
        return;
      }
      throw e;
    }
    if (entry.isDirectory()) {
      List<String> inside = names.list(path);
      if (!inside.isEmpty() && !recursive) {
        throw new MillraceException(
            ErrorCode.WRONG_KIND,
            FilePaths.shown(path) + " is not empty; -r removes all that is in it");
      }
      for (String name : inside) {
        remove(names, FilePaths.in(path, FilePaths.of(name)));
      }
    }
    names.remove(path);
  }
}
