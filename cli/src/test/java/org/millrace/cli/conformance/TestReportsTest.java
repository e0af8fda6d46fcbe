package org.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.cli.conformance.TestReports.Outcome;

/** Which tests ran is read from reports as Maven leaves them. */
final class TestReportsTest {

  private static final String SUITE =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="org.x.SampleTest" tests="9" errors="1" skipped="2" failures="1">
        <properties><property name="java.version" value="25"/></properties>
        <testcase name="passes" classname="org.x.SampleTest" time="0.1"/>
        <testcase name="fails" classname="org.x.SampleTest" time="0.1">
          <failure message="no &lt;way&gt;" type="java.lang.AssertionError"><![CDATA[at x]]></failure>
        </testcase>
        <testcase name="throwsIt" classname="org.x.SampleTest" time="0.1"><error type="x"/></testcase>
        <testcase name="isSkipped" classname="org.x.SampleTest" time="0"><skipped message="why"/></testcase>
        <testcase name="each(int)[1]" classname="org.x.SampleTest" time="0.1">
          <system-out><![CDATA[<failure>]]></system-out>
        </testcase>
        <testcase name="each(int)[2]" classname="org.x.SampleTest" time="0"><skipped/></testcase>
        <testcase name="some(int)[1]" classname="org.x.SampleTest" time="0.1"/>
        <testcase name="some(int)[2]" classname="org.x.SampleTest" time="0.1"><failure/></testcase>
        <testcase name="within" classname="org.x.SampleTest$Inner" time="0.1"/>
        <testcase name="ofAll" classname="org.x.HeirTest$Of" time="0.1"/>
      </testsuite>
      """;

  @TempDir private Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private Outcome of(String name) throws IOException {
    write("m/pom.xml", "");
    write("m/src/test/java/org/x/HeirTest.java", "class HeirTest { class Of extends AllCases {} }");
    TestName test = TestName.parse(name).orElseThrow();
    return TestReports.below(root).of(test, TestSources.below(root));
  }

  @ParameterizedTest
  @CsvSource({
    "SampleTest.passes, PASSED",
    "SampleTest.fails, FAILED",
    "SampleTest.throwsIt, FAILED",
    "SampleTest.isSkipped, SKIPPED",
    "SampleTest.each, PASSED",
    "SampleTest.some, FAILED",
    "SampleTest.within, PASSED",
    "SampleTest.pass, ABSENT",
    "OtherTest.passes, ABSENT",
    "AllCases.ofAll, PASSED",
  })
  void aReportSaysHowEachTestEnded(String name, Outcome outcome) throws IOException {
    write("m/target/surefire-reports/TEST-org.x.SampleTest.xml", SUITE);
    assertThat(of(name)).isEqualTo(outcome);
  }

  @Test
  void allBuildsAndAllWorldsCount() throws IOException {
    String one = "<testsuite><testcase name='%s' classname='X'>%s</testcase></testsuite>";
    write("m/target/surefire-reports/TEST-a.xml", one.formatted("a", ""));
    write("m/target/fast/surefire-reports/TEST-b.xml", one.formatted("b", ""));
    write("m/target/fast/surefire-reports/seeded/TEST-a.xml", one.formatted("a", "<failure/>"));
    write("m/target/fast/surefire-reports/sockets/TEST-b.xml", one.formatted("b", "<skipped/>"));
    assertThat(of("X.a")).isEqualTo(Outcome.FAILED);
    assertThat(of("X.b")).as("skipped in one world only").isEqualTo(Outcome.PASSED);
  }

  @Test
  void rulesWhoseTestsDidNotPassAreNamed() throws IOException {
    write("m/pom.xml", "");
    write("m/target/surefire-reports/TEST-org.x.SampleTest.xml", SUITE);
    StringBuilder page = new StringBuilder("# X\nDocument: x\n\n");
    page.append("| # | rule | section | here | shown by |\n|---|---|---|---|---|\n");
    List<String> tests = List.of("passes", "fails", "isSkipped", "absent");
    for (int i = 0; i < tests.size(); i++) {
      page.append(
          "| %d | rule | 1 | as written | `SampleTest.%s` |\n".formatted(i + 1, tests.get(i)));
    }
    Book book =
        Book.read(name -> name.equals("nx") ? Optional.of(page.toString()) : Optional.empty());
    assertThat(TestReports.below(root).complaints(book, TestSources.below(root)))
        .containsExactly(
            "nx.md: row 2: SampleTest.fails failed",
            "nx.md: row 3: SampleTest.isSkipped was skipped",
            "nx.md: row 4: SampleTest.absent did not run");
  }

  @Test
  void withoutReportsThereIsNothing() throws IOException {
    write("m/pom.xml", "");
    assertThat(TestReports.below(root).isEmpty()).isTrue();
  }
}
