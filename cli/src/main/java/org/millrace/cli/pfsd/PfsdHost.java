package org.millrace.cli.pfsd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cluster.ClusterLocation;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * Which server of PFSLib's a command is about: there may be several on a machine, which the
 * original's port mapper could not tell apart. Used by one thread.
 */
final class PfsdHost {

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "HOST",
      description =
          "Where pfsd runs: its directory, its address (unix:/path, tcp:host:port, tls:host:port),"
              + " or localhost for the one in .millrace/data.")
  private String host = "";

  @Option(
      names = "--keys",
      paramLabel = "K",
      description = "Folder with the keys for tls: addresses, as millrace keys makes it.")
  private @Nullable Path keys;

  /** The cluster that it is. */
  ClusterPlace place() {
    return isAddress()
        ? ClusterPlace.at(spec, host, keys)
        : ClusterPlace.in(spec, directory(), keys);
  }

  /** Runs a command of Millrace's own there. */
  int run(String command, List<String> more) {
    List<String> line = new ArrayList<>();
    line.add(command);
    line.add(isAddress() ? "--connect=" + host : "--dir=" + directory());
    if (keys != null) {
      line.add("--keys=" + keys);
    }
    line.addAll(more);
    return ((MillraceCommands) spec.root().userObject()).execute(spec.commandLine(), line);
  }

  private boolean isAddress() {
    return host.matches("(unix|tcp|tls):.*");
  }

  private Path directory() {
    return host.equals("localhost") ? ClusterLocation.DEFAULT_DIRECTORY : Path.of(host);
  }
}
