package org.millrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Gives each command {@code --help} and {@code --version}, and their letters where the command does
 * not use them itself: {@code ls -lh} shows sizes for people. Stateless.
 */
final class HelpOptions {

  private HelpOptions() {}

  /** Adds them to a command and all below it. */
  static void addTo(CommandLine line) {
    CommandSpec spec = line.getCommandSpec();
    add(spec, OptionSpec.builder(names(spec, "-h", "--help")).usageHelp(true), "Show this help.");
    add(
        spec,
        OptionSpec.builder(names(spec, "-V", "--version")).versionHelp(true),
        "Show the version.");
    // an alias is the same command under another name
    line.getSubcommands().values().stream().distinct().forEach(HelpOptions::addTo);
  }

  private static void add(CommandSpec spec, OptionSpec.Builder option, String words) {
    spec.addOption(option.description(words).build());
  }

  private static String[] names(CommandSpec spec, String letter, String word) {
    return spec.optionsMap().containsKey(letter)
        ? new String[] {word}
        : new String[] {letter, word};
  }
}
