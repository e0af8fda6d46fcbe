package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.Colour;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.client.FileNames;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace ls}: names of the cluster's files. Used by one thread. */
@Command(name = "ls", description = "List files and directories.")
public final class LsCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(
      names = "-l",
      description = "With mode, owner, group, size, date and layout (strands x stripe unit).")
  private boolean isLong;

  @Option(
      names = {"-h", "--human-readable"},
      description = "With -l: sizes as 1.5K, 20M or 3.2G.")
  private boolean human;

  @Option(
      names = {"-R", "--recursive"},
      description = "Also list what is in directories, and in those below them.")
  private boolean recursive;

  @Option(names = "-d", description = "List directories themselves, not what is in them.")
  private boolean itself;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description =
          "Files and directories, or patterns of them in quotes, such as 'dir/*.npy'; the root if"
              + " none is given.")
  private List<String> paths = List.of("");

  /** A name to be listed; what is known of it, if that was asked for. */
  private record Row(String path, boolean directory, List<Listing> listing) {}

  /** What is listed together: all names given, or what is in a directory. */
  private record Section(String directory, List<Row> rows) {}

  @Override
  public Integer call() throws IOException {
    List<Section> all = place.with(rank -> sections(rank.names()));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.of(
              all.stream()
                  .flatMap(one -> one.rows.stream())
                  .flatMap(row -> row.listing.stream())
                  .map(Listing::values)
                  .toList()));
      return ExitCode.OK;
    }
    boolean several = all.size() > 1;
    for (int i = 0; i < all.size(); i++) {
      Section one = all.get(i);
      if (recursive && several && !one.directory.isEmpty()) {
        out.println((i == 0 ? "" : System.lineSeparator()) + FilePaths.shown(one.directory) + ":");
      }
      boolean whole = one.directory.isEmpty() || several && !recursive;
      if (isLong) {
        printLong(out, one, whole);
      } else {
        one.rows.forEach(row -> out.println(coloured(row, shown(row, whole))));
      }
    }
    return ExitCode.OK;
  }

  private void printLong(PrintWriter out, Section section, boolean whole) {
    Table table = new Table("mode", "owner", "group", ">size", "made", "layout", "name");
    for (Row row : section.rows) {
      Listing one = row.listing.getFirst();
      var entry = one.entry();
      table.row(
          one.mode(),
          entry.owner(),
          entry.group().isEmpty() ? "-" : entry.group(),
          one.sizeShown(human),
          Shown.date(entry.createdMillis()),
          one.layoutShown(),
          shown(row, whole));
    }
    List<String> lines = table.lines();
    for (int i = 1; i < lines.size(); i++) { // without headings
      Row row = section.rows.get(i - 1);
      String name = shown(row, whole);
      String line = lines.get(i);
      out.println(line.substring(0, line.length() - name.length()) + coloured(row, name));
    }
  }

  private static String shown(Row row, boolean whole) {
    String name = Shown.text(whole ? row.path : FilePaths.name(row.path));
    return row.directory ? name + "/" : name;
  }

  private static String coloured(Row row, String name) {
    return row.directory ? Colour.DIRECTORY.of(name) : name;
  }

  private List<Section> sections(FileNames names) throws IOException {
    List<Section> all = new ArrayList<>();
    List<Row> given = new ArrayList<>();
    List<String> directories = new ArrayList<>();
    for (String path : TypedPaths.expand(NameSource.of(names), paths)) {
      if (!itself && FilePaths.isDirectory(names, path)) {
        directories.add(path);
      } else {
        boolean directory = names.stat(path).isDirectory(); // which fails if there is none
        given.add(row(names, path, directory));
      }
    }
    if (!given.isEmpty()) {
      all.add(new Section("", given));
    }
    for (String directory : directories) {
      add(names, directory, all);
    }
    return all;
  }

  private void add(FileNames names, String directory, List<Section> all) throws IOException {
    List<Row> rows = new ArrayList<>();
    all.add(new Section(directory, rows));
    for (String name : names.list(directory)) {
      rows.add(row(names, FilePaths.in(directory, FilePaths.of(name)), name.endsWith("/")));
    }
    for (Row row : rows) {
      if (recursive && row.directory) {
        add(names, row.path, all);
      }
    }
  }

  private Row row(FileNames names, String path, boolean directory) throws IOException {
    return new Row(path, directory, isLong || json ? List.of(Listing.of(names, path)) : List.of());
  }
}
