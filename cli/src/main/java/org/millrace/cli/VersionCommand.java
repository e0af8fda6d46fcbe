package org.millrace.cli;

import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.output.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace version}: the same as {@code --version}. Used by one thread. */
@Command(name = "version", description = "Show the version of Millrace and of Java.")
final class VersionCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    if (json) {
      spec.commandLine()
          .getOut()
          .println(
              Json.of(
                  Json.object(
                      "millrace",
                      MillraceCommand.Version.number(),
                      "java",
                      Runtime.version().toString())));
    } else {
      spec.commandLine().printVersionHelp(spec.commandLine().getOut());
    }
    return ExitCode.OK;
  }
}
