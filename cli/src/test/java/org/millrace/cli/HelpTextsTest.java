package org.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is made from the help: lists of commands, manual pages, completion scripts. */
final class HelpTextsTest {

  @TempDir private Path folder;

  private static CommandLine top() {
    PrintWriter nobody = new PrintWriter(PrintWriter.nullWriter());
    return Main.commandLine(nobody, nobody);
  }

  private static List<CommandLine> all(CommandLine line) {
    List<CommandLine> all = new ArrayList<>(List.of(line));
    line.getSubcommands().values().stream().distinct().forEach(one -> all.addAll(all(one)));
    return all;
  }

  /** Lists of commands show the first text, so that must be a whole sentence. */
  @Test
  void noDescriptionIsCut() {
    for (CommandLine line : all(top())) {
      String[] texts = line.getCommandSpec().usageMessage().description();
      assertThat(texts).as(line.getCommandSpec().qualifiedName()).isNotEmpty();
      if (!line.getCommandName().startsWith("heritage/")) { // those name what they show
        assertThat(texts[0]).as(line.getCommandSpec().qualifiedName()).matches("(?s).*[.)]$");
      }
    }
  }

  /** As a switch of which both positions have a name. */
  @Test
  void coldReadsAreLeftOutByNoCold() {
    for (String words : List.of("", "--cold", "--no-cold")) {
      CommandLine top = top();
      top.parseArgs(("bench passion " + words).strip().split(" "));
      CommandLine bench = requireNonNull(top.getSubcommands().get("bench"));
      CommandLine passion = requireNonNull(bench.getSubcommands().get("passion"));
      Object cold = passion.getCommandSpec().findOption("--cold").getValue();
      assertThat(cold).as(words).isEqualTo(!words.equals("--no-cold"));
    }
    assertThat(CommandLineRun.of("bench", "passion", "--help").out()).contains("--no-cold leaves");
  }

  @Test
  void everyOptionAndParameterIsExplained() {
    for (CommandLine line : all(top())) {
      line.getCommandSpec()
          .args()
          .forEach(one -> assertThat(one.description()).as(one.toString()).isNotEmpty());
    }
  }

  @Test
  void thereIsAManualPageForEachCommandAndManDoesNotComplain() throws Exception {
    assertThat(CommandLineRun.of("man", folder.toString()).exitCode()).isZero();
    assertThat(folder.resolve("millrace-bench-micro.1")).exists();
    assertThat(Files.readString(folder.resolve("millrace-put.1")))
        .contains(".SH OPTIONS", "\\-\\-no\\-verify", ".SH EXIT STATUS", ".BR millrace (1)");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/man")), "no man here");
    try (Stream<Path> pages = Files.list(folder)) {
      for (Path page : pages.toList()) {
        Process man =
            new ProcessBuilder("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(man.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(man.waitFor()).as(said).isZero();
        assertThat(said).as(page.toString()).isEmpty();
      }
    }
  }

  /** Asks bash what it would offer at the end of a line. */
  private List<String> completed(String line) throws IOException, InterruptedException {
    Path script = folder.resolve("completion.bash");
    Files.writeString(script, CommandLineRun.of("completion", "bash").out());
    Path millrace = folder.resolve("millrace");
    Files.writeString(millrace, "#!/bin/sh\nprintf '%s\\n' results/ \"$*\"\n");
    assertThat(millrace.toFile().setExecutable(true)).isTrue();
    String ask =
        "source \"$0\"; read -ra COMP_WORDS <<<\"$1\"; [[ $1 != *' ' ]] || COMP_WORDS+=('');"
            + " COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _millrace; printf '%s\\n"
            + "' \"${COMPREPLY[@]}\"";
    Process bash =
        new ProcessBuilder(
                "bash",
                "-c",
                ask,
                script.toString(),
                line.replaceFirst("^millrace", millrace.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(said).isZero();
    return said.strip().lines().toList();
  }

  @Test
  void bashCompletesCommandsOptionsValuesAndNames() throws Exception {
    assertThat(completed("millrace b")).containsExactly("bench");
    assertThat(completed("millrace bench pa")).containsExactly("passion", "patterns");
    assertThat(completed("millrace ls --j")).containsExactly("--json");
    assertThat(completed("millrace completion --h")).containsExactly("--help");
    assertThat(completed("millrace run --output pre")).containsExactly("prefixed");
    assertThat(completed("millrace put --dir x")).isEmpty(); // a file of this host
    assertThat(completed("millrace rm --dir there res"))
        .containsExactly("results/", "ls -d --dir there -- res*");
  }

  /** In zsh some variables are special: one called path is where it looks for commands. */
  @Test
  void zshCompletesNamesOfTheCluster() throws Exception {
    Path zsh = Path.of("/usr/bin/zsh");
    assumeTrue(Files.isExecutable(zsh), "no zsh here");
    Path script = folder.resolve("completion.zsh");
    Files.writeString(script, CommandLineRun.of("completion", "zsh").out());
    Path millrace = folder.resolve("millrace");
    Files.writeString(millrace, "#!/bin/sh\nprintf '%s\\n' results/ \"$*\"\n");
    assertThat(millrace.toFile().setExecutable(true)).isTrue();
    // the options that zsh's bashcompinit sets around a function for bash
    String ask =
        "autoload -Uz compinit && compinit -D; source $1;"
            + " ask() { emulate -L sh; setopt kshglob noshglob braceexpand ksharrays;"
            + " COMP_WORDS=(millrace rm --dir there res); COMP_CWORD=4; _millrace;"
            + " printf '%s\\n' \"${COMPREPLY[@]}\"; }; ask";
    ProcessBuilder builder =
        new ProcessBuilder(zsh.toString(), "-f", "-c", ask, "zsh", script.toString())
            .redirectErrorStream(true);
    builder.environment().merge("PATH", folder.toString(), (old, own) -> own + ":" + old);
    Process asked = builder.start();
    String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(asked.waitFor()).as(said).isZero();
    assertThat(said.strip().lines()).containsExactly("results/", "ls -d --dir there -- res*");
  }

  @Test
  void bothScriptsKnowAllCommands() {
    for (String shell : List.of("bash", "zsh")) {
      String script = CommandLineRun.of("completion", shell).out();
      for (Class<?> command : MillraceCommand.COMMANDS) {
        assertThat(script).contains(MillraceCommand.nameOf(command));
      }
    }
    assertThat(CommandLineRun.of("completion", "fish").exitCode()).isEqualTo(2);
  }
}
