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

final class CopyCommandTest {

  @TempDir private Path folder;

  @Tag("long")
  @Test
  void printsPutAndGetBesideCpAndWritesThemToAFile() throws IOException {
    Path json = folder.resolve("rows.json");
    Path bench = folder.resolve("bench");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "copy",
            "--bytes=1000001",
            "--laps=1",
            "--nodes=1",
            "--dir=" + bench,
            "--json=" + json);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("put of 1.00 MB, beside cp and sync", "get of 1.00 MB, beside cp and sync")
        .contains("get of 1.00 MB, beside a cold cp and sync");
    assertThat(Files.readString(json)).contains("\"targetOf\": \"RATIO_AT_LEAST\"");
    assertThat(bench).doesNotExist();
  }

  @Test
  void refusesNumbersThatMakeNoSense() {
    assertThat(CommandLineRun.of("bench", "copy", "--laps=0").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("bench", "copy", "--nodes=0").err()).contains("0 nodes, must be");
  }
}
