package org.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** What {@code millrace conformance} prints. */
final class ConformanceCommandTest {

  @TempDir private Path folder;

  @Test
  void aTableHasARowForEachSystemAndOneForAll() throws IOException {
    CommandLineRun run = CommandLineRun.of("conformance");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out().lines()).hasSize(Book.NAMES.size() + 2);
    for (SystemPage page : Book.ofResources().pages()) {
      assertThat(run.out())
          .containsPattern(
              "(?m)^%s +\\Q%s\\E +%d ".formatted(page.name(), page.title(), page.rules().size()));
    }
    assertThat(run.out())
        .containsPattern("(?m)^ +all +" + Book.ofResources().whole().rules().size());
  }

  @Test
  void theRulesOfOneSystemArePrintedWithTheirTests() throws IOException {
    CommandLineRun run = CommandLineRun.of("conformance", "pfs");
    SystemPage page = Book.ofResources().page("pfs").orElseThrow();
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).startsWith(page.title());
    for (Rule rule : page.rules()) {
      assertThat(run.out()).contains(rule.text(), rule.here().text());
      rule.shownBy().forEach(test -> assertThat(run.out()).contains(test.toString()));
    }
  }

  @Test
  void bothAreThereAsJson() {
    assertThat(CommandLineRun.of("conformance", "--json").out())
        .contains("\"systems\": [", "\"page\": \"vesta\"", "\"all\": {", "\"asWritten\": ");
    assertThat(CommandLineRun.of("conformance", "vesta", "--json").out())
        .contains("\"rows\": [", "\"number\": 1", "\"shownBy\": [");
  }

  @Test
  void aSystemThatIsNotThereIsWrongUse() {
    CommandLineRun run = CommandLineRun.of("conformance", "nfs");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("no system nfs").contains("vesta");
  }

  @Test
  void whereNoTestsRanThatIsSaid() throws IOException {
    String sources = folder.toString();
    CommandLineRun none = CommandLineRun.of("conformance", "--ran", "--sources", sources);
    assertThat(none.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(none.err()).contains("no reports of tests below " + sources);
    Path report = folder.resolve("m/target/surefire-reports/TEST-x.xml");
    Files.createDirectories(report.getParent());
    Files.writeString(folder.resolve("m/pom.xml"), "");
    Files.writeString(
        report, "<testsuite><testcase name='a' classname='X'></testcase></testsuite>");
    CommandLineRun other = CommandLineRun.of("conformance", "--ran", "--sources", sources);
    assertThat(other.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(other.err()).contains("did not run").doesNotContain("no reports");
  }
}
