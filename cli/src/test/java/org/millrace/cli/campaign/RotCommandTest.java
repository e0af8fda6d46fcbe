package org.millrace.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;

/** The campaign finds nothing wrong, finds a planted bug, and refuses to pass on too little. */
final class RotCommandTest {

  @TempDir Path folder;

  private CommandLineRun run(String... more) {
    String[] args = new String[more.length + 4];
    args[0] = "campaign";
    args[1] = "rot";
    args[2] = "--folder";
    args[3] = folder.toString();
    System.arraycopy(more, 0, args, 4, more.length);
    return CommandLineRun.of(args);
  }

  @Test
  void nothingIsWrongInSilence() {
    CommandLineRun run = run("--mutations", "200", "--seed", "11");
    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.out()).contains("seed 11", "200 mutations").contains("0 clusters with wrong");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void nodesThatDoNotCompareChecksumsAreFound() {
    CommandLineRun run = run("--mutations", "100", "--seed", "1", "--plant", "unverified");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("WRONG: ");
  }

  @Test
  void tooFewMutationsProveNothing() {
    CommandLineRun run = run("--mutations", "2");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("too little happened");
  }

  @Test
  void wrongUseIsSaid() {
    assertThat(run("--mutations", "0").exitCode()).isEqualTo(2);
    assertThat(run("--plant", "gremlin").exitCode()).isEqualTo(2);
    assertThat(CommandLineRun.of("campaign").exitCode()).isEqualTo(2);
  }
}
