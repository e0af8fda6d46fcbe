package org.millrace.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The manual page of a command in man(7)'s macros, made from the same description as its help.
 * Stateless.
 */
final class ManPage {

  private ManPage() {}

  /** The pages of a command and of all below it, by the names of their files. */
  static Map<String, String> all(CommandLine top, String version) {
    Map<String, String> pages = new LinkedHashMap<>();
    add(top, version, pages);
    return pages;
  }

  private static void add(CommandLine line, String version, Map<String, String> pages) {
    if (!line.getCommandSpec().usageMessage().hidden()) {
      pages.put(name(line.getCommandSpec()) + ".1", of(line, version));
      line.getSubcommands().values().stream().distinct().forEach(one -> add(one, version, pages));
    }
  }

  private static String name(CommandSpec spec) {
    return spec.qualifiedName("-").replace('/', '-');
  }

  private static String of(CommandLine line, String version) {
    CommandSpec spec = line.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
    List<String> description = sentences(usage.description());
    StringBuilder page = new StringBuilder();
    page.append(".\\\" made by: millrace man\n");
    page.append(
        ".TH \"%s\" 1 \"\" \"Millrace %s\" \"Millrace\"\n"
            .formatted(name(spec).toUpperCase(java.util.Locale.ROOT), version));
    section(page, "NAME");
    String first = description.isEmpty() ? "a command of millrace" : description.getFirst();
    page.append(escaped(name(spec)))
        .append(" \\- ")
        .append(escaped(first.replaceFirst("\\.$", "")))
        .append('\n');
    section(page, "SYNOPSIS");
    for (String one : help.synopsis(0).strip().split("\\R\\s*(?=millrace )", -1)) {
      page.append(".PP\n").append(escaped(one.strip().replaceAll("\\s+", " "))).append('\n');
    }
    section(page, "DESCRIPTION");
    description.forEach(one -> page.append(".PP\n").append(escaped(one)).append('\n'));
    arguments(page, "ARGUMENTS", spec.positionalParameters());
    arguments(page, "OPTIONS", spec.options());
    commands(page, line);
    footer(page, usage);
    exitCodes(page, usage);
    if (spec.parent() != null) {
      section(page, "SEE ALSO");
      page.append(".BR %s (1)\n".formatted(escaped(name(spec.parent()))));
    }
    return page.toString();
  }

  private static void arguments(StringBuilder page, String title, List<? extends ArgSpec> all) {
    List<? extends ArgSpec> shown = all.stream().filter(one -> !one.hidden()).toList();
    if (shown.isEmpty()) {
      return;
    }
    section(page, title);
    for (ArgSpec one : shown) {
      String words =
          switch (one) {
            case OptionSpec option -> option(option);
            case PositionalParamSpec parameter -> parameter.paramLabel();
            default -> one.paramLabel();
          };
      item(page, words, String.join(" ", sentences(one.description())));
    }
  }

  private static String option(OptionSpec option) {
    String names =
        Arrays.stream(option.names())
            .map(name -> option.negatable() ? name.replaceFirst("^--", "--[no-]") : name)
            .collect(Collectors.joining(", "));
    if (option.arity().max() == 0) {
      return names;
    }
    boolean attached = option.longestName().length() == 2 && option.isMultiValue();
    return names + (attached ? "" : "=") + option.paramLabel();
  }

  private static void commands(StringBuilder page, CommandLine line) {
    if (line.getSubcommands().isEmpty()) {
      return;
    }
    section(page, "COMMANDS");
    line.getSubcommands().values().stream()
        .distinct()
        .forEach(
            one -> {
              List<String> words = sentences(one.getCommandSpec().usageMessage().description());
              item(page, one.getCommandName(), words.isEmpty() ? "" : words.getFirst());
            });
  }

  /** Lines that are indented stay as they are: they are examples. */
  private static void footer(StringBuilder page, UsageMessageSpec usage) {
    if (usage.footer().length == 0) {
      return;
    }
    section(page, "NOTES");
    boolean verbatim = false;
    for (String line : sentences(usage.footer())) {
      boolean example = line.startsWith(" ");
      if (example != verbatim) {
        page.append(example ? ".PP\n.nf\n" : ".fi\n");
        verbatim = example;
      }
      page.append(verbatim || line.isBlank() ? "" : ".PP\n");
      page.append(line.isBlank() ? "" : escaped(line) + "\n");
    }
    page.append(verbatim ? ".fi\n" : "");
  }

  private static void exitCodes(StringBuilder page, UsageMessageSpec usage) {
    section(page, "EXIT STATUS");
    usage.exitCodeList().forEach((code, words) -> item(page, code.strip(), words));
  }

  private static void section(StringBuilder page, String title) {
    page.append(".SH ").append(title).append('\n');
  }

  private static void item(StringBuilder page, String what, String words) {
    page.append(".TP\n.B ").append(escaped(what)).append('\n');
    page.append(words.isBlank() ? "\\&" : escaped(words)).append('\n');
  }

  /** Texts of the library are formats. */
  private static List<String> sentences(String... texts) {
    List<String> all = new ArrayList<>();
    for (String text : texts) {
      all.addAll(List.of(text.replace("%n", "\n").replace("%%", "%").split("\n", -1)));
    }
    return all;
  }

  /** Text as troff prints it: hyphens that can be copied, no line that is a request. */
  private static String escaped(String text) {
    String plain = text.replace("\\", "\\e").replace("-", "\\-");
    return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
  }
}
