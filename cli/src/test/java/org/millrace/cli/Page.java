package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documents, with its fenced blocks. A block of {@code java} is a program, {@code sh}
 * are commands that a test runs in order, {@code text} right behind them is what they print, and
 * {@code console} are commands that cannot be run here: on several hosts, or for minutes.
 * Immutable.
 *
 * @param name path below the root of the sources
 * @param text what it says
 */
record Page(String name, String text) {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```([a-z]*)\\n(.*?)^\\1```$");
  private static final Pattern SPAN = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern MILLRACE = Pattern.compile("(?:^|\\s)(?:\\./)?millrace( .*|$)");

  /**
   * A fenced block.
   *
   * @param kind the word behind the fence, or nothing
   * @param lines without the indentation of the fence
   */
  record Block(String kind, List<String> lines) {

    String text() {
      return String.join("\n", lines) + "\n";
    }

    /** The lines that are commands of {@code millrace}, with their prompts. */
    List<String> commands() {
      return lines.stream().filter(Block::isCommand).toList();
    }

    private static boolean isCommand(String line) {
      return line.matches(
          "(\\S*\\$ )?([A-Z_]+=\\S* |mpirun .*|mpiexec\\S* .*|srun .*)?(\\./)?millrace( .*|$)");
    }
  }

  /** Maven runs a module's tests in the module's folder. */
  static Path root() {
    return Path.of("").toAbsolutePath().resolveSibling("");
  }

  static Page of(String name) throws IOException {
    return new Page(name, Files.readString(root().resolve(name)));
  }

  /** All pages but the change log, which speaks of what was. */
  static List<Page> all() throws IOException {
    List<Page> pages = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root().resolve("docs"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".md")).sorted().toList()) {
        pages.add(of(root().relativize(file).toString()));
      }
    }
    for (String name : List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")) {
      pages.add(of(name));
    }
    return pages;
  }

  List<Block> blocks() {
    return BLOCK
        .matcher(text)
        .results()
        .map(
            one -> {
              int indent = one.group(1).length();
              List<String> lines =
                  one.group(3)
                      .lines()
                      .map(line -> line.substring(Math.min(indent, line.length())))
                      .toList();
              return new Block(one.group(2), lines);
            })
        .toList();
  }

  /** What stands between backticks in the prose and names a command of {@code millrace}. */
  List<String> mentions() {
    String prose = BLOCK.matcher(text).replaceAll("");
    return SPAN.matcher(prose)
        .results()
        .map(one -> one.group(1))
        .map(span -> span.matches("(bench|sim) [a-z].*") ? "millrace " + span : span)
        .filter(span -> span.matches("(\\./)?millrace .*|[A-Z_]+='?.* (\\./)?millrace .*"))
        .toList();
  }

  /** The words behind {@code millrace} in a line, without its comment, as a shell makes them. */
  static List<String> arguments(String line) {
    Matcher matcher = MILLRACE.matcher(line.replaceFirst("\\s+#\\s.*$", ""));
    if (!matcher.find()) {
      throw new IllegalArgumentException(line);
    }
    List<String> words = new ArrayList<>();
    Matcher word = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)").matcher(matcher.group(1));
    while (word.find()) {
      String plain = word.group(3);
      if (plain != null && plain.matches("[|&;]+|2?>.*")) {
        break; // the shell's again
      }
      words.add(plain != null ? plain : word.group(1) != null ? word.group(1) : word.group(2));
    }
    return words;
  }
}
