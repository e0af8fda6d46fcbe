package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.FileNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace mkdir}: makes directories. Used by one thread. */
@Command(name = "mkdir", description = "Make directories.")
public final class MkdirCommand implements Callable<Integer> {

  @Mixin private ClusterPlace place;

  @Option(
      names = "-p",
      description = "Make parent directories, too; existing directories are not an error.")
  private boolean parents;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Directories.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    return place.with(
        rank -> {
          for (String path : paths) {
            make(rank.names(), FilePaths.of(path));
          }
          return ExitCode.OK;
        });
  }

  private void make(FileNames names, String path) throws IOException {
    if (!parents) {
      names.makeDirectory(path);
      return;
    }
    for (int slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      String part = slash < 0 ? path : path.substring(0, slash);
      if (!FilePaths.isDirectory(names, part)) {
        names.makeDirectory(part);
      }
      if (slash < 0) {
        return;
      }
    }
  }
}
