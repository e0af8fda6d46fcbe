package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.cli.tree.NamePattern;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TreeWalk;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code millrace find}: files by what is known of them. Used by one thread. */
@Command(
    name = "find",
    description = "List all names below directories that fulfil every condition given.",
    footer = {
      "",
      "Examples:",
      "  millrace find results -name '*.npy' -size +1g",
      "  millrace find -type f -newer results/last -print0"
    })
public final class FindCommand implements Callable<Integer> {

  private static final Map<String, FileKind> KINDS =
      Map.of(
          "f", FileKind.FILE,
          "d", FileKind.DIRECTORY,
          "l", FileKind.LINK,
          "p", FileKind.PIPE,
          "s", FileKind.SOCKET,
          "c", FileKind.CHARACTER_DEVICE,
          "b", FileKind.BLOCK_DEVICE);

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = {"-name", "--name"},
      paramLabel = "PATTERN",
      description = "The name, without the way to it, matches this pattern in quotes.")
  private @Nullable String name;

  @Option(
      names = {"-type", "--type"},
      paramLabel = "T",
      description =
          "f: files, d: directories, l: symbolic links, p: pipes, s: sockets, b and c: devices.")
  private @Nullable String type;

  @Option(
      names = {"-size", "--size"},
      paramLabel = "[+-]BYTES",
      description =
          "Files of so many bytes, with + of more, with - of less; k, m, g and t are binary units.")
  private @Nullable String size;

  @Option(
      names = {"-newer", "--newer"},
      paramLabel = "PATH",
      description = "Modified after this file of the cluster.")
  private @Nullable String newer;

  @Option(
      names = {"-maxdepth", "--max-depth"},
      paramLabel = "N",
      description = "At most so many directories below each PATH.")
  private int deepest = Integer.MAX_VALUE;

  @Option(
      names = {"-print0", "--print0"},
      description = "End each path with a zero byte, for xargs -0.")
  private boolean zero;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description = "Where to begin, or patterns in quotes; the root if none is given.")
  private List<String> paths = List.of("");

  /** What is looked for. */
  private interface Condition {
    boolean holds(String path, FileStatus status);
  }

  private record Found(String path, FileStatus status) {

    Map<String, @Nullable Object> values() {
      return Json.object(
          "path", path,
          "kind", status.kind().name().toLowerCase(Locale.ROOT),
          "mode", "%04o".formatted(status.permissions()),
          "owner", status.owner(),
          "group", status.group(),
          "size", status.size(),
          "modifiedMillis", status.times().modified() / 1_000_000);
    }
  }

  @Override
  public Integer call() throws IOException {
    List<Condition> conditions = conditions();
    List<Found> found = place.withFiles(tree -> find(tree, conditions));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(found.stream().map(Found::values).toList()));
    } else if (zero) {
      found.forEach(one -> out.print(one.path + '\0'));
    } else {
      found.forEach(one -> out.println(one.path.isEmpty() ? "/" : Shown.text(one.path)));
    }
    return ExitCode.OK;
  }

  private List<Found> find(FileTree tree, List<Condition> plain) throws IOException {
    List<Condition> all = new ArrayList<>(plain);
    if (newer != null) {
      long than = tree.stat(FilePath.of(FilePaths.of(newer))).times().modified();
      all.add((_, status) -> status.times().modified() > than);
    }
    List<Found> found = new ArrayList<>();
    for (String path : TypedPaths.expand(NameSource.of(tree), paths)) {
      TreeWalk.from(
          tree,
          path,
          (at, status, depth) -> {
            if (all.stream().allMatch(one -> one.holds(at, status))) {
              found.add(new Found(at, status));
            }
            return depth < deepest;
          });
    }
    return found;
  }

  private List<Condition> conditions() {
    List<Condition> all = new ArrayList<>();
    if (name != null) {
      NamePattern pattern = NamePattern.ofAny(name);
      all.add((path, _) -> pattern.matches(FilePaths.name(path)));
    }
    if (type != null) {
      FileKind kind = KINDS.get(type);
      if (kind == null) {
        throw wrong("-type " + type + ": use f, d, l, p, s, b or c");
      }
      all.add((_, status) -> status.kind() == kind);
    }
    if (size != null) {
      all.add(size(size));
    }
    return all;
  }

  private Condition size(String text) {
    char sign = text.isEmpty() ? ' ' : text.charAt(0);
    boolean signed = sign == '+' || sign == '-';
    try {
      long bytes = new ByteCount().convert(text.substring(signed ? 1 : 0));
      return (_, status) ->
          status.kind() == FileKind.FILE
              && switch (sign) {
                case '+' -> status.size() > bytes;
                case '-' -> status.size() < bytes;
                default -> status.size() == bytes;
              };
    } catch (TypeConversionException e) {
      throw wrong("-size: " + e.getMessage());
    }
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
