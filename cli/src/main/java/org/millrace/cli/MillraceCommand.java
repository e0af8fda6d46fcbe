package org.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.Callable;
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
    mixinStandardHelpOptions = true,
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
    },
    subcommands = {
      RunCommand.class,
      UpCommand.class,
      StopCommand.class,
      CoordinatorCommand.class,
      NodeCommand.class,
      BenchCommand.class,
      SimCommand.class,
      ExplainCommand.class,
      LsCommand.class,
      PutCommand.class,
      GetCommand.class,
      CatCommand.class,
      StatCommand.class,
      MkdirCommand.class,
      MvCommand.class,
      RmCommand.class,
      DfCommand.class,
      StatusCommand.class,
      ResetCommand.class,
      TopCommand.class,
      KeysCommand.class,
      PfsdCommand.class,
      PfsdstatCommand.class,
      PfsdresetCommand.class,
      PfsdexitCommand.class
    })
final class MillraceCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean trace;

  /** Whether errors are shown with their stack traces. */
  boolean trace() {
    return trace;
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
      Properties properties = new Properties();
      try (InputStream in = MillraceCommand.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new String[] {
        "millrace " + properties.getProperty("version") + " (Java " + Runtime.version() + ")"
      };
    }
  }
}
