package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cli.CommandLineRun;

final class MatmulCommandTest {

  @TempDir private Path folder;

  @Test
  void linesSayWhatIsDoneAndWhatCameOutAlsoTheSecondTime() {
    for (int time = 0; time < 2; time++) {
      CommandLineRun run =
          matmul("--ranks", "3", "--nodes", "2", "--n", "60", "--m", "20", "--panel", "16");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.err()).isEmpty();
      List<String> lines = run.out().lines().toList();
      assertThat(lines.getFirst())
          .matches(
              "matmul: 60 x 60 times 60 x 20 by panels of 16, 3 ranks over 2 nodes, 1 MB in .*data");
      assertThat(lines.getLast())
          .matches(
              "matmul: 3 ranks over 2 nodes in [0-9.]+ s: computing [0-9.]+ s, waiting for panels"
                  + " [0-9.]+ s; [0-9]+ of [0-9]+ sections were there in time; C is right,"
                  + " largest error [-0-9.e+]+");
    }
  }

  @Test
  void arraysAreZarrIfAskedFor() {
    for (int time = 0; time < 2; time++) {
      CommandLineRun run =
          matmul("--ranks", "3", "--n", "50", "--m", "20", "--panel", "16", "--format", "zarr");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("C is right");
    }
    CommandLineRun listed =
        CommandLineRun.of("ls", "--dir", folder.resolve("data").toString(), "matmul/c.zarr");
    assertThat(listed.out()).contains("zarr.json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--format hdf5", "--n 0", "--m -1", "--panel 0", "--n x", "--ranks x", "--size 3"})
  void wrongUseIsOneLineThatPointsToHelp(String options) {
    CommandLineRun run = CommandLineRun.of(("run matmul " + options).split(" "));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).matches("millrace: .*[sS]ee millrace run matmul --help\\R");
  }

  @Test
  void tooLargePanelsAreOneLine() {
    CommandLineRun run = matmul("--n", "2000000", "--panel", "1000000");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).matches("millrace: panels of 1000000 columns need .*--panel\\R");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  private CommandLineRun matmul(String... options) {
    List<String> args = new ArrayList<>(List.of("run", "matmul"));
    args.addAll(List.of("--dir", folder.resolve("data").toString()));
    args.addAll(List.of(options));
    return CommandLineRun.of(args.toArray(String[]::new));
  }
}
