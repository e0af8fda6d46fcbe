package org.millrace.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cluster.RunningCluster;

/** One bad block fails its own bytes only, and what is missing is listed. */
final class SkipBadTest {

  @TempDir Path folder;

  private String dir() {
    return folder.resolve("data").toString();
  }

  private byte[] put(int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(5).nextBytes(content);
    Files.write(folder.resolve("in"), content);
    RunningCluster.embedded(folder.resolve("data"), 2).close();
    CommandLineRun put =
        CommandLineRun.of("put", "--dir", dir(), folder.resolve("in").toString(), "f");
    assertThat(put.exitCode()).as(put.err()).isZero();
    return content;
  }

  private Path strandFile(String end) throws IOException {
    try (var files = Files.walk(folder.resolve("data"))) {
      return files.filter(file -> file.toString().endsWith(end)).findFirst().orElseThrow();
    }
  }

  @Test
  void aBadBlockIsListedAndAllOthersAreThere() throws IOException {
    byte[] content = put(1_000_000);
    try (RandomAccessFile strand = new RandomAccessFile(strandFile("-0.strand").toFile(), "rw")) {
      strand.seek(65536 + 99);
      int old = strand.read();
      strand.seek(65536 + 99);
      strand.write(old ^ 1);
    }
    Path out = folder.resolve("out");
    CommandLineRun plain = CommandLineRun.of("get", "--dir", dir(), "f", out.toString());
    assertThat(plain.exitCode()).isEqualTo(1);
    assertThat(plain.err())
        .containsPattern("bytes (\\d+) to (\\d+) of the file are damaged")
        .contains("--skip-bad");
    assertThat(out).doesNotExist();
    CommandLineRun run =
        CommandLineRun.of("get", "--skip-bad", "--dir", dir(), "f", out.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().filter(line -> line.startsWith("missing: f: bytes "))).hasSize(1);
    byte[] found = Files.readAllBytes(out);
    assertThat(found).hasSize(content.length);
    int from = Arrays.mismatch(found, content);
    assertThat(run.out()).contains("missing: f: bytes " + from + " to " + (from + 65536));
    System.arraycopy(content, from, found, from, 65536);
    assertThat(found).isEqualTo(content);
  }

  @Test
  void aLostStrandCostsItsOwnBytes() throws IOException {
    byte[] content = put(1_000_000);
    Files.delete(strandFile("-1.sums"));
    Path out = folder.resolve("out");
    CommandLineRun run =
        CommandLineRun.of("get", "--skip-bad", "--dir", dir(), "f", out.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().filter(line -> line.startsWith("missing: f: bytes ")))
        .hasSizeGreaterThan(3)
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(60));
    assertThat(run.out().lines().filter(line -> line.startsWith("why: f: "))).hasSize(1);
    assertThat(run.out()).containsPattern("missing in all: [0-9,]+ bytes of f\n");
    byte[] found = Files.readAllBytes(out);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i] == content[i] || found[i] == 0).isTrue();
    }
    assertThat(Arrays.mismatch(found, content)).isNotNegative();
  }

  @Test
  void withoutDamageItIsAPlainGet() throws IOException {
    byte[] content = put(300_000);
    Path out = folder.resolve("out");
    CommandLineRun run =
        CommandLineRun.of("get", "--skip-bad", "--dir", dir(), "f", out.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).doesNotContain("missing");
    assertThat(Files.readAllBytes(out)).isEqualTo(content);
    CommandLineRun stdout = CommandLineRun.of("get", "--skip-bad", "--dir", dir(), "f", "-");
    assertThat(stdout.exitCode()).isEqualTo(2);
  }
}
