package org.millrace.cli.pfsd;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.daemons.DaemonOptions;
import org.millrace.cli.daemons.Daemons;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code millrace pfsd}: PFSLib's server with its I/O daemons. Used by one thread. */
@Command(
    name = "pfsd",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Start PFSLib's server and its I/O daemons (iod) in the background: a coordinator and nodes,"
          + " as millrace up does.",
      "",
      "Any number of servers may run on a machine, each in a directory of its own, and with --shared"
          + " each serves any number of users. pfsdstat, pfsdreset and pfsdexit are for it."
    })
public final class PfsdCommand implements Callable<Integer> {

  private static final int DEFAULT_IODS = 8;

  @Spec private CommandSpec spec;

  @ParentCommand private MillraceCommands millrace;

  @Mixin private DaemonOptions options;

  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "Number of I/O daemons (default: as it has, or " + DEFAULT_IODS + ").")
  private int iods;

  @Override
  public Integer call() throws Exception {
    if (iods < 0) {
      throw new ParameterException(spec.commandLine(), "N must be at least 1, was " + iods);
    }
    DaemonOptions.Settings settings = options.settings();
    List<String> line = new ArrayList<>();
    line.add("up");
    line.addAll(settings.asOptions(false));
    if (iods > 0 || new Daemons(settings.directory()).nodesOfCluster().isEmpty()) {
      line.add("--nodes=" + (iods > 0 ? iods : DEFAULT_IODS));
    }
    return millrace.execute(spec.commandLine(), line);
  }
}
