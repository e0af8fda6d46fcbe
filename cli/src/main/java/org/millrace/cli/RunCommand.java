package org.millrace.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.Cluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * {@code millrace run}: a parallel program. A built-in example is a subcommand, so that it has
 * options and a help of its own; anything else is the user's class or jar, with all arguments that
 * follow its name. A {@link org.millrace.client.Program} is run by all ranks over a cluster; of
 * other classes {@code main} is run, which finds the options as system properties.
 *
 * <p>Options are inherited: {@code run --ranks 3 heat} and {@code run heat --ranks 3} are the same.
 * Used by one thread.
 */
@Command(
    name = "run",
    description = "Run a parallel program: a built-in example, a class or a jar.",
    synopsisSubcommandLabel = "EXAMPLE")
final class RunCommand implements Callable<Integer> {

  private static final String MORE_THAN_NONE = "must be at least 1, was ";

  @Spec private CommandSpec spec;

  private int ranks = 4;

  private int nodes = 4;

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      split = ":",
      description = "Folders and jars in which to look for CLASS; the current folder if not given.")
  private List<Path> classPath = List.of(Path.of(""));

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = ".millrace",
      scope = ScopeType.INHERIT,
      description = "Where the cluster keeps its files (default: ${DEFAULT-VALUE}).")
  private Path data = Path.of(".millrace");

  @Parameters(index = "0", arity = "0..1", paramLabel = "PROGRAM", description = "A class or jar.")
  private @Nullable String program;

  @Parameters(index = "1..*", paramLabel = "ARGS", description = "Arguments of the program.")
  private List<String> args = List.of();

  @Option(
      names = "--ranks",
      paramLabel = "P",
      defaultValue = "4",
      scope = ScopeType.INHERIT,
      description = "Number of ranks (default: ${DEFAULT-VALUE}).")
  void setRanks(int count) {
    ranks = requirePositive("--ranks", count);
  }

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "4",
      scope = ScopeType.INHERIT,
      description = "Number of nodes (default: ${DEFAULT-VALUE}).")
  void setNodes(int count) {
    nodes = requirePositive("--nodes", count);
  }

  /** How many ranks take part. */
  int ranks() {
    return ranks;
  }

  /** Where the cluster keeps its files. */
  Path data() {
    return data;
  }

  /** How many nodes the cluster has. */
  int nodes() {
    return nodes;
  }

  @Override
  public Integer call() throws Exception {
    if (program == null) {
      throw new ParameterException(
          spec.commandLine(), "run needs a program: an example, a class or a jar");
    }
    try (UserProgram user = UserProgram.load(program, classPath)) {
      if (user.isParallel()) {
        try (Cluster cluster = Cluster.embedded(data, nodes)) {
          cluster.run(ranks, user.program(args));
        }
      } else {
        System.setProperty("millrace.ranks", Integer.toString(ranks));
        System.setProperty("millrace.nodes", Integer.toString(nodes));
        System.setProperty("millrace.data", data.toString());
        user.main(args);
      }
    }
    return ExitCode.OK;
  }

  private int requirePositive(String option, int count) {
    if (count < 1) {
      throw new ParameterException(spec.commandLine(), option + " " + MORE_THAN_NONE + count);
    }
    return count;
  }
}
