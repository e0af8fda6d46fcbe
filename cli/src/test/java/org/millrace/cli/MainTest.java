package org.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class MainTest {

  @Test
  void helpNamesSubcommandsAndExitCodes() {
    CommandLineRun run = CommandLineRun.of("--help");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("run", "bench", "--trace", "Exit codes:", "130");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "bench", "bench micro"})
  void everySubcommandHasHelp(String command) {
    CommandLineRun run = CommandLineRun.of((command + " --help").split(" "));
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("Usage: millrace " + command, "Exit codes:");
  }

  @Test
  void oneCommandAloneIsNamedAndExplainedAsAmongAll() {
    PrintWriter nobody = new PrintWriter(PrintWriter.nullWriter());
    Map<String, CommandLine> all = Main.commandLine(nobody, nobody).getSubcommands();
    for (Class<?> command : MillraceCommand.COMMANDS) {
      String name = MillraceCommand.nameOf(command);
      CommandLine among = requireNonNull(all.get(name), name);
      assertThat(among.getCommandName()).isEqualTo(name);
      assertThat(MillraceCommand.called(name)).containsExactly(command);
      assertThat(CommandLineRun.of(name, "--help").out())
          .contains("--trace", "--version")
          .isEqualTo(among.getUsageMessage());
    }
    assertThat(MillraceCommand.called("iod")).isEqualTo(MillraceCommand.COMMANDS);
    assertThat(MillraceCommand.called("--trace")).isEqualTo(MillraceCommand.COMMANDS);
  }

  @Test
  void versionIsOneLineWithTheVersionThatWasBuilt() {
    CommandLineRun run = CommandLineRun.of("--version");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).matches("millrace [0-9]+\\.[0-9]+\\.[0-9]+\\S* \\(Java \\S+\\)\\R");
  }

  @Test
  void helpAndVersionAreCommandsToo() {
    assertThat(CommandLineRun.of("version").out()).isEqualTo(CommandLineRun.of("--version").out());
    assertThat(CommandLineRun.of("version", "--json").out()).contains("\"millrace\": \"");
    assertThat(CommandLineRun.of("help").out()).isEqualTo(CommandLineRun.of("--help").out());
    assertThat(CommandLineRun.of("help", "bench", "micro").out())
        .isEqualTo(CommandLineRun.of("bench", "micro", "--help").out());
    assertThat(CommandLineRun.of("help", "no-such-command").exitCode()).isEqualTo(2);
  }

  @Test
  void everyCommandHasOneGroupInTheHelp() {
    String help = CommandLineRun.of("--help").out();
    for (Class<?> command : MillraceCommand.COMMANDS) {
      String name = MillraceCommand.nameOf(command);
      assertThat(help.lines().filter(line -> line.matches("  " + name + "\\b.*")))
          .as(name)
          .hasSize(1);
    }
    assertThat(help).contains("Programs:", "Clusters:", "Files:", "This command:");
  }

  @Test
  void noSubcommandIsWrongUseAndShowsHelp() {
    CommandLineRun run = CommandLineRun.of();
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("Usage: millrace");
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--no-such-option",
        "no-such-command",
        "bench",
        "bench no-such-benchmark",
        "run",
        "run --ranks",
        "run --ranks two X",
        "run --ranks 0 X",
        "run --nodes -1 X"
      })
  void wrongUseIsOneLineThatPointsToHelp(String line) {
    CommandLineRun run = CommandLineRun.of(line.split(" "));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
    assertThat(run.err()).matches("millrace: .* --help\\R");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void nearMissIsSuggested() {
    assertThat(CommandLineRun.of("bnech").err()).contains("bench? See millrace --help");
  }

  @Test
  void valueAndBoundAreNamed() {
    assertThat(CommandLineRun.of("run", "--ranks", "0", "X").err())
        .contains("--ranks must be at least 1, was 0");
    assertThat(CommandLineRun.of("run", "--ranks", "99999999999", "X").err())
        .contains("'99999999999' is not a whole number up to 2147483647");
    assertThat(CommandLineRun.of("run", "--dir", "", "heat").err()).contains("--dir is empty");
  }

  @Test
  void wordsOfTheLibraryAreReplaced() {
    assertThat(CommandLineRun.of("zzz").err())
        .startsWith("millrace: there is no command 'zzz'; see millrace --help");
    assertThat(CommandLineRun.of("rmdir", "a", "--b").err())
        .startsWith("millrace: there is no command 'rmdir'; did you mean mkdir? See");
    assertThat(CommandLineRun.of("ls", "--jsom").err()).contains("did you mean --json? See");
    assertThat(CommandLineRun.of("run", "heat", "a", "b").err())
        .startsWith("millrace: Unknown argument: 'a', 'b'");
  }

  @Test
  void tooOldJavaIsRefused() {
    CommandLineRun run = CommandLineRun.on(Runtime.Version.parse("25.0.2"), "--version");
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).matches("millrace: Java 25\\.0\\.2 is too old, 25\\.0\\.3 .*\\R");
  }

  @ParameterizedTest
  @ValueSource(strings = {"25.0.3", "25.0.3+9-LTS", "25.0.10", "26"})
  void newEnoughJavaIsAccepted(String version) {
    assertThat(CommandLineRun.on(Runtime.Version.parse(version), "--version").exitCode()).isZero();
  }
}
