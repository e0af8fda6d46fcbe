package org.millrace.cli.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.LongRun;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TreeWalk;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import picocli.CommandLine;

/**
 * A command that does the same to each of many files: chmod, chown, sync. Immutable.
 *
 * @param line the command
 * @param outcome what is said of a file to which it was done
 * @param recursive whether directories are meant with all that is in them
 */
record TreeChange(CommandLine line, String outcome, boolean recursive) {

  /** What is done. */
  interface Action {

    /** Does it to one file or directory. */
    void on(FileTree tree, String path, FileStatus status) throws IOException;
  }

  private record Target(String path, FileStatus status) {}

  /** Does it to all that the words name; returns the exit code. */
  int run(ClusterPlace place, List<String> words, Action action) throws IOException {
    return place.withFiles(
        tree -> {
          List<Target> targets = targets(tree, words);
          try (LongRun run = new LongRun(line, line.getCommandName(), outcome, targets.size())) {
            for (Target one : targets) {
              run.begin(one.path);
              action.on(tree, one.path, one.status);
              run.end();
            }
          }
          return ExitCode.OK;
        });
  }

  /** Links are left out below directories, as chmod does: what they lead to is elsewhere. */
  private List<Target> targets(FileTree tree, List<String> words) throws IOException {
    List<Target> targets = new ArrayList<>();
    for (String path : TypedPaths.expand(NameSource.of(tree), words)) {
      TreeWalk.from(
          tree,
          path,
          (at, status, depth) -> {
            if (depth == 0 || status.kind() != FileKind.LINK) {
              targets.add(new Target(at, status));
            }
            return recursive;
          });
    }
    return targets;
  }
}
