package org.millrace.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.millrace.bench.measure.Busy;
import org.millrace.cli.run.HeritageCommand;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParseResult;

/** Where the {@code millrace} command starts. Holds no state; the JVM ends with the exit code. */
public final class Main {

  private Main() {}

  /** Runs the command line and ends the JVM. */
  public static void main(String[] args) {
    if (System.getProperty(LOG_FORMAT) == null) {
      System.setProperty(LOG_FORMAT, "millrace: %5$s%n"); // notices are for people
    }
    Charset charset = System.out.charset();
    PrintWriter out = new PrintWriter(System.out, true, charset);
    PrintWriter err = new PrintWriter(System.err, true, charset);
    System.exit(run(Runtime.version(), out, err, args));
  }

  /** Runs the command line on a Java of the given version and returns the exit code. */
  static int run(Runtime.Version java, PrintWriter out, PrintWriter err, String... args) {
    if (java.compareToIgnoreOptional(OLDEST_JAVA) < 0) {
      err.println("millrace: Java " + java + " is too old, " + OLDEST_JAVA + " or newer is needed");
      return ExitCode.CANNOT_START;
    }
    CommandLine line = commandLine(out, err, args.length == 0 ? "" : args[0]);
    CommandLine run = line.getSubcommands().get("run");
    try {
      return line.execute(run == null ? args : RunArguments.inOrder(run, args));
    } catch (Error e) { // which the library leaves to us: too little memory, for example
      return new ErrorLines().report(e, line);
    } finally {
      out.flush(); // what was printed without an end of line would be lost
      err.flush();
    }
  }

  /** The command line with all commands and its way of reporting errors. */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    return commandLine(out, err, "");
  }

  /** The same with the commands alone that a line with this first argument may need. */
  static CommandLine commandLine(PrintWriter out, PrintWriter err, String first) {
    ErrorLines errors = new ErrorLines();
    CommandLine line = new CommandLine(new MillraceCommand());
    MillraceCommand.called(first).forEach(line::addSubcommand);
    CommandLine run = line.getSubcommands().get("run");
    if (run != null) {
      HeritageCommand.addTo(run);
    }
    HelpOptions.addTo(line);
    line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, new CommandList());
    line.setOut(out)
        .setErr(err)
        .setColorScheme(Help.defaultColorScheme(Terminal.hasColours() ? Ansi.ON : Ansi.OFF))
        .setExecutionStrategy(Main::execute)
        .setParameterExceptionHandler(errors)
        .setExecutionExceptionHandler(errors);
    if (run != null) {
      run.setStopAtPositional(true); // what follows a user's program belongs to that program
    }
    return line;
  }

  /** Runs the command; measurements are told to people with what else the machine did meanwhile. */
  private static int execute(ParseResult parsed) {
    if (!measures(parsed)) {
      return new CommandLine.RunLast().execute(parsed);
    }
    Busy busy = new Busy();
    int code = new CommandLine.RunLast().execute(parsed);
    busy.verdict().ifPresent(parsed.commandSpec().commandLine().getOut()::println);
    return code;
  }

  /** Whether a benchmark runs: one is named, and not only its help is asked for. */
  private static boolean measures(ParseResult parsed) {
    if (!parsed.hasSubcommand() || !parsed.subcommand().commandSpec().name().equals("bench")) {
      return false;
    }
    ParseResult bench = parsed.subcommand();
    return bench.hasSubcommand()
        && !bench.isUsageHelpRequested()
        && !bench.subcommand().isUsageHelpRequested();
  }

  private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

  /** Before it, the default garbage collector can corrupt memory silently (JDK-8377811). */
  private static final Runtime.Version OLDEST_JAVA = Runtime.Version.parse("25.0.3");
}
