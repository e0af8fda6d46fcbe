package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The options of {@code bench sharing}; what it measures is tested where it is. */
final class SharingCommandTest {

  @TempDir private Path folder;

  @Tag("long")
  @Test
  void printsTheTableBesideThePapersAndWritesItToFiles() throws IOException {
    Path json = folder.resolve("sharing.json");
    Path html = folder.resolve("sharing.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "sharing",
            "--tiny",
            "--ranks=2",
            "--dir=" + folder.resolve("bench"),
            "--json=" + json,
            "--html=" + html);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("3 iterations on 2 nodes", "no I/O", "random write", "193.8", "67.5 %");
    assertThat(Files.readString(json)).contains("\"server\": \"idle\"");
    assertThat(Files.readString(html)).contains("<h1>millrace bench sharing</h1>", "<svg");
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  @Test
  void numberOfRanksIsChecked() {
    CommandLineRun run = CommandLineRun.of("bench", "sharing", "--ranks", "65");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("65 ranks, must be in 1..64");
  }

  @Test
  void placeOfTheReportIsCheckedBeforeAnythingIsRun() {
    CommandLineRun run =
        CommandLineRun.of("bench", "sharing", "--json=" + folder.resolve("absent/s.json"));
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).isEmpty();
  }
}
