package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.copy.Downloads;
import org.millrace.cli.copy.Salvage;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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

  @Option(
      names = "--skip-bad",
      description = {
        "Get what can be read of damaged files, with zeros instead of the rest, and list what is"
            + " missing. If anything is, the exit code is 1."
      })
  private boolean skipBad;

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
    if (skipBad && target.equals(Downloads.STDOUT)) {
      throw new ParameterException(
          spec.commandLine(), "--skip-bad needs a file or folder, not standard output");
    }
    try (RunningCluster cluster = place.open()) {
      long total = ClusterPlace.as(cluster, rank -> total(rank, sources));
      boolean verify = !noVerify && !skipBad && !target.equals(Downloads.STDOUT);
      List<Salvage.Missing> missing = new ArrayList<>();
      try (CopyRun passage = new CopyRun(spec.commandLine(), "get", verify ? 2 * total : total)) {
        ClusterPlace.as(
            cluster,
            rank -> {
              Salvage salvage = skipBad ? new Salvage(passage::advance) : null;
              var downloads = new Downloads(rank, passage.courier(), replace, verify, salvage);
              getAll(downloads, rank, sources, into);
              missing.addAll(salvage == null ? List.of() : salvage.missing());
              return ExitCode.OK;
            });
      }
      return tell(missing);
    }
  }

  private int tell(List<Salvage.Missing> missing) {
    PrintWriter out = spec.commandLine().getOut();
    for (Salvage.Missing one : missing) {
      String to = one.to() == Long.MAX_VALUE ? "on, in one strand" : "to " + one.to();
      out.printf("missing: %s: bytes %d %s: %s%n", one.path(), one.from(), to, one.reason());
    }
    out.flush();
    return missing.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private long total(Rank rank, List<String> sources) throws IOException {
    long sum = 0;
    for (String source : sources) {
      if (!recursive) {
        FilePaths.requireFile(rank.names(), source, "; -r gets it with all that is in it");
      }
      sum +=
          skipBad
              ? Downloads.readableBytes(rank.names(), source)
              : Downloads.bytes(rank.names(), source);
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
