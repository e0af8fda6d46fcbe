package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.error.RankFailedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * {@code millrace run}: a parallel program. A built-in example is a subcommand, so that it has
 * options and a help of its own; anything else is the user's class or jar, which runs here with all
 * arguments that follow its name.
 *
 * <p>Options are inherited: {@code run --ranks 3 heat} and {@code run heat --ranks 3} are the same.
 * Used by one thread.
 */
@Command(
    name = "run",
    description = "Run a parallel program: a built-in example, a class or a jar.",
    footer = {
      "",
      "PROGRAM is the name of a class, or a jar. A class with a static main(String[]) is run as it"
          + " is, and finds P and N in the system properties millrace.ranks and millrace.nodes; --dir"
          + " is not for it. A class that implements org.millrace.client.Program is run by P ranks, each with"
          + " an instance of its own, on a cluster of N nodes; it may have a constructor that takes"
          + " the ARGS as a String[]."
    },
    customSynopsis = {
      "millrace run [OPTIONS] PROGRAM [ARGS...]",
      "       millrace run EXAMPLE [OPTIONS]"
    },
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%nOptions:%n",
    commandListHeading = "%nExamples:%n",
    subcommands = {HeatCommand.class, MatmulCommand.class})
final class RunCommand implements Callable<Integer> {

  static final int DEFAULT_RANKS = 4;

  static final Path DEFAULT_DIRECTORY = Path.of(".millrace", "data");

  @Spec private CommandSpec spec;

  @Mixin private ProcessOptions processes;

  private Optional<Integer> ranks = Optional.empty();

  private Optional<Integer> nodes = Optional.empty();

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      split = ":",
      description =
          "Folders and jars in which to look for the class; the current folder if not given.")
  private List<Path> classPath = List.of(Path.of(""));

  @Option(names = "--class", paramLabel = "CLASS", description = "Which class of the jar to run.")
  private @Nullable String className;

  private @Nullable Path directory;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PROGRAM",
      description = "A class, or a jar.")
  private @Nullable String program;

  @Parameters(index = "1..*", paramLabel = "ARGS", description = "Arguments of the program.")
  private List<String> args = List.of();

  @Option(
      names = "--dir",
      paramLabel = "D",
      scope = ScopeType.INHERIT,
      description =
          "Where the cluster keeps its files%n"
              + "(default: .millrace/EXAMPLE, else .millrace/data).")
  void setDirectory(@Nullable Path path) {
    if (path != null && path.toString().isEmpty()) { // a shell variable that was not set, likely
      throw new ParameterException(
          spec.commandLine(), "--dir is empty; give a folder, or . for the current one");
    }
    directory = path;
  }

  @Option(
      names = "--ranks",
      paramLabel = "P",
      scope = ScopeType.INHERIT,
      description = "Number of ranks (default: 4, or as many as mpirun or srun has started).")
  void setRanks(@Nullable Integer count) {
    ranks = requirePositive("--ranks", count);
  }

  @Option(
      names = "--nodes",
      paramLabel = "N",
      scope = ScopeType.INHERIT,
      description =
          "Number of nodes (default: 4, or one for each rank process, or as many as run).")
  void setNodes(@Nullable Integer count) {
    nodes = requirePositive("--nodes", count);
  }

  /** Whether this process is to start those of the ranks, and nothing else. */
  boolean startsProcesses() {
    return processes.startsProcesses();
  }

  /** Runs the whole command again in each of the ranks' processes; returns the exit code. */
  int startProcesses(Path otherwise) throws IOException, InterruptedException {
    return processes.startProcesses(directory().orElse(otherwise), ranks.orElse(DEFAULT_RANKS));
  }

  /** Where the ranks are and where the cluster is. */
  RunMode mode(Path otherwise) throws IOException {
    return processes.mode(directory().orElse(otherwise), ranks, nodes);
  }

  /** Where the cluster is, if that was said. */
  Optional<Path> directory() {
    return Optional.ofNullable(directory);
  }

  @Override
  public Integer call() throws Exception {
    if (program == null) {
      throw new ParameterException(
          spec.commandLine(), "run needs a program: an example, a class or a jar");
    }
    if (program.startsWith(HeritageCommand.PREFIX)) {
      throw new ParameterException(
          spec.commandLine(), program + " is no system; there are " + HeritageCommand.names());
    }
    Optional<String> which = Optional.ofNullable(className);
    if (which.isPresent() && !program.endsWith(".jar")) {
      throw new ParameterException(
          spec.commandLine(), "--class goes with a jar, and " + program + " is none");
    }
    try (UserProgram user = UserProgram.load(program, which, classPath)) {
      user.checkTakes(args);
      if (startsProcesses()) {
        return startProcesses(DEFAULT_DIRECTORY);
      }
      RunMode mode = mode(DEFAULT_DIRECTORY);
      System.setProperty("millrace.ranks", Integer.toString(mode.ranks()));
      System.setProperty("millrace.nodes", Integer.toString(mode.nodes()));
      if (user.hasMain()) {
        user.main(args);
      } else {
        mode.run(ClusterOptions.DEFAULT, rank -> runAs(rank, user));
      }
    }
    return ExitCode.OK;
  }

  private void runAs(Rank rank, UserProgram user) throws IOException {
    try {
      user.withLoader(() -> user.instance(args).run(rank));
    } catch (RankFailedException e) {
      throw e; // follows from what another rank did, and is reported there
    } catch (Throwable e) {
      throw new RankProgramException(rank.number(), e);
    }
  }

  private Optional<Integer> requirePositive(String option, @Nullable Integer count) {
    if (count != null && count < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least 1, was " + count);
    }
    return Optional.ofNullable(count);
  }
}
