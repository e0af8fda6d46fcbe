package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.NodeAdministration;
import org.millrace.cluster.RunningCluster;
import org.millrace.output.Json;
import org.millrace.protocol.NodeAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace nodes}: the nodes of a running cluster. Used by one thread. */
@Command(
    name = "nodes",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "List the nodes of a running cluster, or change them.",
      "",
      "add: one more node, with an empty disk; new files use it.%n"
          + "replace N: node N and its disk are lost; an empty one takes its place. Its copies are"
          + " made anew from those of other nodes; files that had no copies, and their lost strands,"
          + " are listed.%n"
          + "drain N: moves what node N holds to the others, while programs run. Files without copies"
          + " move while nobody has them open.%n"
          + "use N: takes a drain back.%n"
          + "remove N: node N, which was drained and holds nothing, goes for good.",
      "",
      "Each can be repeated, and goes on where it was. With --connect a new node's process is yours"
          + " to start; the command says how."
    })
public final class NodesCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Parameters(
      arity = "0..2",
      paramLabel = "add | replace N | drain N | use N | remove N",
      description = "What to do; without it the nodes are listed.")
  private List<String> what = List.of();

  @Option(
      names = "--connect",
      paramLabel = "ADDRESS",
      description = "The coordinator's address, if it is not in --dir.")
  private @Nullable String address;

  @Option(names = "--json", description = "Print the list as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    DaemonOptions.Settings settings = options.settings();
    Path keys = settings.text("keys").map(Path::of).orElse(null);
    ClusterPlace place =
        address != null
            ? ClusterPlace.at(spec, address, keys)
            : ClusterPlace.in(spec, settings.directory(), keys);
    try (RunningCluster cluster = place.connect()) {
      NodeAdministration nodes = cluster.administration().nodes();
      if (what.isEmpty()) {
        list(nodes);
        return ExitCode.OK;
      }
      NodeChanges changes = new NodeChanges(spec, settings, nodes, address);
      if (what.equals(List.of("add"))) {
        return changes.add();
      }
      int node = node();
      return switch (what.getFirst()) {
        case "replace" -> changes.replace(node);
        case "drain" -> changes.drain(node);
        case "use" -> changes.apply(node, NodeAction.USE, "is used again");
        case "remove" -> changes.remove(node);
        default -> throw wrong();
      };
    }
  }

  private int node() {
    if (what.size() != 2 || !what.get(1).matches("[0-9]{1,6}")) {
      throw wrong();
    }
    return Integer.parseInt(what.get(1));
  }

  private ParameterException wrong() {
    return new ParameterException(
        spec.commandLine(),
        "say nodes, nodes add, or nodes replace, drain, use or remove with a node's number");
  }

  private void list(NodeAdministration nodes) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<NodeAdministration.State> all = nodes.list();
    if (json) {
      out.println(Json.of(NodeLines.values(all)));
    } else {
      NodeLines.table(all).lines().forEach(out::println);
    }
  }
}
