package org.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.millrace.cli.files.FileCommands;
import org.millrace.cli.files.PutCommand;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Makes the script by which a shell completes command lines: tables of what each command takes,
 * made from the same description as the help, and a function that looks into them. Names of the
 * cluster's files come from {@code millrace ls}. Stateless.
 */
final class CompletionScript {

  /** Looks up what may stand where the cursor is. */
  private static final String FUNCTION =
      """
      _millrace_names() { # names in the cluster that begin with $1
        local i
        local -a where=()
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --dir | --connect | --keys)
              where+=("${COMP_WORDS[i]}")
              i=$((i + 1))
              [[ ${COMP_WORDS[i]} != '=' ]] || i=$((i + 1))
              where+=("${COMP_WORDS[i]}")
              ;;
          esac
        done
        "${COMP_WORDS[0]}" ls -d "${where[@]}" -- "$1*" 2>/dev/null
      }

      _millrace() {
        local current=${COMP_WORDS[COMP_CWORD]} previous= command= word i
        if ((COMP_CWORD > 0)); then previous=${COMP_WORDS[COMP_CWORD - 1]}; fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          case " $(_millrace_commands "$command") " in
            *" $word "*) command=${command:+$command }$word ;;
          esac
        done
        COMPREPLY=()
        local values=
        values=$(_millrace_values "$command:$previous")
        if [[ $values == '?' ]]; then
          return # a value that only the user knows, or a file
        elif [[ -n $values ]]; then
          COMPREPLY=($(compgen -W "$values" -- "$current"))
        elif [[ $current == -* ]]; then
          COMPREPLY=($(compgen -W "$(_millrace_options "$command")" -- "$current"))
        elif [[ -n $(_millrace_commands "$command") ]]; then
          COMPREPLY=($(compgen -W "$(_millrace_commands "$command")" -- "$current"))
        elif [[ " $_millrace_files " == *" $command "* ]]; then
          while IFS= read -r word; do COMPREPLY+=("$word"); done < <(_millrace_names "$current")
          if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
        fi
      }
      complete -o default -F _millrace millrace
      """;

  private CompletionScript() {}

  /** For bash. */
  static String bash(CommandLine top) {
    return "# bash completion for millrace, made by: millrace completion bash\n"
        + tables(top)
        + FUNCTION;
  }

  /** For zsh, which understands what is written for bash. */
  static String zsh(CommandLine top) {
    return "#compdef millrace\n# zsh completion for millrace, made by: millrace completion zsh\n"
        + "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
        + tables(top)
        + FUNCTION;
  }

  private static String tables(CommandLine top) {
    Map<String, CommandLine> all = new TreeMap<>();
    collect("", top, all);
    StringBuilder text = new StringBuilder();
    text.append("_millrace_files='").append(String.join(" ", clusterCommands())).append("'\n");
    table(text, "_millrace_commands", all, line -> words(line.getSubcommands().keySet()));
    table(text, "_millrace_options", all, line -> words(options(line)));
    text.append("_millrace_values() {\n  case $1 in\n");
    all.forEach((path, line) -> values(text, path, line));
    return text.append("  esac\n}\n").toString();
  }

  /** What is completed with names of the cluster. */
  private static List<String> clusterCommands() {
    return FileCommands.ALL.stream()
        .filter(one -> one != PutCommand.class)
        .map(MillraceCommand::nameOf)
        .toList();
  }

  private static void collect(String path, CommandLine line, Map<String, CommandLine> all) {
    all.put(path, line);
    line.getSubcommands()
        .forEach((name, one) -> collect(path.isEmpty() ? name : path + " " + name, one, all));
  }

  private interface Words {
    String of(CommandLine line);
  }

  private static void table(
      StringBuilder text, String name, Map<String, CommandLine> all, Words words) {
    text.append(name).append("() {\n  case $1 in\n");
    all.forEach(
        (path, line) -> {
          String found = words.of(line);
          if (!found.isEmpty()) {
            text.append("    '%s') echo '%s' ;;\n".formatted(path, found));
          }
        });
    text.append("  esac\n}\n");
  }

  private static List<String> options(CommandLine line) {
    List<String> names = new ArrayList<>();
    for (OptionSpec option : line.getCommandSpec().options()) {
      if (!option.hidden()) {
        names.addAll(List.of(option.names()));
      }
    }
    return names;
  }

  /** The values of options that take one; a question mark where any may be meant. */
  private static void values(StringBuilder text, String path, CommandLine line) {
    Map<String, List<String>> byValues = new TreeMap<>();
    for (OptionSpec option : line.getCommandSpec().options()) {
      if (option.hidden() || option.arity().min() == 0) {
        continue;
      }
      List<String> words = new ArrayList<>();
      if (option.completionCandidates() != null) {
        option.completionCandidates().forEach(words::add);
      }
      String values = words.isEmpty() ? "?" : String.join(" ", words);
      for (String name : option.names()) {
        byValues.computeIfAbsent(values, _ -> new ArrayList<>()).add("'" + path + ":" + name + "'");
      }
    }
    byValues.forEach(
        (values, names) ->
            text.append("    %s) echo '%s' ;;\n".formatted(String.join(" | ", names), values)));
  }

  private static String words(Iterable<String> all) {
    TreeSet<String> sorted = new TreeSet<>((a, b) -> key(a).compareTo(key(b)));
    all.forEach(sorted::add);
    return sorted.stream().collect(Collectors.joining(" "));
  }

  private static String key(String word) {
    return word.toLowerCase(Locale.ROOT) + word;
  }
}
