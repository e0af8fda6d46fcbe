package org.millrace.cli.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.copy.Downloads;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace get}: files out of the cluster. Used by one thread. */
@Command(
    name = "get",
    description = {
      "Get files from the cluster.",
      "A file appears only when its copy is complete: an interrupted copy leaves nothing behind."
    })
public final class GetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-f", description = "Replace files that exist.")
  private boolean replace;

  @Option(names = "-r", description = "Get directories with their contents.")
  private boolean recursive;

  @Option(names = "--no-verify", description = "Do not read the file back to compare its checksum.")
  private boolean noVerify;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description =
          "Paths in the cluster; the last is a file or folder outside, or - for standard output.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    List<String> sources = paths.subList(0, paths.size() - 1).stream().map(FilePaths::of).toList();
    Path target = Path.of(paths.getLast());
    boolean into = paths.getLast().endsWith("/") || Files.isDirectory(target);
    if (sources.size() > 1 && !into && !target.equals(Downloads.STDOUT)) {
      throw new MillraceException(ErrorCode.WRONG_KIND, target + " is not a folder; make it first");
    }
    try (RunningCluster cluster = place.open()) {
      long total = ClusterPlace.as(cluster, rank -> total(rank, sources));
      boolean verify = !noVerify && !target.equals(Downloads.STDOUT);
      try (CopyRun passage = new CopyRun(spec.commandLine(), "get", verify ? 2 * total : total)) {
        return ClusterPlace.as(
            cluster,
            rank -> {
              getAll(new Downloads(rank, passage.courier(), replace, verify), rank, sources, into);
              return ExitCode.OK;
            });
      }
    }
  }

  private long total(Rank rank, List<String> sources) throws IOException {
    long sum = 0;
    for (String source : sources) {
      if (!recursive) {
        FilePaths.requireFile(rank.names(), source, "; -r gets it with all that is in it");
      }
      sum += Downloads.bytes(rank.names(), source);
    }
    return sum;
  }

  private void getAll(Downloads downloads, Rank rank, List<String> sources, boolean into)
      throws IOException {
    Path target = Path.of(paths.getLast());
    for (String source : sources) {
      if (target.equals(Downloads.STDOUT)) {
        downloads.print(source);
      } else {
        Path to = into ? target.resolve(FilePaths.name(source)) : target;
        if (FilePaths.isDirectory(rank.names(), source)) {
          downloads.getTree(source, to);
        } else {
          downloads.get(source, to);
        }
      }
    }
  }
}
