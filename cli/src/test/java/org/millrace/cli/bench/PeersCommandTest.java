package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The options of {@code bench peers}; what it measures is tested where it is. */
class PeersCommandTest {

  @Test
  void nothingToCompareIsWrongUse() {
    CommandLineRun run = CommandLineRun.of("bench", "peers", "--only", "nothing");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("nothing");
  }

  @Test
  void numberOfRanksAndFormOfHintsAreChecked() {
    CommandLineRun ranks = CommandLineRun.of("bench", "peers", "--ranks", "4,0");
    assertThat(ranks.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(ranks.err()).contains("[4, 0] ranks");
    CommandLineRun hint = CommandLineRun.of("bench", "peers", "--hint", "cb_nodes");
    assertThat(hint.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(hint.err()).contains("KEY=VALUE", "cb_nodes");
  }

  @Test
  void helpSaysWhatToInstall() {
    CommandLineRun run = CommandLineRun.of("bench", "peers", "--help");
    assertThat(run.out()).contains("libmpich-dev", "libopenmpi-dev", "--cold", "--html");
  }
}
