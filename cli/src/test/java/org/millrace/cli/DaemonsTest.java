package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.disk.RunFolder;

/** Clusters of daemons, as a user starts and ends them. */
final class DaemonsTest {

  @TempDir private Path folder;

  private String directory() {
    return folder.resolve("d").toString();
  }

  @AfterEach
  void stop() {
    CommandLineRun.of("stop", "--dir", directory());
  }

  private static CommandLineRun ok(CommandLineRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run;
  }

  private CommandLineRun heat(int nodes) {
    return CommandLineRun.of(
        "run",
        "heat",
        "--ranks",
        "2",
        "--nodes",
        Integer.toString(nodes),
        "--size",
        "40",
        "--steps",
        "10",
        "--dir",
        directory(),
        "--out",
        folder.resolve("heat.png").toString());
  }

  @Test
  void aClusterIsStartedUsedAndEnded() throws IOException {
    assertThat(ok(CommandLineRun.of("up", "--nodes", "2", "--dir", directory())).out())
        .contains("is up: 2 nodes, coordinator at unix:")
        .contains("millrace stop --dir");
    assertThat(ok(CommandLineRun.of("up", "--dir", directory())).out())
        .contains("is up already: 2 nodes");
    assertThat(ok(heat(2)).out()).contains("by 2 ranks over 2 nodes");
    assertThat(mode("run")).isEqualTo("rwx------");
    assertThat(mode("secret")).isEqualTo("rw-------");
    String secret = Files.readString(Path.of(directory(), "secret")).strip();
    assertThat(ok(CommandLineRun.of("stop", "--dir", directory())).out())
        .contains("Ended 3 processes");
    assertThat(ok(CommandLineRun.of("stop", "--dir", directory())).out()).contains("Nothing runs");
    for (String daemon : new String[] {"coordinator", "node-0", "node-1"}) {
      assertThat(Files.readString(new Daemons(Path.of(directory())).log(daemon)))
          .containsPattern("(?m)^2[0-9-]+T[0-9:.]+Z " + daemon + "\\[\\d+\\] starts$")
          .contains("ended, everything is durable")
          .doesNotContain(secret);
    }
  }

  private String mode(String file) throws IOException {
    Path path = Path.of(directory(), file);
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void whatWasKilledComesBackWithTheSameCommand() throws Exception {
    ok(CommandLineRun.of("up", "--nodes", "1", "--dir", directory()));
    String before = ok(heat(1)).out().replaceAll("(?s).*checksum ", "");
    Daemons daemons = new Daemons(Path.of(directory()));
    for (String daemon : new String[] {"node-0", "coordinator"}) {
      ProcessHandle process = daemons.process(daemon).orElseThrow();
      process.destroyForcibly();
      process.onExit().get();
    }
    assertThat(heat(1).exitCode()).isZero(); // nobody runs: the directory is there for all
    assertThat(ok(CommandLineRun.of("up", "--dir", directory())).out()).contains("is up: 1 node,");
    assertThat(ok(heat(1)).out().replaceAll("(?s).*checksum ", "")).isEqualTo(before);
  }

  @Test
  void aPidFileOfAnEarlierProcessOfThatNumberIsNobodys() throws IOException {
    RunFolder run = RunFolder.make(Path.of(directory()), false);
    long self = ProcessHandle.current().pid();
    run.write("node-0.pid", self + "\n2001-01-01T00:00:00Z\n");
    assertThat(new PidFile(run, "node-0").process()).isEmpty();
    new PidFile(run, "node-0").write();
    assertThat(new PidFile(run, "node-0").process()).contains(ProcessHandle.current());
  }

  @Test
  void settingsComeFromAFileAndAreChecked() throws IOException {
    Path config = folder.resolve("config");
    Files.writeString(config, "dir=" + directory() + "\nnodes=2\ncache=lots\n");
    CommandLineRun wrong = CommandLineRun.of("up", "--config", config.toString());
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("cache: 'lots' is no number of bytes");
    Files.writeString(config, "colour=red\n");
    CommandLineRun unknown = CommandLineRun.of("coordinator", "--config", config.toString());
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("there is no setting 'colour'").contains("cache");
    CommandLineRun silence = CommandLineRun.of("node", "--node", "0", "--silence", "-1");
    assertThat(silence.exitCode()).isEqualTo(2);
    assertThat(silence.err()).contains("silence must be a number of seconds above 0");
    CommandLineRun which = CommandLineRun.of("node", "--dir", directory());
    assertThat(which.err()).contains("say which node it is: --node i");
  }

  @Test
  void aDaemonThatCannotStartSaysWhy() throws IOException {
    Files.createDirectories(Path.of(directory(), "node-0"));
    Files.writeString(
        Path.of(directory(), "node-0", "identity"), "millrace 1\ncluster x\nnode 0\n");
    CommandLineRun run = CommandLineRun.of("up", "--nodes", "1", "--dir", directory());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("coordinator ended at once").contains("belongs to x");
  }
}
