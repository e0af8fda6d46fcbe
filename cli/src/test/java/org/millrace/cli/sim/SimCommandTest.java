package org.millrace.cli.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The options of {@code sim}; what it runs is tested where it is. */
class SimCommandTest {

  @TempDir Path dir;

  @Test
  void withoutANameItSaysWhichThereAre() {
    CommandLineRun run = CommandLineRun.of("sim");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("kotz");
  }

  @Test
  void helpNamesTheOptions() {
    CommandLineRun run = CommandLineRun.of("sim", "kotz", "--help");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("--quick", "--seed", "--json", "--html", "--figures");
  }

  @Test
  void placeOfTheReportIsCheckedBeforeAnythingIsRun() {
    Path html = dir.resolve("absent").resolve("k.html");
    CommandLineRun run = CommandLineRun.of("sim", "kotz", "--quick", "--html=" + html);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void kotzPrintsThePapersTablesAndDrawsItsFigures() throws IOException {
    assertThat(kotz("first"))
        .contains("As Table 2", "As Table 3", "easy read", "hard write", "Two applications")
        .doesNotContain("paper", "16.2"); // of another file
    assertThat(Files.readString(dir.resolve("first.html")))
        .contains(
            "As figure 2: no synchronization", "As figure 3: a barrier every 5 ms", "hard write");
    assertThat(Files.readString(dir.resolve("first").resolve("figure2.svg")))
        .startsWith("<svg xmlns=")
        .contains("MB/s", "disk-directed I/O");
  }

  @Test
  @Tag("long")
  void kotzPrintsAndDrawsTheSameEachTime() {
    assertThat(kotz("first")).isEqualTo(kotz("second"));
    for (String file : List.of("%s.json", "%s.html", "%s/figure2.svg", "%s/figure3.svg")) {
      assertThat(dir.resolve(file.formatted("second")))
          .hasSameTextualContentAs(dir.resolve(file.formatted("first")));
    }
  }

  private String kotz(String name) {
    CommandLineRun run =
        CommandLineRun.of(
            "sim",
            "kotz",
            "--quick",
            "--megabytes=1",
            "--json=" + dir.resolve(name + ".json"),
            "--html=" + dir.resolve(name + ".html"),
            "--figures=" + dir.resolve(name));
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    return run.out();
  }

  @Test
  @Tag("long")
  void passionPrintsThePapersSecondsAndDrawsTheTableAndTheFigure() throws IOException {
    CommandLineRun run =
        CommandLineRun.of(
            "sim",
            "passion",
            "--quick",
            "--json=" + dir.resolve("p.json"),
            "--html=" + dir.resolve("p.html"),
            "--figures=" + dir);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .contains("Table 1", "VI (1:4096, 1:16)", "3.842", "2.024", "Figure 2", "row-cyclic");
    assertThat(Files.readString(dir.resolve("p.json")))
        .contains("\"paperSeconds\": 1.027", "\"method\": \"two-phase\"");
    assertThat(Files.readString(dir.resolve("p.html"))).contains("<svg", "Touchstone Delta");
    assertThat(Files.readString(dir.resolve("table1.svg"))).startsWith("<svg").contains("paper");
    assertThat(Files.readString(dir.resolve("figure2.svg"))).contains("row-cyclic");
  }

  @Test
  void kotzRefusesFilesThatDoNotFitIntoMemory() {
    CommandLineRun run = CommandLineRun.of("sim", "kotz", "--megabytes", "1001");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("--megabytes must be in 1..1000: 1001");
  }

  @Test
  void scaleRefusesMoreNodesThanItCanSimulate() {
    CommandLineRun run = CommandLineRun.of("sim", "scale", "--nodes", "5000");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("--nodes must be in 1..4096: 5000");
  }

  @Test
  void scaleRunsASmallStudyAndWritesWhatWasAskedFor() throws IOException {
    Path pictures = dir.resolve("pictures");
    CommandLineRun run =
        CommandLineRun.of(
            "sim",
            "scale",
            "--nodes=1",
            "--json=" + dir.resolve("s.json"),
            "--html=" + dir.resolve("s.html"),
            "--pictures=" + pictures);
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("read records", "write tiles", "disk-directed");
    assertThat(dir.resolve("s.json")).content().contains("\"strategy\": \"two-phase\"");
    assertThat(dir.resolve("s.html")).content().contains("<svg", "write tiles");
    for (String task : new String[] {"read-blocks", "read-records", "read-tiles", "write-tiles"}) {
      assertThat(pictures.resolve("scale-" + task + ".svg"))
          .content()
          .contains("GB/s", "CPU", "messages", "memory of a node", "disk-directed");
    }
  }

  @Test
  void scaleHelpSaysHowFarItGoes() {
    CommandLineRun run = CommandLineRun.of("sim", "scale", "--help");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("--quick", "--nodes", "4096", "1024", "--pictures");
  }
}
