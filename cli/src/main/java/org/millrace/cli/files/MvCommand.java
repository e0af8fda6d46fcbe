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
import org.millrace.error.NameExistsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace mv}: renames. Used by one thread. */
@Command(
    name = "mv",
    description = "Rename files and directories, or move them into a directory. Replaces nothing.")
public final class MvCommand implements Callable<Integer> {

  @Mixin private ClusterPlace place;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description = "What to move; the last is the new name, or a directory to move it into.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    return place.with(
        rank -> {
          move(rank.names());
          return ExitCode.OK;
        });
  }

  private void move(FileNames names) throws IOException {
    String target = FilePaths.of(paths.getLast());
    boolean into = FilePaths.isDirectory(names, target);
    if (!into && (paths.size() > 2 || paths.getLast().endsWith("/"))) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(target) + " is not a directory; make it with: millrace mkdir");
    }
    for (String path : paths.subList(0, paths.size() - 1)) {
      String from = FilePaths.of(path);
      String to = into ? FilePaths.in(target, FilePaths.name(from)) : target;
      try {
        names.rename(from, to);
      } catch (NameExistsException e) {
        throw new NameExistsException(
            FilePaths.shown(to) + " exists; remove it first with: millrace rm");
      }
    }
  }
}
