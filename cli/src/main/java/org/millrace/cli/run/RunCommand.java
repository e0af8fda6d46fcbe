package org.millrace.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.ClusterLocation;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
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
      "PROGRAM is the name of a class, or a jar. Its main calls org.millrace.Millrace.run, which"
          + " runs the program as the options say: as P threads, with --procs as P processes, under"
          + " mpirun or srun as one rank. A class without main that implements"
          + " org.millrace.client.Program is run in the same way, each rank with an instance of its"
          + " own; its constructor may take the ARGS as a String[].",
      "",
      "Options may stand before PROGRAM or directly after it. ARGS begin with the first argument"
          + " that is not one of these options, or after --. The JVM of each rank also gets the"
          + " options in MILLRACE_JAVA_OPTS, such as -Xmx4g."
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
public final class RunCommand implements Callable<Integer> {

  static final int DEFAULT_RANKS = 4;

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

  private final Map<String, String> defined = new LinkedHashMap<>();

  @Option(
      names = "-D",
      paramLabel = "NAME=VALUE",
      mapFallbackValue = "",
      scope = ScopeType.INHERIT,
      description = "Set a system property in the JVM of each rank. May be repeated.")
  void define(@Nullable Map<String, String> properties) {
    if (properties != null) {
      defined.putAll(properties);
    }
  }

  @Option(
      names = {"-J", "--java-option"},
      paramLabel = "OPTION",
      scope = ScopeType.INHERIT,
      description =
          "An option of the JVM of each rank, such as -J-Xmx4g or --java-option=-Xlog:gc. May be"
              + " repeated.")
  void setJavaOptions(@Nullable List<String> options) {
    // the launcher passes them on; nobody else can
    if (options != null && !options.isEmpty() && System.getProperty("millrace.command") == null) {
      throw new ParameterException(
          spec.commandLine(), options.getFirst() + " comes too late: this JVM runs already");
    }
  }

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
          "Where the cluster keeps its files (default: MILLRACE_ADDRESS; else .millrace/data; for"
              + " an EXAMPLE .millrace/EXAMPLE, unless a cluster of daemons runs in"
              + " .millrace/data).")
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
          "Number of nodes; more than the cluster has adds some (default: as many as it has; in a"
              + " new cluster 4, or one for each rank process).")
  void setNodes(@Nullable Integer count) {
    nodes = requirePositive("--nodes", count);
  }

  @Option(
      names = "--record",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "Record what ranks do, for millrace trace; with --procs in FILE-0.jfr, FILE-1.jfr and so"
              + " on.")
  private @Nullable Path record;

  /** Whether this process is to start those of the ranks, and nothing else. */
  boolean startsProcesses() {
    return processes.startsProcesses();
  }

  /** Runs the whole command again in each of the ranks' processes; returns the exit code. */
  int startProcesses(Path otherwise) throws IOException, InterruptedException {
    return processes.startProcesses(where(otherwise), ranks.orElse(DEFAULT_RANKS));
  }

  /** Where the ranks are and where the cluster is. */
  RunMode mode(Path otherwise) throws IOException {
    if (record != null) {
      RunRecording.begin(record);
    }
    defined.forEach(System::setProperty);
    return processes.mode(where(otherwise), ranks, nodes);
  }

  /**
   * Where the cluster is: where the options or the environment say, else where daemons run that
   * were started without saying where, else in {@code otherwise}.
   */
  private ClusterLocation where(Path otherwise) throws IOException {
    Optional<ClusterLocation> said = processes.address();
    if (said.isPresent()) {
      return said.get();
    }
    if (directory != null) {
      return new ClusterLocation.In(directory);
    }
    String variable = System.getenv().getOrDefault(Launch.ADDRESS, "").strip();
    if (!variable.isEmpty()) {
      return ClusterLocation.parse(variable);
    }
    var usual = new ClusterLocation.In(ClusterLocation.DEFAULT_DIRECTORY);
    return usual.hasDaemons() ? usual : new ClusterLocation.In(otherwise);
  }

  /** The directory of the cluster; {@code otherwise} if it is at an address. */
  Path folder(Path otherwise) throws IOException {
    return where(otherwise) instanceof ClusterLocation.In(Path in) ? in : otherwise;
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
          spec.commandLine(), program + " is not a system; use one of " + HeritageCommand.names());
    }
    Optional<String> which = Optional.ofNullable(className);
    if (which.isPresent() && !program.endsWith(".jar")) {
      throw new ParameterException(
          spec.commandLine(), "--class goes with a jar, and " + program + " is none");
    }
    try (UserProgram user = UserProgram.load(program, which, classPath)) {
      user.checkTakes(args);
      if (startsProcesses()) {
        return startProcesses(ClusterLocation.DEFAULT_DIRECTORY);
      }
      RunMode mode = mode(ClusterLocation.DEFAULT_DIRECTORY);
      if (user.hasMain()) {
        Map<String, String> told = processes.properties();
        told.put("millrace.address", mode.place());
        told.put("millrace.ranks", Integer.toString(mode.ranks()));
        told.put("millrace.nodes", Integer.toString(mode.nodes()));
        withProperties(told, () -> user.main(args));
      } else {
        mode.run(ClusterOptions.DEFAULT, rank -> runAs(rank, user));
      }
    }
    return ExitCode.OK;
  }

  /** Does something while these system properties are set. */
  private static void withProperties(Map<String, String> told, UserProgram.Act act)
      throws Exception {
    Properties before = (Properties) System.getProperties().clone();
    told.forEach(System::setProperty);
    try {
      act.run();
    } finally {
      for (String name : told.keySet()) {
        String was = before.getProperty(name);
        if (was == null) {
          System.clearProperty(name);
        } else {
          System.setProperty(name, was);
        }
      }
    }
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
