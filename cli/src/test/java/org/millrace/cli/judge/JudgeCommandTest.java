package org.millrace.cli.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.judge.Outcome.Ending;
import org.millrace.cli.terminal.ExitCode;

/** What {@code millrace judge} prints, and how it ends. */
final class JudgeCommandTest {

  @TempDir private Path folder;

  @Test
  void withoutANameTheJudgesAreListed() {
    CommandLineRun run = CommandLineRun.of("judge");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("nio", "lucene");
  }

  @Test
  void unknownJudgeIsRefusedWithTheKnownOnes() {
    CommandLineRun run = CommandLineRun.of("judge", "nobody");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("nobody", "nio", "lucene");
  }

  @Test
  void anotherFolderIsNotTakenForTheSources() {
    CommandLineRun run = CommandLineRun.of("judge", "nio", "--sources", folder.toString());
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("--sources");
  }

  @Test
  void everyNameIsThereOnce() {
    assertThat(Judges.names()).doesNotHaveDuplicates();
  }

  @Test
  void outcomesAreReadAndCounted() throws IOException {
    Path file =
        Files.write(
            folder.resolve("nio.tsv"),
            List.of("passed\ta\t", "failed\tb\tno clock", "skipped\tc\tneeds Windows"));
    Judgement judgement = Judgement.read(file);
    assertThat(judgement.outcomes())
        .containsExactly(
            Outcome.passed("a"),
            Outcome.failed("b", "no clock"),
            Outcome.skipped("c", "needs Windows"));
    assertThat(judgement.count(Ending.FAILED)).isEqualTo(1);
    assertThat(judgement.isGood()).isTrue();
  }

  @Test
  void judgementIsBadIfNothingRanOrSomethingWasUnexpected() {
    assertThat(new Judgement(List.of()).isGood()).isFalse();
    assertThat(new Judgement(List.of(Outcome.unexpected("a", "?"))).isGood()).isFalse();
  }

  @Test
  void brokenLineIsNamed() throws IOException {
    Path file = Files.write(folder.resolve("nio.tsv"), List.of("perhaps\ta\t"));
    assertThatIOException()
        .isThrownBy(() -> Judgement.read(file))
        .withMessageContaining("perhaps")
        .withMessageContaining("nio.tsv");
  }
}
