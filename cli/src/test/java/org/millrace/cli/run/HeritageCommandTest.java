package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.cli.CommandLineRun;
import org.millrace.heritage.program.HeritageProgram;
import org.millrace.heritage.program.HeritagePrograms;

/** Every system's program checks what it shows, for any numbers, and leaves nothing behind. */
final class HeritageCommandTest {

  @TempDir private Path folder;

  static List<String> names() {
    return HeritagePrograms.all().stream().map(HeritageProgram::name).toList();
  }

  @Test
  void thereAreSixteen() {
    assertThat(names()).hasSize(16).isSorted();
  }

  @ParameterizedTest
  @MethodSource("names")
  void theProgramRuns(String name) {
    runs(name, new int[][] {{3, 2}});
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("names")
  void theProgramRunsWithAnyNumbersAndAgain(String name) {
    runs(name, new int[][] {{4, 4}, {4, 4}, {1, 1}, {5, 3}});
  }

  private void runs(String name, int[][] ranksAndNodes) {
    for (int[] numbers : ranksAndNodes) {
      String directory = folder.resolve(numbers[1] + "-nodes").toString();
      CommandLineRun run =
          CommandLineRun.of(
              "run",
              "heritage/" + name,
              "--ranks",
              Integer.toString(numbers[0]),
              "--nodes",
              Integer.toString(numbers[1]),
              "--dir",
              directory);
      assertThat(run.exitCode()).as("%s by %s ranks: %s", name, numbers[0], run.err()).isZero();
      assertThat(run.err()).isEmpty();
      assertThat(run.out().lines().toList().getLast())
          .matches(name + ": all is as it should be, [1-9][0-9]* checks");
      CommandLineRun left = CommandLineRun.of("ls", "--dir", directory);
      assertThat(left.exitCode()).as(left.err()).isZero();
      assertThat(left.out()).isEmpty();
    }
  }

  private CommandLineRun fem(String ranks, String... arguments) {
    List<String> all = new ArrayList<>(List.of("run", "heritage/edonio", "--dir"));
    all.addAll(List.of(folder + "/fem", "--ranks", ranks, "--nodes", "2", "--"));
    all.addAll(List.of(arguments));
    return CommandLineRun.of(all.toArray(new String[0]));
  }

  @Test
  void theFiniteElementProgramRunsWithItsArguments() {
    for (String[] arguments :
        new String[][] {
          {"6,5,4", "64,128", "1"}, {"7", "0,64", "0"}, {"4x4x4", "512,4096", "1", "nx"}
        }) {
      CommandLineRun run = fem("3", arguments);
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out())
          .contains("nproc, nex,ney,nez 3 ")
          .contains("data_size,disk_size " + arguments[1].replace(",", " "))
          .containsPattern("close for write takes [0-9.]+ sec")
          .containsPattern("all reads take [0-9.]+ sec");
      assertThat(run.out().contains("preload takes")).isEqualTo(arguments[2].equals("1"));
      assertThat(CommandLineRun.of("ls", "--dir", folder + "/fem").out()).isEmpty();
    }
  }

  @Test
  void wrongArgumentsOfAProgramAreNamed() {
    for (String[] arguments :
        new String[][] {
          {"6,5,4", "64,128"}, {"6,5", "64,128", "1"}, {"six", "64,128", "1"},
          {"6", "64", "1"}, {"6", "64,128", "1", "paragon"}, {"0", "64,128", "1"}
        }) {
      CommandLineRun run = fem("2", arguments);
      assertThat(run.exitCode()).as("%s", List.of(arguments)).isNotZero();
    }
    assertThat(fem("2", "6", "64,0", "1").err()).contains("disk cache of 0");
    CommandLineRun none = CommandLineRun.of("run", "heritage/vesta", "--", "6");
    assertThat(none.exitCode()).isNotZero();
    assertThat(none.err()).contains("heritage/vesta takes no arguments");
  }

  @Test
  void picturesAreDrawnWhereAsked() throws IOException {
    Path pictures = folder.resolve("pictures");
    CommandLineRun run =
        CommandLineRun.of(
            "run", "heritage/vesta", "--dir", folder + "/data", "--svg", pictures.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    try (Stream<Path> files = Files.list(pictures)) {
      List<Path> drawn = files.toList();
      assertThat(drawn).isNotEmpty();
      for (Path one : drawn) {
        assertThat(one.getFileName().toString()).matches("vesta-[-a-z0-9]+\\.svg");
        assertThat(Files.readString(one)).startsWith("<svg ").endsWith("</svg>\n");
      }
    }
  }

  @Test
  void anUnknownSystemIsOneLine() {
    CommandLineRun run = CommandLineRun.of("run", "heritage/none");
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err().lines()).hasSize(1);
  }
}
