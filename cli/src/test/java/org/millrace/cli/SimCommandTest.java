package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
  void scaleRunsASmallStudy() {
    CommandLineRun run = CommandLineRun.of("sim", "scale", "--nodes", "1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("read records", "write tiles", "disk-directed");
  }
}
