package org.millrace.cli.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

final class PosixJudgeTest {

  @Test
  void filesOfTestsEndAsProveSays() {
    List<Outcome> outcomes =
        PosixJudge.proved(
            "p",
            """
            /x/tests/chmod/00.t ..... ok
            /x/tests/chmod/01.t .....\s
            Failed 2/14 subtests
            /x/tests/chmod/02.t ..... skipped: no second disk
            /x/tests/chown/00.t ..... ok

            Test Summary Report
            -------------------
            /x/tests/chmod/01.t   (Wstat: 0 Tests: 14 Failed: 2)
              Failed tests:  3-4
            Files=4, Tests=33,  1 wallclock secs
            """);
    assertThat(outcomes)
        .containsExactly(
            Outcome.passed("p chmod/00.t"),
            Outcome.unexpected("p chmod/01.t", "Failed tests:  3-4"),
            Outcome.skipped("p chmod/02.t", "skipped: no second disk"),
            Outcome.passed("p chown/00.t"));
  }

  @Test
  void everyTrialHasAnotherNameAndSaysWhatItNeeds() {
    List<Trial> trials = PosixTrials.of(PosixTools.USUAL, Path.of("sources"));
    assertThat(trials).extracting(Trial::name).doesNotHaveDuplicates();
    assertThat(trials).extracting(Trial::missing).noneMatch(String::isBlank);
  }

  /** One of mode 0700 made pjdfstest's rename/21.t fail, on any file system. */
  @Test
  void otherUsersCanGoThroughTheFoldersOfTrials(@TempDir Path mount) throws IOException {
    assertThat(Files.getPosixFilePermissions(PosixJudge.folder(mount, "trial")))
        .contains(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);
  }

  @Test
  void numbersThatMakeNoSenseAreRefused() {
    CommandLineRun run = CommandLineRun.of("judge", "posix", "--operations=0");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("0 operations, must be at least 1");
  }
}
