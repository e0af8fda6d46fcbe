package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.daemons.Daemons;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.testing.Eventually;

/** Three coordinators as processes, of which one loses its folder and is replaced. */
@Tag("long")
final class ReplacingTest {

  @TempDir private Path folder;

  /** What a command printed, and how it ended. */
  private record Said(int code, String text) {}

  private Path directory() {
    return folder.resolve("cluster");
  }

  private Said millrace(String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--dir=" + directory());
    Process process = new ProcessBuilder(JavaCommand.of(all)).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Said(process.waitFor(), text);
  }

  private String succeeds(String... arguments) throws IOException, InterruptedException {
    Said said = millrace(arguments);
    assertThat(said.code()).as(said.text()).isZero();
    return said.text();
  }

  private void kill(String daemon) throws IOException {
    ProcessHandle process = new Daemons(directory()).process(daemon).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    millrace("stop");
  }

  @Test
  void aCoordinatorThatLostItsFolderIsReplacedAndTheOthersGoOn() throws Exception {
    succeeds("up", "--nodes=1", "--coordinators=3");
    succeeds("mkdir", "before");
    assertThat(succeeds("status")).contains("leader").contains("follower");

    kill("coordinator-0");
    Path lost = directory().resolve("coordinator-0").resolve("raft");
    Files.move(lost, folder.resolve("lost"));
    Said up = millrace("up");
    assertThat(up.code()).as(up.text()).isEqualTo(4); // not all is up
    assertThat(up.text()).contains("millrace coordinators replace 0").contains("go on without it");

    succeeds("coordinators", "replace", "0");
    assertThat(succeeds("coordinators")).contains("3 127.0.0.1:").doesNotContain("0 127.0.0.1:");
    Eventually.holds("all are there", () -> isWhole());

    kill("coordinator-1"); // the new one and one old one are most of them
    assertThat(succeeds("ls")).contains("before");
    succeeds("mkdir", "after");
    succeeds("up");
    assertThat(succeeds("ls")).contains("before").contains("after");

    assertThat(millrace("check").code()).as("it runs").isEqualTo(1);
    Path file = Files.write(folder.resolve("file"), new byte[300_000]);
    succeeds("put", file.toString(), "before/f");
    succeeds("stop");
    assertThat(succeeds("check")).contains("Checked 1 file, 1 strands: all is well");
    Files.move(directory().resolve("node-0"), folder.resolve("node"));
    Said bad = millrace("check");
    assertThat(bad.code()).as(bad.text()).isEqualTo(1);
    assertThat(bad.text()).contains("node 0");
  }

  private boolean isWhole() throws IOException {
    try {
      return !succeeds("status").contains("silent");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
