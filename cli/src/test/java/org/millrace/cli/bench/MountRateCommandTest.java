package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

final class MountRateCommandTest {

  @TempDir private Path folder;

  @Tag("long")
  @Test
  void printsRowsOfBothKindsOfMountsOrWhyNot() {
    Path bench = folder.resolve("bench");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "mount",
            "--bytes=2M",
            "--reads=10",
            "--files=16",
            "--laps=1",
            "--dir=" + bench);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("reads of 4 KiB at random places");
    assertThat(run.out()).containsAnyOf("mount --cache, reads of 1 MiB", "skipped");
    assertThat(bench).doesNotExist();
  }

  @Test
  void numbersThatMakeNoSenseAreRefused() {
    CommandLineRun run = CommandLineRun.of("bench", "mount", "--files=3");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("3 files, must be in 16..");
  }
}
