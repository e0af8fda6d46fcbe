package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

final class EdonioCommandTest {

  @TempDir private Path folder;

  @Test
  void printsATableAndWritesItToFiles() throws IOException {
    Path html = folder.resolve("edonio.html");
    Path json = folder.resolve("edonio.json");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "edonio",
            "--tiny",
            "--only",
            "5.2",
            "--dir",
            folder.resolve("bench").toString(),
            "--html",
            html.toString(),
            "--json",
            json.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("The page cache ", "Table 5.2: preload", "FileChannel", "rclose");
    assertThat(run.out()).doesNotContain("Table 5.1");
    assertThat(Files.readString(html)).contains("<h1>millrace bench edonio</h1>", "<svg");
    assertThat(Files.readString(json)).contains("\"way\": \"FileChannel\"");
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  @Test
  void unknownTablesAreRefused() {
    CommandLineRun run = CommandLineRun.of("bench", "edonio", "--only", "6.1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("there is no table 6.1, but 5.1");
  }
}
