package org.millrace.cli.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopiesOutcome;
import org.millrace.cli.copy.CopyInside;
import org.millrace.cli.copy.CopyJobs;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.client.FileNames;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace cp}: copies within the cluster. Used by one thread. */
@Command(
    name = "cp",
    description = {
      "Copy files of the cluster to other names of it, several at a time. put and get copy files in"
          + " and out.",
      "A file appears only when its copy is complete: an interrupted copy leaves what was there"
          + " before."
    })
public final class CpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-f", description = "Replace files that exist.")
  private boolean replace;

  @Option(
      names = {"-r", "-R"},
      description = "Copy directories with their contents.")
  private boolean recursive;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description =
          "What to copy, or patterns in quotes; the last is the name of the copy, or a directory to"
              + " copy it into.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    try (RunningCluster cluster = place.open()) {
      List<CopyInside.Wanted> wanted = ClusterPlace.as(cluster, rank -> wanted(rank.names()));
      long total = wanted.stream().mapToLong(CopyInside.Wanted::bytes).sum();
      CopiesOutcome outcome = new CopiesOutcome(wanted.size(), "copied");
      try (CopyRun run = new CopyRun(spec.commandLine(), "cp", total, 2)) {
        List<CopyJobs.Job> jobs = new ArrayList<>();
        for (CopyInside.Wanted one : wanted) {
          jobs.add(
              rank -> {
                run.checkGoesOn();
                run.name(one.from());
                new CopyInside(rank, run, replace).copy(one);
                outcome.done();
              });
        }
        outcome.of(() -> CopyJobs.run(cluster, jobs));
      }
      return ExitCode.OK;
    }
  }

  /** All files, when the directories for them are there. */
  private List<CopyInside.Wanted> wanted(FileNames names) throws IOException {
    List<String> sources =
        TypedPaths.expand(NameSource.of(names), paths.subList(0, paths.size() - 1));
    String target = FilePaths.of(paths.getLast());
    boolean into = FilePaths.isDirectory(names, target);
    if (!into && (sources.size() > 1 || paths.getLast().endsWith("/"))) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(target) + " is not a directory; make it with: millrace mkdir");
    }
    Map<String, String> known = new HashMap<>();
    List<CopyInside.Wanted> wanted = new ArrayList<>();
    for (String from : sources) {
      String to = into ? FilePaths.in(target, FilePaths.name(from)) : target;
      String before = known.put(to, from);
      if (before != null) { // they are copied at the same time: neither would be the last
        throw refused(
            "%s and %s would both become %s"
                .formatted(FilePaths.shown(before), FilePaths.shown(from), FilePaths.shown(to)));
      }
      add(names, from, to, wanted);
    }
    return wanted;
  }

  private void add(FileNames names, String from, String to, List<CopyInside.Wanted> wanted)
      throws IOException {
    boolean directory = FilePaths.isDirectory(names, from);
    if (to.equals(from) || directory && (to + "/").startsWith(from.isEmpty() ? "" : from + "/")) {
      throw refused(
          "%s cannot be copied %s itself"
              .formatted(FilePaths.shown(from), to.equals(from) ? "to" : "into"));
    }
    if (directory && recursive) {
      CopyInside.addTree(names, from, to, wanted);
      return;
    }
    FilePaths.requireFile(names, from, "; -r copies it with all that is in it");
    wanted.add(new CopyInside.Wanted(from, to, names.size(from)));
  }

  private static MillraceException refused(String why) {
    return new MillraceException(ErrorCode.INVALID, why);
  }
}
