package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The options of {@code bench micro}; what it measures is tested where it is. */
class BenchCommandTest {

  @TempDir Path dir;

  @Test
  void unknownBenchmarkIsWrongUseAndNothingIsTried() {
    CommandLineRun run = CommandLineRun.of("bench", "micro", "--only", "nothing");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("nothing", "contiguous", "shared");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void placeOfTheRowsIsCheckedBeforeAnythingIsMeasured() {
    Path json = dir.resolve("absent").resolve("rows.json");
    CommandLineRun run = CommandLineRun.of("bench", "micro", "--quick", "--json=" + json);
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err())
        .isEqualToIgnoringNewLines("millrace: " + json + ": no such file or folder");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void rowsAreInTheTableAndInBothFilesAndTheFolderIsLeftEmpty() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("disk"));
    Path json = dir.resolve("rows.json");
    Path html = dir.resolve("rows.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "micro",
            "--quick",
            "--only=shared",
            "--dir=" + folder,
            "--json=" + json,
            "--html=" + html);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("measured", "M_LOG", "M_SYNC");
    assertThat(json).content().contains("\"what\": \"M_SYNC");
    assertThat(html).content().contains("M_SYNC", "<svg");
    assertThat(folder).isEmptyDirectory();
  }
}
