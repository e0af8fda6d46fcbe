package org.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code bench passion}, {@code patterns} and {@code ior}. */
class BenchGridTest {

  @TempDir Path dir;

  @Test
  void patternsPrintATableAndWriteBothFilesAndLeaveTheFolderEmpty() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("disk"));
    Path json = dir.resolve("rows.json");
    Path html = dir.resolve("rows.html");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "patterns",
            "--quick",
            "--size=640k",
            "--only=cc",
            "--ranks=2,4",
            "--no-cold",
            "--dir=" + folder,
            "--json=" + json,
            "--html=" + html);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("workload, ms", "cc, 8 B", "cc, 8 KiB", "of 8 rows");
    assertThat(json).content().contains("\"workload\": \"cc, 8 B\"");
    assertThat(html).content().contains("<svg", "bench patterns");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void unknownWorkloadAndRanksAreWrongUse() {
    CommandLineRun run = CommandLineRun.of("bench", "passion", "--only", "nothing");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("nothing", "row-block");
    assertThat(CommandLineRun.of("bench", "passion", "--ranks=0").exitCode())
        .isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("bench").err()).contains("passion", "ior", "overlap");
  }

  @Test
  void iorTakesItsOwnOptions() throws Exception {
    Path json = dir.resolve("ior.json");
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "ior",
            "-t",
            "47008",
            "-b",
            "47008",
            "-s",
            "5",
            "-C",
            "-c",
            "-i",
            "2",
            "-e",
            "-W",
            "-R",
            "-z",
            "--strategy=sieved",
            "--dir=" + dir.resolve("disk"),
            "--json=" + json);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("bw(MiB/s)", "45.91", "Max Write:", "Max Read:", "Operation");
    assertThat(run.out()).contains("ior 5 x 47008 B");
    assertThat(json).content().contains("\"strategy\": \"sieved\"");
  }

  @Test
  void iorHasPresetsThatOtherOptionsChange() {
    CommandLineRun run =
        CommandLineRun.of(
            "bench",
            "ior",
            "--preset=hard",
            "-s",
            "3",
            "-w",
            "--no-yardsticks",
            "--ranks=2",
            "--dir=" + dir.resolve("disk"));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("45.91").doesNotContain("read");
    CommandLineRun wrong = CommandLineRun.of("bench", "ior", "--preset=medium");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("bench", "ior", "-t", "3k", "-b", "4k").err())
        .contains("4096 bytes", "3072");
    assertThat(CommandLineRun.of("bench", "ior", "--strategy=magic").err())
        .contains("magic", "disk-directed");
  }

  @ParameterizedTest
  @CsvSource({"47008, 47008", "1k, 1024", "2M, 2097152", "1g, 1073741824", "3MiB, 3145728"})
  void byteCountsHaveIorsSuffixes(String text, long bytes) {
    assertThat(new ByteCount().convert(text)).isEqualTo(bytes);
  }

  @Test
  void byteCountsThatAreNoneAreRefused() {
    ByteCount count = new ByteCount();
    assertThatThrownBy(() -> count.convert("-1")).isInstanceOf(TypeConversionException.class);
    assertThatThrownBy(() -> count.convert("99999999t")).hasMessageContaining("too large");
  }
}
