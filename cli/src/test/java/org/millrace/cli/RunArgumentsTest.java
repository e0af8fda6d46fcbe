package org.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class RunArgumentsTest {

  @ParameterizedTest
  @CsvSource({
    "run P --ranks 8, run --ranks 8 P",
    "run P --ranks=8 --procs a --ranks 3, run --ranks=8 --procs P a --ranks 3",
    "run --nodes 2 P --ranks 8 a, run --nodes 2 --ranks 8 P a",
    "--trace run P --procs, --trace run --procs P",
    "run P -Dx=1 -J-Xmx1g a -Dy=2, run -Dx=1 -J-Xmx1g P a -Dy=2",
    "run P -- --ranks 8, run P --ranks 8",
    "run P --procs -- --ranks 8, run --procs P --ranks 8",
    "run P --size 8 --ranks 8, run P --size 8 --ranks 8",
    "run P --ranks, run --ranks P",
    "run heat --ranks 8, run heat --ranks 8",
    "run --ranks 8, run --ranks 8",
    "run, run",
    "status --ranks 8, status --ranks 8"
  })
  void optionsOfRunMayStandRightBehindTheProgram(String typed, String ordered) {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    CommandLine run =
        requireNonNull(Main.commandLine(nowhere, nowhere).getSubcommands().get("run"));
    assertThat(RunArguments.inOrder(run, typed.split(" "))).containsExactly(ordered.split(" "));
  }
}
