package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
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
    CommandLineRun fewer = CommandLineRun.of("up", "--nodes", "1", "--dir", directory());
    assertThat(ok(fewer).err())
        .contains("has 2 nodes and keeps them; --nodes 1 takes none away")
        .hasLineCount(1);
    CommandLineRun more = CommandLineRun.of("up", "--nodes", "3", "--dir", directory());
    assertThat(more.exitCode()).isEqualTo(1);
    assertThat(more.err()).contains("has 2 nodes; millrace stop, then up --nodes 3 adds some");
    assertThat(ok(heat(2)).out()).contains("by 2 ranks over 2 nodes");
    assertThat(mode("run")).isEqualTo("rwx------");
    assertThat(mode("secret")).isEqualTo("rw-------");
    assertThat(mode("run/coordinator.log")).isEqualTo("rw-------");
    assertThat(mode("run/node-1.log")).isEqualTo("rw-------");
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
  void aNodeThatIsLostDoesNotKeepTheOthersDown() throws Exception {
    ok(CommandLineRun.of("up", "--nodes", "2", "--dir", directory()));
    ok(CommandLineRun.of("stop", "--dir", directory()));
    Files.move(Path.of(directory(), "node-1"), folder.resolve("lost"));
    CommandLineRun up = CommandLineRun.of("up", "--dir", directory());
    assertThat(up.exitCode()).isEqualTo(4);
    assertThat(up.out()).contains("is up, 2 of its processes anew");
    assertThat(up.err())
        .contains("node-1 ended at once", "had a directory before")
        .contains("files that are striped over node-1 cannot be used until it is back");
    CommandLineRun status = CommandLineRun.of("status", "--dir", directory());
    assertThat(status.exitCode()).isEqualTo(1);
    assertThat(status.out()).contains("node 1 is down").doesNotContain("node 0 is down");
    Files.move(folder.resolve("lost"), Path.of(directory(), "node-1"));
    ok(CommandLineRun.of("up", "--dir", directory()));
    assertThat(ok(CommandLineRun.of("status", "--dir", directory())).out()).contains("all is well");
  }

  @Test
  void stopSaysWhatItDoesNotKnowToBeDurable() throws Exception {
    ok(CommandLineRun.of("up", "--nodes", "1", "--dir", directory()));
    Daemons daemons = new Daemons(Path.of(directory()));
    ProcessHandle node = daemons.process("node-0").orElseThrow();
    // stopped first: it is killed while it is being asked to end
    signal("STOP", node);
    while (!isStopped(node)) {
      Thread.onSpinWait();
    }
    Thread killer =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (daemonsHave(daemons, "coordinator") && node.isAlive()) {
                    if (isAsked(node)) {
                      node.destroyForcibly();
                    }
                  }
                });
    CommandLineRun stop = CommandLineRun.of("stop", "--dir", directory());
    killer.join();
    assertThat(stop.exitCode()).isEqualTo(1);
    assertThat(stop.err()).contains("node-0 ended, but not in order").contains("node-0.log");
    assertThat(ok(CommandLineRun.of("stop", "--dir", directory())).out()).contains("Nothing runs");
  }

  private static boolean daemonsHave(Daemons daemons, String daemon) {
    try {
      return daemons.hasPidFile(daemon);
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether no thread of a process runs any more: the last could still be asked to end. */
  private static boolean isStopped(ProcessHandle process) throws IOException {
    try (var threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        if (!Files.readString(thread.resolve("status")).contains("State:\tT")) {
          return false;
        }
      }
      return true;
    }
  }

  /** Whether SIGTERM waits for a process that is stopped. */
  private static boolean isAsked(ProcessHandle process) {
    try {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
          .filter(line -> line.startsWith("ShdPnd:"))
          .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1 << 14) != 0);
    } catch (IOException e) {
      return false;
    }
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  @Test
  void whatWasDeadAlreadyIsNoErrorButIsSaid() throws Exception {
    ok(CommandLineRun.of("up", "--nodes", "1", "--dir", directory()));
    ProcessHandle node = new Daemons(Path.of(directory())).process("node-0").orElseThrow();
    node.destroyForcibly();
    node.onExit().get();
    assertThat(ok(CommandLineRun.of("stop", "--dir", directory())).out())
        .contains("Dead already: node-0")
        .contains("Ended 1 process")
        .doesNotContain("everything is durable");
  }

  @Test
  @Tag("long")
  void aClusterIsReachedEndedAndStartedAgainWithTlsAlone() throws IOException {
    String all = folder.resolve("keys").toString();
    String user = System.getProperty("user.name");
    ok(CommandLineRun.of("keys", "--dir", all, "init", "--user", user, "--host", "localhost"));
    String keys = Path.of(all, "localhost").toString();
    CommandLineRun up =
        CommandLineRun.of(
            "up",
            "--nodes",
            "1",
            "--dir",
            directory(),
            "--address",
            "tls:localhost:0",
            "--keys",
            keys);
    String address = ok(up).out().replaceAll("(?s).*coordinator at (tls:localhost:[0-9]+).*", "$1");
    Path file = Files.writeString(folder.resolve("file"), "far away");
    ok(CommandLineRun.of("put", "--connect", address, "--keys", keys, file.toString(), "x"));
    CommandLineRun status = CommandLineRun.of("status", "--connect", address, "--keys", keys);
    assertThat(ok(status).out()).containsPattern("tls:localhost:[1-9]");
    assertThat(ok(CommandLineRun.of("stop", "--connect", address, "--keys", keys)).out())
        .contains("Ended 2 processes of " + address);
    assertThat(ok(CommandLineRun.of("cat", "--dir", directory(), "x")).exitCode()).isZero();
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
    assertThat(wrong.err()).contains("cache: 'lots' is not a number of bytes");
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
