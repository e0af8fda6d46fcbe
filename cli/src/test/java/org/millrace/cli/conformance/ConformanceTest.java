package org.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.heritage.program.HeritagePrograms;
import org.millrace.testing.MadeTable;

/**
 * The conformance book is complete, and names tests that exist; then, that what is not is found.
 */
final class ConformanceTest {

  /** Maven runs a module's tests in the module's folder. */
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling("");

  private static final Path PAGES = ROOT.resolve("docs/conformance");

  private static final String GOOD =
      """
      # Sample and Samplelib

      Document: A sample, by nobody, 1996. Sections below are the document's.

      ## Opening

      | # | rule | section | here | shown by |
      |---|---|---|---|---|
      | 1 | `open` with `A \\| B` opens | 3.2 | as written | `SampleTest.opens` |
      | 2 | at most 20 files | 3.3 | changed: any number, nobody counts | `SampleTest.many`, `SampleTest.more` |

      ## Closing

      Some prose.

      | # | rule | section | here | shown by |
      |---|---|---|---|---|
      | 3 | closes | 3.4 | as written; also twice | `SampleCases.closes` |
      """;

  private static Book book() throws IOException {
    return Book.read(
        name -> {
          Path page = PAGES.resolve(name + ".md");
          return Files.exists(page) ? Optional.of(Files.readString(page)) : Optional.empty();
        });
  }

