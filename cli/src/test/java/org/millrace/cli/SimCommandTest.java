package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    assertThat(run.out()).contains("--quick", "--seed", "--json", "--html");
  }

  @Test
  void placeOfTheReportIsCheckedBeforeAnythingIsRun() {
    Path html = dir.resolve("absent").resolve("k.html");
    CommandLineRun run = CommandLineRun.of("sim", "kotz", "--quick", "--html=" + html);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).isEmpty();
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
