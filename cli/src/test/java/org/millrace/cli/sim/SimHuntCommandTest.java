package org.millrace.cli.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The command that hunts: clean, red with a planted bug, and refusing what it does not know. */
final class SimHuntCommandTest {

  @Test
  void cleanSeedsEndWell() {
    CommandLineRun run = CommandLineRun.of("sim", "hunt", "--seeds", "4", "--workers", "1");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("4 seeds clean").contains("trace hash");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
  }

  @Test
  void theSameSeedHasTheSameHash() {
    String[] args = {"sim", "hunt", "--seed", "7"};
    assertThat(CommandLineRun.of(args).out()).isEqualTo(CommandLineRun.of(args).out());
  }

  @Test
  void aPlantedBugIsFoundAndCanBeSeenAgain() {
    CommandLineRun run =
        CommandLineRun.of(
            "sim", "hunt", "--seeds", "10", "--plant", "dropped-dirty-block", "--workers", "1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out())
        .contains("what happened last")
        .containsPattern("run it again: millrace sim hunt --seed \\d+ --plant dropped-dirty-block");
  }

  @Test
  void theCommandThatIsPrintedFindsThePlantedBugAgain() {
    CommandLineRun run =
        CommandLineRun.of(
            "sim",
            "hunt",
            "--seeds",
            "10",
            "--failures",
            "1",
            "--plant",
            "stale-read",
            "--workers",
            "1"); // two may find two at the same time
    String again = run.out().lines().filter(l -> l.contains("run it again")).findFirst().orElse("");
    String[] args = again.substring(again.indexOf("sim hunt")).split(" ");
    CommandLineRun replay = CommandLineRun.of(args);
    assertThat(replay.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(replay.out()).isEqualTo(run.out());
  }

  @Test
  void whatHappenedIsCounted() {
    CommandLineRun run = CommandLineRun.of("sim", "hunt", "--seeds", "4", "--workers", "1");
    assertThat(run.out())
        .containsPattern("calls: .*open [0-9,]+")
        .containsPattern("modes: .*INDEPENDENT")
        .containsPattern("faults: .*delay [0-9,]+")
        .contains("errors: ");
  }

  @Test
  void unknownBugsAreRefusedWithTheKnownOnes() {
    CommandLineRun run = CommandLineRun.of("sim", "hunt", "--plant", "gremlin");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("gremlin").contains("removed-fsync");
  }

  @Test
  void noSeedsAreRefused() {
    CommandLineRun run = CommandLineRun.of("sim", "hunt", "--seeds", "0");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
  }
}
