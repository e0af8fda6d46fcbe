package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The options of {@code bench columbus}; what it measures is tested where it is. */
final class ColumbusCommandTest {

  @TempDir Path dir;

  @Test
  void bothWaysAreInTheTableAndInBothFiles() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("disk"));
    Path json = dir.resolve("rows.json");
    Path html = dir.resolve("rows.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "columbus",
            "--tiny",
            "--ranks=2",
            "--dir=" + folder,
            "--json=" + json,
            "--html=" + html);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .contains("updates/s", "strands", "one plain file", "ratio", "table 1", "235708.32");
    assertThat(json).content().contains("\"way\": \"one plain file\"");
    assertThat(html).content().contains("one plain file", "<svg");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void noRanksIsWrongUse() {
    CommandLineRun run = CommandLineRun.of("bench", "columbus", "--ranks=0");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("0 ranks");
  }
}
