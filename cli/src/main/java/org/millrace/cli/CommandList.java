package org.millrace.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;

/**
 * The list of all commands in the help, in groups: a group holds the commands of some packages.
 * Stateless.
 */
final class CommandList implements IHelpSectionRenderer {

  private static final String OTHERS = "This command";

  /** In the order of the help. */
  private static String groupOf(Class<?> command) {
    String name = command.getPackageName();
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "run", "explain" -> "Programs";
      case "daemons", "cluster", "keys", "console", "doctor" -> "Clusters";
      case "files", "mount", "serve" -> "Files";
      case "bench", "sim", "campaign", "conformance", "judge", "trace" -> "Measurements and tests";
      case "pfsd" -> "PFSLib's own names";
      default -> OTHERS;
    };
  }

  @Override
  public String render(Help help) {
    Map<String, Map<String, Help>> groups = new LinkedHashMap<>();
    for (Map.Entry<String, Help> one : help.subcommands().entrySet()) {
      CommandLine line = one.getValue().commandSpec().commandLine();
      groups
          .computeIfAbsent(
              groupOf(line.getCommandSpec().userObject().getClass()), _ -> new LinkedHashMap<>())
          .put(one.getKey(), one.getValue());
    }
    StringBuilder text = new StringBuilder();
    groups.forEach(
        (group, commands) ->
            text.append(System.lineSeparator())
                .append(help.colorScheme().ansi().string("@|bold " + group + ":|@"))
                .append(System.lineSeparator())
                .append(help.commandList(commands)));
    return text.toString();
  }
}
