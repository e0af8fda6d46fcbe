package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TreeWalk;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace du}: how large directories are. Used by one thread. */
@Command(
    name = "du",
    description = {
      "Show how many files and bytes are in directories.",
      "Sizes are those of files: holes count, and copies of strands do not. millrace df shows what"
          + " disks hold."
    })
public final class DuCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = {"-h", "--human-readable"},
      description = "Sizes as 1.5K, 20M or 3.2G.")
  private boolean human;

  @Option(
      names = {"-s", "--summarize"},
      description = "One line for each PATH.")
  private boolean summary;

  @Option(
      names = {"-a", "--all"},
      description = "A line for each file, too.")
  private boolean all;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description = "Files and directories, or patterns in quotes; the root if none is given.")
  private List<String> paths = List.of("");

  /**
   * A line.
   *
   * @param path the file or directory
   * @param bytes of the file, or of all files below the directory
   * @param files how many there are
   */
  public record Usage(String path, long bytes, long files) {}

  @Override
  public Integer call() throws IOException {
    List<Usage> usages = place.withFiles(this::usages);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(usages));
      return ExitCode.OK;
    }
    Table table = new Table(">bytes", ">files", "path");
    for (Usage one : usages) {
      String bytes = human ? Shown.bytes(one.bytes) : Long.toString(one.bytes);
      table.row(bytes, one.files, FilePaths.shown(one.path));
    }
    table.lines().forEach(out::println);
    return ExitCode.OK;
  }

  private List<Usage> usages(FileTree tree) throws IOException {
    List<Usage> usages = new ArrayList<>();
    Sums sums = new Sums(usages);
    for (String path : TypedPaths.expand(NameSource.of(tree), paths)) {
      TreeWalk.from(tree, path, sums);
    }
    return usages;
  }

  /** Adds up from the leaves. A file with several names counts once. */
  private final class Sums implements TreeWalk.Visitor {

    private final List<Usage> usages;
    private final Set<Long> known = new HashSet<>();
    private final Deque<long[]> above = new ArrayDeque<>(); // bytes and files of open directories

    Sums(List<Usage> usages) {
      this.usages = usages;
    }

    @Override
    public boolean visit(String path, FileStatus status, int depth) {
      if (status.kind() == FileKind.DIRECTORY) {
        above.push(new long[2]);
        return true;
      }
      boolean counts = status.kind() == FileKind.FILE && known.add(status.id());
      long bytes = counts ? status.size() : 0;
      add(bytes, counts ? 1 : 0);
      if (depth == 0 || all && !summary) {
        usages.add(new Usage(path, bytes, counts ? 1 : 0));
      }
      return false;
    }

    @Override
    public void left(String path, FileStatus status, int depth) {
      long[] sum = above.pop();
      add(sum[0], sum[1]);
      if (depth == 0 || !summary) {
        usages.add(new Usage(path, sum[0], sum[1]));
      }
    }

    private void add(long bytes, long files) {
      long[] sum = above.peek();
      if (sum != null) {
        sum[0] += bytes;
        sum[1] += files;
      }
    }
  }
}