  private static Set<String> pagesIn(String folder) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
          .map(name -> name.replaceFirst("\\.md$", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void everyPageIsCompleteAndEveryRuleNamesATest() throws IOException {
    assertThat(book().complaints()).isEmpty();
  }

  @Test
  void everyTestThatAPageNamesExists() throws IOException {
    assertThat(TestSources.below(ROOT).missing(book())).isEmpty();
  }

  @Test
  void everySystemHasAPageAndThereIsNoOther() throws IOException {
    Set<String> systems = new TreeSet<>(pagesIn("docs/heritage"));
    assertThat(HeritagePrograms.all()).allSatisfy(one -> assertThat(systems).contains(one.name()));
    systems.add("diskdirected");
    systems.remove("elio"); // the device layer of Shared Files, and part of their page
    assertThat(Book.NAMES).containsExactlyInAnyOrderElementsOf(systems);
    assertThat(pagesIn("docs/conformance")).isEqualTo(systems);
  }

  @Test
  void theCommandReadsThesePages() throws IOException {
    assertThat(Book.ofResources()).isEqualTo(book());
  }

  @Test
  void theTableOfSystemsIsMadeFromThePages() throws IOException {
    StringBuilder table =
        new StringBuilder(
            """
            | system | rules | as written | changed | its rules | its page | its program |
            |---|---|---|---|---|---|---|
            """);
    for (SystemPage page : book().pages()) {
      boolean runs = HeritagePrograms.named(page.name()).isPresent();
      table.append(
          "| %s | %d | %d | %d | [rules](conformance/%s.md) | %s | %s |\n"
              .formatted(
                  page.title(),
                  page.rules().size(),
                  page.asWritten(),
                  page.changed(),
                  page.name(),
                  runs ? "[%s](heritage/%s.md)".formatted(page.name(), page.name()) : "",
                  runs ? "`millrace run heritage/" + page.name() + "`" : ""));
    }
    SystemPage all = book().whole();
    table.append(
        "| all | %d | %d | %d | | | |\n"
            .formatted(all.rules().size(), all.asWritten(), all.changed()));
    MadeTable.compare(ROOT.resolve("docs/systems.md"), "rules", table.toString());
  }

  @Test
  void aPageIsReadAsItIsWritten() {
    SystemPage page = PageParser.parse("sample", GOOD);
    assertThat(page.complaints()).isEmpty();
    assertThat(page.title()).isEqualTo("Sample and Samplelib");
    assertThat(page.document()).startsWith("A sample, by nobody");
    assertThat(page.rules())
        .containsExactly(
            new Rule(
                1,
                "`open` with `A | B` opens",
                "3.2",
                new Here.AsWritten(""),
                List.of(new TestName("SampleTest", "opens"))),
            new Rule(
                2,
                "at most 20 files",
                "3.3",
                new Here.Changed("any number, nobody counts"),
                List.of(new TestName("SampleTest", "many"), new TestName("SampleTest", "more"))),
            new Rule(
                3,
                "closes",
                "3.4",
                new Here.AsWritten("also twice"),
                List.of(new TestName("SampleCases", "closes"))));
    assertThat(page.asWritten()).isEqualTo(2);
    assertThat(page.changed()).isEqualTo(1);
    assertThat(page.shown()).isEqualTo(3);
  }

  /** What is planted into the good page, and what is said of it. */
  static List<Arguments> planted() {
    return List.of(
        arguments("# Sample", "Sample", "has no heading"),
        arguments("Document:", "Text:", "has no line"),
        arguments("| 3 | closes", "| 4 | closes", "row 4 should have number 3"),
        arguments("| 2 | at", "| 1 | at", "row 1 should have number 2"),
        arguments("| as written |", "| partly |", "row 1 says neither"),
        arguments("changed: any number, nobody counts", "changed:", "row 2 says neither"),
        arguments("changed: any number", "differs: any number", "row 2 says neither"),
        arguments("as written; also", "as written but", "row 3 says neither"),
        arguments("`SampleTest.opens`", "", "row 1 is shown by no test"),
        arguments("`SampleTest.opens`", "SampleTest.opens", "not in backticks"),
        arguments("`SampleTest.opens`", "`SampleTest`", "SampleTest is no Class.method"),
        arguments(
            "`SampleTest.opens`", "`SampleTest.opens` and others", "not in backticks with commas"),
        arguments("A \\| B", "A | B", "6 cells instead of 5"),
        arguments("| 3.2 |", "|", "4 cells instead of 5"),
        arguments("| 3.2 |", "| |", "where it stands"),
        arguments("| # | rule |", "| number | rule |", "a table must begin with"));
  }

  @ParameterizedTest
  @MethodSource("planted")
  void aPageThatIsNotRightIsFound(String good, String bad, String complaint) {
    assertThat(GOOD).contains(good);
    String planted = GOOD.replaceFirst(Pattern.quote(good), quoted(bad));
    assertThat(PageParser.parse("sample", planted).complaints())
        .anySatisfy(one -> assertThat(one).startsWith("sample.md:").contains(complaint));
  }

  private static String quoted(String text) {
    return Matcher.quoteReplacement(text);
  }

  @Test
  void missingPagesAndMissingTestsAreFound() throws IOException {
    Book one = Book.read(name -> name.equals("pfs") ? Optional.of(GOOD) : Optional.empty());
    assertThat(one.complaints())
        .hasSize(Book.NAMES.size() - 1)
        .contains("edonio.md: there is no such page");
    assertThat(TestSources.below(ROOT).missing(one))
        .hasSize(4)
        .contains("pfs.md: row 2: there is no test SampleTest.more");
    assertThat(one.whole().rules()).hasSize(3);
  }

  @Test
  void aMethodIsATestOnlyWithItsAnnotation() throws IOException {
    TestSources sources = TestSources.below(ROOT);
    assertThat(sources.has(new TestName("ConformanceTest", "aPageIsReadAsItIsWritten"))).isTrue();
    assertThat(sources.has(new TestName("ConformanceTest", "aPageThatIsNotRightIsFound"))).isTrue();
    assertThat(sources.has(new TestName("ConformanceTest", "pagesIn"))).isFalse();
    assertThat(sources.has(new TestName("ConformanceTest", "quoted"))).isFalse();
    assertThat(sources.has(new TestName("NoTest", "quoted"))).isFalse();
    assertThat(sources.runners("PfsModeCases")).contains("PfsModeCases", "ScenariosInMemoryTest");
  }
}
