package org.millrace.cli.pfsd;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.pfs.Pfs;
import org.millrace.layout.Layout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace pfsdstat}: what PFSLib's server is doing. Used by one thread. */
@Command(
    name = "pfsdstat",
    description = {
      "Show what pfsd knows of open files: who has them open, where their pointers stand, who waits"
          + " for whom in which call. It is printed here; the original made the server print it."
    })
public final class PfsdstatCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private PfsdHost host;

  @Option(names = "-f", paramLabel = "FILE", description = "Only of this file.")
  private @Nullable String file;

  @Option(names = "-i", description = "Also the I/O daemons; with -f those that have a part of it.")
  private boolean iods;

  @Option(
      names = "-v",
      description = "Everything, in use or not, with all counters of the daemons.")
  private boolean verbose;

  @Override
  public Integer call() throws IOException {
    try (RunningCluster cluster = host.place().connect()) {
      ClusterState state = ClusterState.of(Env.real(), cluster.administration());
      PfsdStatus status =
          file == null
              ? new PfsdStatus(state, iods, verbose)
              : new PfsdStatus(PfsdStatus.of(state, path(), nodes(cluster)), iods, verbose);
      status.lines().forEach(spec.commandLine().getOut()::println);
      return ExitCode.OK;
    } catch (MillraceException e) {
      spec.commandLine().getErr().println("millrace: " + e.getMessage());
      return ExitCode.UNREACHABLE;
    }
  }

  private String path() {
    return Pfs.nameAtServer(file == null ? "" : file);
  }

  /** The nodes that have a part of the file. */
  private Set<Integer> nodes(RunningCluster cluster) throws IOException {
    try {
      return ClusterPlace.as(cluster, rank -> rank.names().stat(path()))
          .layout()
          .map(Layout::nodes)
          .orElse(List.of())
          .stream()
          .collect(Collectors.toSet());
    } catch (NoSuchNameException e) {
      return Set.of();
    }
  }
}
