package org.millrace.cli.daemons;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.RunFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace coordinator}: the daemon that keeps names. Used by one thread. */
@Command(
    name = "coordinator",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Run a cluster's coordinator in the foreground, until SIGTERM or SIGINT.",
      "",
      "It writes its address to D/run/coordinator.address, and its pid and log beside it. Start nodes"
          + " with millrace node, or all of them with millrace up."
    })
public final class CoordinatorCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description =
          "Number of nodes; more than it has adds some (default: as many as it has, or 4).")
  void setNodes(String count) {
    options.give("nodes", count);
  }

  @Option(
      names = "--member",
      paramLabel = "K",
      description =
          "Run coordinator K of several: those that the file D/coordinators lists, as millrace up"
              + " --coordinators makes it.")
  void setMember(String number) {
    options.give("member", number);
  }

  @Option(
      names = "--new-member",
      paramLabel = "HOW",
      description =
          "Coordinator K never ran before, so its folder is made: begins for a new cluster, joins if"
              + " the others are at work. Without, a lost folder is noticed.")
  void setNewMember(String how) {
    options.give("new-member", how);
  }

  @Override
  public Integer call() throws Exception {
    DaemonOptions.Settings settings = options.settings();
    Path directory = settings.directory();
    ServerOptions server = settings.server();
    int nodes = settings.number("nodes", UpCommand.nodesOf(directory));
    RunFolder folder = RunFolder.make(directory, server.shared());
    if (settings.text("member").isPresent()) {
      int member = settings.number("member", 0);
      Server.Beginning beginning = beginning(settings);
      Path keys = Members.keys(settings, directory);
      return Daemon.run(
          folder,
          CoordinatorGroup.nameOf(member),
          spec.commandLine().getOut(),
          log -> Server.member(directory, member, nodes, beginning, keys, server, log));
    }
    return Daemon.run(
        folder,
        "coordinator",
        spec.commandLine().getOut(),
        log -> Server.coordinator(directory, nodes, server, log));
  }

  private Server.Beginning beginning(DaemonOptions.Settings settings) {
    String how = settings.text("new-member").orElse("none");
    return switch (how) {
      case "none" -> Server.Beginning.NONE;
      case "begins" -> Server.Beginning.BEGINS;
      case "joins" -> Server.Beginning.JOINS;
      default ->
          throw new ParameterException(
              spec.commandLine(), "new-member must be begins or joins, was '" + how + "'");
    };
  }
}
