package org.millrace.cli.files;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.layout.Layout;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace stat}: everything about a file. Used by one thread. */
@Command(
    name = "stat",
    description = "Show all that is known of files: size, owner, layout, and what each node holds.")
public final class StatCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description = "Files and directories, or patterns in quotes.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<Listing> all =
        place.with(
            rank -> {
              List<Listing> found = new ArrayList<>();
              for (String path : TypedPaths.expand(NameSource.of(rank.names()), paths)) {
                found.add(Listing.of(rank.names(), path));
              }
              return found;
            });
    if (json) {
      out.println(Json.of(all.stream().map(Listing::values).toList()));
    } else {
      all.forEach(one -> print(out, one));
    }
    return ExitCode.OK;
  }

  private static void print(PrintWriter out, Listing one) {
    var entry = one.entry();
    out.println("path    " + FilePaths.shown(one.path()));
    out.println("kind    " + (entry.isDirectory() ? "directory" : "file"));
    out.println("id      " + entry.id());
    out.println("mode    %s (%04o)".formatted(one.mode().substring(1), entry.permissions()));
    out.println(
        "owner   " + entry.owner() + (entry.group().isEmpty() ? "" : ", group " + entry.group()));
    out.println("made    " + Shown.date(entry.createdMillis()));
    if (entry.isDirectory()) {
      return;
    }
    out.println("size    " + one.sizeShown(false));
    Layout layout = entry.layout().orElseThrow();
    out.println(
        "layout  %s strands, stripe unit %s bytes, blocks of %s bytes"
            .formatted(layout.strands(), layout.stripeUnitBytes(), layout.blockBytes()));
    Table table = new Table(">strand", ">node", ">bytes");
    for (var strand : one.strands()) {
      Object bytes = strand.getOrDefault("bytes", "?");
      table.row(requireNonNull(strand.get("strand")), requireNonNull(strand.get("node")), bytes);
    }
    table.lines().forEach(out::println);
  }
}
