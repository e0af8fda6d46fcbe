package org.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Lets options of {@code millrace run} stand right behind the name of a user's program, as they may
 * behind that of an example: {@code run Squares --ranks 8 x} is {@code run --ranks 8 Squares x}.
 * The program's own arguments begin with the first that is none of these, or behind {@code --}.
 * Stateless.
 */
final class RunArguments {

  /** Options whose value follows without a space: -Dname=value, -J-Xmx1g. */
  private static final List<String> ATTACHED = List.of("-D", "-J");

  private RunArguments() {}

  /** The arguments of the command line with run's options in front of the program's name. */
  static String[] inOrder(CommandLine run, String... args) {
    List<String> all = List.of(args);
    int command = 0;
    while (command < all.size() && all.get(command).startsWith("-")) {
      command++;
    }
    if (command == all.size() || !all.get(command).equals(run.getCommandName())) {
      return args;
    }
    int program = endOfOptions(run, all, command + 1);
    if (program >= all.size()
        || all.get(program).startsWith("-")
        || run.getSubcommands().containsKey(all.get(program))) {
      return args;
    }
    int own = endOfOptions(run, all, program + 1);
    boolean separated = own < all.size() && all.get(own).equals("--");
    List<String> ordered = new ArrayList<>(all.subList(0, program));
    ordered.addAll(all.subList(program + 1, own));
    ordered.add(all.get(program));
    ordered.addAll(all.subList(separated ? own + 1 : own, all.size()));
    return ordered.toArray(String[]::new);
  }

  /** Where the options of run end that begin at {@code from}. */
  private static int endOfOptions(CommandLine run, List<String> args, int from) {
    int at = from;
    while (at < args.size()) {
      String argument = args.get(at);
      String name = argument.replaceFirst("=.*", "");
      OptionSpec option = run.getCommandSpec().optionsMap().get(name);
      if (option == null && ATTACHED.stream().noneMatch(argument::startsWith)) {
        return at;
      }
      boolean takesNext = option != null && option.arity().max() > 0 && name.equals(argument);
      at += takesNext ? 2 : 1;
    }
    return Math.min(at, args.size());
  }
}
