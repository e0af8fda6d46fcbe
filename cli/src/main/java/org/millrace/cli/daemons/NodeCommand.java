package org.millrace.cli.daemons;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.RunFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace node}: the daemon that keeps strands. Used by one thread. */
@Command(
    name = "node",
    aliases = "iod", // as PFSLib called it
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Run a node of a cluster in the foreground, until SIGTERM or SIGINT.",
      "",
      "It keeps its strands in D/node-i, and its pid and log in D/run. It finds the coordinator"
          + " through D/run, or at --coordinator if that is on another host; then D needs a copy of"
          + " the coordinator's file secret."
    })
public final class NodeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Option(names = "--node", paramLabel = "i", description = "Which node it is, from 0.")
  void setNode(String number) {
    options.give("node", number);
  }

  @Option(
      names = "--coordinator",
      paramLabel = "ADDRESS",
      description = "The coordinator's address (default: as D/run/coordinator.address says).")
  void setCoordinator(String address) {
    options.give("coordinator", address);
  }

  @Override
  public Integer call() throws Exception {
    DaemonOptions.Settings settings = options.settings();
    int number = settings.number("node", -1);
    if (number < 0) {
      throw new ParameterException(spec.commandLine(), "say which node it is: --node i");
    }
    Path directory = settings.directory();
    ServerOptions server = settings.server();
    ClusterLocation where =
        settings
            .text("coordinator")
            .map(ClusterLocation::parse)
            .orElse(new ClusterLocation.In(directory));
    RunFolder folder = RunFolder.make(directory, server.shared());
    return Daemon.run(
        folder,
        "node-" + number,
        spec.commandLine().getOut(),
        log -> Server.node(directory, number, where, server, log));
  }
}
