package org.millrace.cli.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopyJobs;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.LongRun;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TreeWalk;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.client.FileNames;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileKind;
import org.millrace.files.FileTree;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace rm}: removes, several files at a time. Used by one thread. */
@Command(
    name = "rm",
    description = {
      "Remove files and empty directories. Programs that have a file open keep it until they close"
          + " it.",
      "An interrupted command has removed some files whole and not touched the others."
    })
public final class RmCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-r", description = "Remove directories with all that is in them.")
  private boolean recursive;

  @Option(names = "-f", description = "Ignore names that do not exist.")
  private boolean force;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description = "Files and directories, or patterns in quotes.")
  private List<String> paths = List.of();

  /** What is to go: files in any order, then directories, the inner ones first. */
  private record Doomed(Set<String> files, Set<String> directories) {

    long count() {
      return (long) files.size() + directories.size();
    }
  }

  @Override
  public Integer call() throws IOException {
    if (paths.stream().map(FilePaths::of).anyMatch(String::isEmpty)) {
      throw new ParameterException(
          spec.commandLine(), "the root directory cannot be removed; name what is in it");
    }
    try (RunningCluster cluster = place.open()) {
      Doomed doomed = find(cluster);
      try (LongRun run = new LongRun(spec.commandLine(), "rm", "removed", doomed.count())) {
        removeFiles(cluster, run, doomed.files);
        ClusterPlace.as(
            cluster,
            rank -> {
              for (String directory : doomed.directories) {
                remove(run, rank, directory);
              }
              return ExitCode.OK;
            });
      }
      return ExitCode.OK;
    }
  }

  private void removeFiles(RunningCluster cluster, LongRun run, Set<String> files)
      throws IOException {
    try {
      CopyJobs.run(cluster, files.stream().map(one -> job(run, one)).toList());
    } catch (InterruptedIOException e) {
      InterruptedIOException all = run.interrupted(); // with those that were under way
      all.initCause(e);
      throw all;
    }
  }

  private CopyJobs.Job job(LongRun run, String path) {
    return rank -> remove(run, rank, path);
  }

  private void remove(LongRun run, Rank rank, String path) throws IOException {
    run.begin(path);
    try {
      rank.names().remove(path);
    } catch (NoSuchNameException e) { // somebody else was quicker
      if (!force) {
        throw e;
      }
    }
    run.end();
  }

  private Doomed find(RunningCluster cluster) throws IOException {
    try (FileTree tree = cluster.files()) {
      return ClusterPlace.as(cluster, rank -> find(rank.names(), tree));
    }
  }

  private Doomed find(FileNames names, FileTree tree) throws IOException {
    Doomed doomed = new Doomed(new LinkedHashSet<>(), new LinkedHashSet<>());
    NameSource source = NameSource.of(names);
    for (String word : paths) {
      try {
        for (String path : TypedPaths.expand(source, List.of(word))) {
          add(names, path, isDirectory(tree, path), doomed);
        }
      } catch (NoSuchNameException e) {
        if (!force) {
          throw e;
        }
      }
    }
    return doomed;
  }

  /** Not by a link to one: its target stays as it is. */
  private static boolean isDirectory(FileTree tree, String path) throws IOException {
    try {
      return TreeWalk.stat(tree, path).kind() == FileKind.DIRECTORY;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NODE || e.code() == ErrorCode.CORRUPT) {
        return false; // nodes are asked about files only
      }
      throw e;
    }
  }

  private void add(FileNames names, String path, boolean directory, Doomed doomed)
      throws IOException {
    if (!directory) {
      doomed.files.add(path);
      return;
    }
    List<String> inside = names.list(path);
    if (!inside.isEmpty() && !recursive) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(path) + " is not empty; -r removes all that is in it");
    }
    for (String name : inside) {
      add(names, FilePaths.in(path, FilePaths.of(name)), name.endsWith("/"), doomed);
    }
    doomed.directories.add(path);
  }
}
