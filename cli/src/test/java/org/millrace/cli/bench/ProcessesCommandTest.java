package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

final class ProcessesCommandTest {

  @TempDir private Path folder;

  @Test
  @Tag("long")
  void printsRowsAndWritesThemToFiles() throws IOException {
    Path json = folder.resolve("rows.json");
    Path html = folder.resolve("rows.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "processes",
            "--tiny",
            "--only",
            "small",
            "--dir",
            folder.resolve("bench").toString(),
            "--json",
            json.toString(),
            "--html",
            html.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("verdict", "unix socket, read 64 B", "tcp, read 64 B");
    assertThat(Files.readString(json)).contains("\"targetOf\": \"RATIO_AT_MOST\"");
    assertThat(Files.readString(html)).contains("<h1>millrace bench processes</h1>");
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  @Tag("long")
  @Test
  void printsAndDrawsRatesAgainstTheSizeOfRequests() throws IOException {
    Path html = folder.resolve("dio.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "dio",
            "--tiny",
            "--only",
            "cached",
            "--dir",
            folder.resolve("bench").toString(),
            "--html",
            html.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("cached, sequential read, MB/s", "shared memory/local", "4 KiB");
    assertThat(Files.readString(html)).contains("<svg", "cached, random write");
  }

  @Test
  void unknownNamesAreRefused() {
    CommandLineRun run = CommandLineRun.of("bench", "processes", "--only", "nothing");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("there is no section nothing");
    CommandLineRun dio = CommandLineRun.of("bench", "dio", "--only", "tape");
    assertThat(dio.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(dio.err()).contains("there is no tape, but cached, disk");
  }
}
