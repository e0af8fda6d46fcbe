package org.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the documents tell people to type works. */
final class DocumentsTest {

  @TempDir private Path folder;

  private final CommandLine top =
      Main.commandLine(new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter()));

  /** The pages with commands that can be run here. */
  static List<String> runnable() {
    return List.of(
        "README.md",
        "docs/tutorial.md",
        "docs/arrays.md",
        "docs/same-array.md",
        "docs/processes.md",
        "docs/shell.md",
        "docs/hosts.md");
  }

  /** The pages by which people do something. */
  private static List<String> doing() {
    List<String> pages = new ArrayList<>(runnable());
    pages.addAll(List.of("docs/programming.md", "docs/testing.md", "CONTRIBUTING.md"));
    return pages;
  }

  @ParameterizedTest
  @MethodSource("runnable")
  @Tag("long")
  void everyCommandAndProgramDoesWhatThePageSays(String name) throws Exception {
    Page page = Page.of(name);
    try (PageRun run = new PageRun(folder)) {
      run.run(page);
      assertThat(run.commands()).isPositive();
    }
  }

  @Test
  void everyCommandOfTheDocumentsCanBeParsed() throws IOException {
    List<String> complaints = new ArrayList<>();
    int commands = 0;
    for (Page page : Page.all()) {
      for (Page.Block block : page.blocks()) {
        for (String line : block.commands()) {
          commands++;
          complaint(line, !isSynopsis(line))
              .ifPresent(why -> complaints.add(page.name() + ": " + line + ": " + why));
        }
      }
      for (String line : page.mentions()) {
        commands++;
        complaint(line, false)
            .ifPresent(why -> complaints.add(page.name() + ": " + line + ": " + why));
      }
    }
    assertThat(complaints).isEmpty();
    assertThat(commands).isGreaterThan(100);
  }

  @Test
  void pagesByWhichPeopleDoSomethingSayOfEachCommandWhetherItIsRun() throws IOException {
    for (String name : doing()) {
      for (Page.Block block : Page.of(name).blocks()) {
        if (!block.commands().isEmpty()) {
          assertThat(block.kind()).as("%s: %s", name, block.text()).isIn("sh", "console");
        }
      }
    }
  }

  @Test
  void wrongCommandsAreFound() {
    assertThat(complaint("./millrace put --no-such x", true)).isPresent();
    assertThat(complaint("./millrace put --no-such", false)).isPresent();
    assertThat(complaint("./millrace putt x y", false)).isPresent();
    assertThat(complaint("./millrace run heat --ranks x", true)).isPresent();
    assertThat(complaint("mill-a$ X=1 ./millrace run heat --ranks 4 # as 4", true)).isEmpty();
  }

  private static boolean isSynopsis(String line) {
    return line.contains("[") || line.contains("...");
  }

  /** Whether a command has an option, also its opposite or one with its value behind it. */
  private static boolean isOption(CommandSpec command, String word) {
    return command.optionsMap().containsKey(word)
        || command.negatedOptionsMap().containsKey(word)
        || word.matches("-[DJ].*") && command.optionsMap().containsKey(word.substring(0, 2));
  }

  /** What is wrong with a command line; only its commands and options count if it is not whole. */
  private Optional<String> complaint(String line, boolean whole) {
    List<String> words = Page.arguments(line);
    if (whole) {
      CommandLine run = requireNonNull(top.getSubcommands().get("run"));
      try {
        top.parseArgs(RunArguments.inOrder(run, words.toArray(String[]::new)));
        return Optional.empty();
      } catch (ParameterException e) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
    }
    CommandLine at = top;
    for (String word : words) {
      String plain = word.replace("[no-]", "").replaceAll("[\\[\\]]|\\.\\.\\.|=.*", "");
      CommandLine next = at.getSubcommands().get(plain);
      if (next != null) {
        at = next;
      } else if (at == top && !plain.startsWith("-") && !plain.isEmpty()) {
        return Optional.of("there is no command " + plain);
      } else if (plain.matches("--?[a-zA-Z].*") && !isOption(at.getCommandSpec(), plain)) {
        return Optional.of("there is no option " + plain);
      }
    }
    return Optional.empty();
  }

  @Test
  void coordinatesForOtherBuildsHaveTheVersionOfThisOne() throws IOException {
    String version = new MillraceCommand.Version().getVersion()[0].split(" ", -1)[1];
    assertThat(Page.of("README.md").text())
        .contains(
            "<version>" + version + "</version>",
            "\"org.millrace:millrace-core:" + version + "\"",
            "\"millrace-core\" % \"" + version + "\"");
  }

  @Test
  void programsOfTheReadmeFitOnAScreen() throws IOException {
    List<Page.Block> programs =
        Page.of("README.md").blocks().stream().filter(one -> one.kind().equals("java")).toList();
    assertThat(programs).hasSize(2);
    assertThat(programs.getFirst().lines()).hasSizeLessThanOrEqualTo(25);
    assertThat(programs.getLast().lines()).hasSizeLessThanOrEqualTo(50);
  }

  @Test
  void eachPageHasOnePlaceInTheReadingOrder() throws IOException {
    String order = Page.of("docs/README.md").text();
    for (Page page : Page.all()) {
      String name = page.name().replaceFirst("^docs/", "");
      if (page.name().matches("docs/[a-z-]+\\.md")) {
        assertThat(
                Pattern.compile("(?m)^\\d+\\. \\[" + Pattern.quote(name) + "\\]")
                    .matcher(order)
                    .results())
            .as(name)
            .hasSize(1);
      }
    }
  }
}
