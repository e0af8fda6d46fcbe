package org.millrace.cli.files;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace copies}: how many copies new files get. Used by one thread. */
@Command(
    name = "copies",
    description = "Say on how many nodes the strands of new files in a directory are.")
public final class CopiesCommand implements Callable<Integer> {

  @Mixin private ClusterPlace place;

  @Parameters(
      index = "0",
      paramLabel = "DIRECTORY",
      description = "A directory, for new files in it and below it; / for the whole cluster.")
  private String directory = "";

  @Parameters(
      index = "1",
      paramLabel = "COPIES",
      description = "1 to 3, or 0: as the directory above it says.")
  private int copies;

  @Override
  public Integer call() throws IOException {
    return place.with(
        rank -> {
          rank.names().setCopies(FilePaths.of(directory), copies);
          return ExitCode.OK;
        });
  }
}
