package org.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.millrace.cli.bench.BenchCommand;
import org.millrace.cli.campaign.CampaignCommand;
import org.millrace.cli.cluster.CheckCommand;
import org.millrace.cli.cluster.DfCommand;
import org.millrace.cli.cluster.ResetCommand;
import org.millrace.cli.cluster.ScrubCommand;
import org.millrace.cli.cluster.StatusCommand;
import org.millrace.cli.cluster.TopCommand;
import org.millrace.cli.conformance.ConformanceCommand;
import org.millrace.cli.console.ConsoleCommand;
import org.millrace.cli.daemons.CoordinatorCommand;
import org.millrace.cli.daemons.CoordinatorsCommand;
import org.millrace.cli.daemons.NodeCommand;
import org.millrace.cli.daemons.NodesCommand;
import org.millrace.cli.daemons.StopCommand;
import org.millrace.cli.daemons.UpCommand;
import org.millrace.cli.doctor.DoctorCommand;
import org.millrace.cli.explain.ExplainCommand;
import org.millrace.cli.files.FileCommands;
import org.millrace.cli.judge.JudgeCommand;
import org.millrace.cli.keys.KeysCommand;
import org.millrace.cli.mount.MountCommand;
import org.millrace.cli.mount.UmountCommand;
import org.millrace.cli.pfsd.MillraceCommands;
import org.millrace.cli.pfsd.PfsdCommand;
import org.millrace.cli.pfsd.PfsdexitCommand;
import org.millrace.cli.pfsd.PfsdresetCommand;
import org.millrace.cli.pfsd.PfsdstatCommand;
import org.millrace.cli.run.RunCommand;
import org.millrace.cli.serve.ServeCommand;
import org.millrace.cli.sim.SimCommand;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.trace.TraceCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command itself: without a subcommand it shows its help. Used by one thread. */
@Command(
    name = "millrace",
    description = "Parallel I/O for the JVM: one shared file, every process, every disk.",
    scope = ScopeType.INHERIT,
    versionProvider = MillraceCommand.Version.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:all went well",
      "  1:it was tried and failed",
      "  2:the command line is wrong",
      "  3:could not start: no suitable JDK, or the build failed",
      "130:interrupted"
    })
final class MillraceCommand implements Callable<Integer>, MillraceCommands {

  /** Its subcommands, in the order of the help. */
  static final List<Class<?>> COMMANDS =
      Stream.of(
              List.of(
                  RunCommand.class,
                  ExplainCommand.class,
                  TraceCommand.class,
                  UpCommand.class,
                  StopCommand.class,
                  CoordinatorCommand.class,
                  CoordinatorsCommand.class,
                  NodeCommand.class,
                  NodesCommand.class,
                  DfCommand.class,
                  StatusCommand.class,
                  ScrubCommand.class,
                  CheckCommand.class,
                  ResetCommand.class,
                  TopCommand.class,
                  KeysCommand.class),
              FileCommands.ALL,
              List.of(
                  MountCommand.class,
                  UmountCommand.class,
                  ServeCommand.class,
                  ConsoleCommand.class,
                  BenchCommand.class,
                  SimCommand.class,
                  CampaignCommand.class,
                  ConformanceCommand.class,
                  JudgeCommand.class,
                  PfsdCommand.class,
                  PfsdstatCommand.class,
                  PfsdresetCommand.class,
                  PfsdexitCommand.class,
                  DoctorCommand.class,
                  CompletionCommand.class,
                  ManCommand.class,
                  HelpCommand.class,
                  VersionCommand.class))
          .<Class<?>>flatMap(List::stream)
          .toList();

  @Spec private CommandSpec spec;

  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean trace;

  /**
   * The commands of which a line with this first argument needs to know: one if it names one, else
   * all. To read the annotations of all takes longer than most commands do.
   */
  static List<Class<?>> called(String first) {
    if (first.equals("--version") || first.equals("-V")) {
      return List.of(VersionCommand.class); // says the same
    }
    List<Class<?>> named =
        COMMANDS.stream().filter(command -> nameOf(command).equals(first)).toList();
    return named.isEmpty() ? COMMANDS : named;
  }

  /** The name of a command, which its class has, too: so it is known without annotations. */
  static String nameOf(Class<?> command) {
    return command.getSimpleName().replaceFirst("Command$", "").toLowerCase(Locale.ROOT);
  }

  /** Whether errors are shown with their stack traces. */
  boolean trace() {
    return trace;
  }

  @Override
  public int execute(CommandLine asking, List<String> line) {
    List<String> all = new ArrayList<>(trace ? List.of("--trace") : List.of());
    all.addAll(line);
    return Main.commandLine(asking.getOut(), asking.getErr()).execute(all.toArray(String[]::new));
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  /** Reads the version that the build wrote down. */
  static final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
      return new String[] {"millrace " + number() + " (Java " + Runtime.version() + ")"};
    }

    /** The version of Millrace alone. */
    static String number() {
      Properties properties = new Properties();
      try (InputStream in = MillraceCommand.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return properties.getProperty("version");
    }
  }
}
