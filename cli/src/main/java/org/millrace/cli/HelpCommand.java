package org.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code millrace help}: the same as {@code --help}. Used by one thread. */
@Command(name = "help", description = "Show the help of a command, or the list of all.")
final class HelpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @ParentCommand private MillraceCommand millrace;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "A command, and its own command if it has some.")
  private List<String> command = List.of();

  @Override
  public Integer call() {
    CommandLine known = Main.commandLine(spec.commandLine().getOut(), spec.commandLine().getErr());
    for (String word : command) { // with --help behind it any word would do
      known = known.getSubcommands().get(word);
      if (known == null) {
        throw new ParameterException(spec.commandLine(), "there is no command '" + word + "'");
      }
    }
    List<String> line = new ArrayList<>(command);
    line.add("--help");
    return millrace.execute(spec.commandLine(), line);
  }
}
