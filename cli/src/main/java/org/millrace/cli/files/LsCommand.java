package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
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

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description = "Files and directories; the root if none is given.")
  private List<String> paths = List.of("");

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<String> wanted = paths.stream().map(FilePaths::of).toList();
    if (!isLong && !json) {
      place.with(rank -> names(rank.names(), wanted)).forEach(out::println);
      return ExitCode.OK;
    }
    List<Listing> all = place.with(rank -> listings(rank.names(), wanted));
    if (json) {
      out.println(Json.of(all.stream().map(Listing::values).toList()));
    } else {
      Table table = new Table("mode", "owner", "group", ">size", "made", "layout", "name");
      for (Listing one : all) {
        var entry = one.entry();
        table.row(
            one.mode(),
            entry.owner(),
            entry.group().isEmpty() ? "-" : entry.group(),
            one.sizeShown(),
            Shown.date(entry.createdMillis()),
            one.layoutShown(),
            shown(one));
      }
      table.lines().stream().skip(1).forEach(out::println);
    }
    return ExitCode.OK;
  }

  private String shown(Listing one) {
    String name = paths.size() > 1 ? one.path() : FilePaths.name(one.path());
    return one.entry().isDirectory() ? name + "/" : name;
  }

  private static List<String> names(FileNames names, List<String> paths) throws IOException {
    List<String> all = new ArrayList<>();
    for (String path : paths) {
      if (FilePaths.isDirectory(names, path)) {
        for (String name : names.list(path)) {
          all.add(Shown.text(paths.size() > 1 ? FilePaths.in(path, name) : name));
        }
      } else {
        names.stat(path); // which fails if there is none
        all.add(Shown.text(path));
      }
    }
    return all;
  }

  private static List<Listing> listings(FileNames names, List<String> paths) throws IOException {
    List<Listing> all = new ArrayList<>();
    for (String path : paths) {
      if (FilePaths.isDirectory(names, path)) {
        for (String name : names.list(path)) {
          all.add(Listing.of(names, FilePaths.in(path, FilePaths.of(name))));
        }
      } else {
        all.add(Listing.of(names, path));
      }
    }
    return all;
  }
}
