package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.LongRun;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace mv}: renames. Used by one thread. */
@Command(
    name = "mv",
    description = {
      "Rename files and directories, or move them into a directory.",
      "Each is renamed in one step: an interrupted command has renamed some and not touched others."
    })
public final class MvCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-f", description = "Replace files that exist.")
  private boolean replace;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description =
          "What to move, or patterns in quotes; the last is the new name, or a directory to move it"
              + " into.")
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
    List<String> sources =
        TypedPaths.expand(NameSource.of(names), paths.subList(0, paths.size() - 1));
    String target = FilePaths.of(paths.getLast());
    boolean into = FilePaths.isDirectory(names, target);
    if (!into && (sources.size() > 1 || paths.getLast().endsWith("/"))) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(target) + " is not a directory; make it with: millrace mkdir");
    }
    try (LongRun run = new LongRun(spec.commandLine(), "mv", "moved", sources.size())) {
      for (String from : sources) {
        run.begin(from);
        move(names, from, into ? FilePaths.in(target, FilePaths.name(from)) : target);
        run.end();
      }
    }
  }

  private void move(FileNames names, String from, String to) throws IOException {
    try {
      if (replace) {
        names.replace(from, to);
      } else {
        names.rename(from, to);
      }
    } catch (NameExistsException e) {
      throw new NameExistsException(FilePaths.shown(to) + " exists; -f replaces it");
    }
  }
}
