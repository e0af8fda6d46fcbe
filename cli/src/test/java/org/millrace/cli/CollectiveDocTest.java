package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.terminal.ExitCode;

/**
 * What {@code docs/collective.md} shows is what its commands print and draw. Where the cost model
 * has changed on purpose, {@code -Dmillrace.docs=write} writes the page and the pictures anew.
 */
class CollectiveDocTest {

  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/collective.md");
  private static final boolean WRITE = "write".equals(System.getProperty("millrace.docs"));

  /** A command in a block of its own and, if the block behind it shows something, that. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "```\n\\./millrace (explain [^\n]*)\n```\n(?:```\n(.*?)```\n)?", Pattern.DOTALL);

  private static final Pattern PICTURE = Pattern.compile(" --svg (docs/\\S+)$");

  @TempDir Path dir;

  @Test
  void commandsPrintAndDrawWhatThePageShows() throws IOException {
    String page = Files.readString(PAGE);
    StringBuilder written = new StringBuilder();
    Matcher command = COMMAND.matcher(page);
    int commands = 0;
    while (command.find()) {
      String out = run(command.group(1));
      String shown = command.group(2);
      String block = "```\n./millrace " + command.group(1) + "\n```\n";
      if (shown != null) {
        block += "```\n" + out + "```\n";
        assertThat(WRITE || shown.equals(out)).as("%s prints%n%s", command.group(1), out).isTrue();
      }
      command.appendReplacement(written, Matcher.quoteReplacement(block));
      commands++;
    }
    command.appendTail(written);
    assertThat(commands).isGreaterThan(8);
    if (WRITE) {
      Files.writeString(PAGE, written.toString());
    }
  }

  private String run(String words) throws IOException {
    Matcher picture = PICTURE.matcher(words);
    Path drawn = dir.resolve("drawn.svg");
    boolean draws = picture.find();
    String file = draws ? picture.group(1) : "";
    String[] arguments = words.split(" ");
    if (draws) {
      arguments[arguments.length - 1] = drawn.toString();
    }
    CommandLineRun run = CommandLineRun.of(arguments);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    if (draws && WRITE) {
      Files.copy(drawn, ROOT.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    } else if (draws) {
      assertThat(Files.readString(drawn)).as(file).isEqualTo(Files.readString(ROOT.resolve(file)));
    }
    return run.out();
  }
}
