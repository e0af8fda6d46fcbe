package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cli.CommandLineRun;

final class HeatCommandTest {

  @TempDir private Path folder;

  @Test
  void oneLineSaysWhatCameOutAndThePictureIsThere() {
    CommandLineRun run = heat("--ranks", "3", "--nodes", "2", "--size", "30", "--steps", "20");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines().toList().getFirst())
        .matches("heat: 30 x 30 cells, 20 steps, 3 ranks over 2 nodes, up to 1 MB in .*data");
    assertThat(run.out().lines().toList().getLast())
        .matches(
            "heat: 20 steps by 3 ranks over 2 nodes in [0-9.]+ s: maximum [0-9.]+, mean [0-9.]+,"
                + " checksum [0-9a-f]{8}; picture .*heat\\.png");
    assertThat(folder.resolve("heat.png")).isNotEmptyFile();
  }

  @Test
  void optionsMayComeBeforeTheNameAndTheChecksumStays() {
    String one = checksum(heat("--ranks", "1", "--nodes", "1", "--size", "30", "--steps", "20"));
    CommandLineRun other =
        CommandLineRun.of(
            "run",
            "--ranks",
            "5",
            "--dir",
            folder.resolve("data").toString(),
            "heat",
            "--size=30",
            "--steps=20",
            "--out",
            folder.resolve("heat.png").toString());
    assertThat(other.out()).contains("by 5 ranks over 1 node ", folder.resolve("data").toString());
    assertThat(checksum(other)).isEqualTo(one);
  }

  @Test
  void folderThatIsAFileIsSaidToBeOne() throws IOException {
    Files.writeString(folder.resolve("data"), "not a folder");
    CommandLineRun run = heat("--size", "30", "--steps", "20");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).matches("millrace: .*data: something else has that name\\R");
  }

  @Test
  void resumedRunSaysWhereItBegins() {
    heat("--size", "30", "--steps", "20");
    CommandLineRun run = heat("--resume", "--steps", "25", "--ranks", "2");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("25 steps, from step 20, 2 ranks over 4 nodes", "25 steps (5 of them now) by");
    assertThat(checksum(run)).isEqualTo(checksum(heat("--size", "30", "--steps", "25")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--size 0", "--steps -1", "--every 0", "--size x", "--ranks x", "--out"})
  void wrongUseIsOneLineThatPointsToHelp(String options) {
    CommandLineRun run = CommandLineRun.of(("run heat " + options).split(" "));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).matches("millrace: .*; see millrace run heat --help\\R");
  }

  @Test
  void whatCannotBeDoneIsOneLine() {
    CommandLineRun none = heat("--resume");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).matches("millrace: there is no checkpoint in .*data; .*\\R");
    assertThat(folder.resolve("data")).doesNotExist();
    CommandLineRun noFolder = heat("--out", folder.resolve("no/heat.png").toString());
    assertThat(noFolder.exitCode()).isEqualTo(1);
    assertThat(noFolder.err()).matches("millrace: no folder .* for the picture\\R");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  private CommandLineRun heat(String... options) {
    List<String> args = new ArrayList<>(List.of("run", "heat"));
    args.addAll(List.of("--dir", folder.resolve("data").toString()));
    if (!List.of(options).contains("--out")) {
      args.addAll(List.of("--out", folder.resolve("heat.png").toString()));
    }
    args.addAll(List.of(options));
    return CommandLineRun.of(args.toArray(String[]::new));
  }

  private static String checksum(CommandLineRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out().replaceAll("(?s).*checksum ([0-9a-f]+);.*", "$1");
  }
}
