package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;

/** The unit for systemd. */
final class ServiceUnitTest {

  @TempDir private Path folder;

  @Test
  void aServiceIsStartedByTheLauncherBecauseABuildDoesNotStay() {
    String before = System.getProperty("millrace.command");
    System.setProperty("millrace.command", "/opt/mill $race/millrace");
    try {
      String text = new ServiceUnit(Path.of("/da$ta"), "ada", List.of("--nodes=3")).text();
      assertThat(text)
          .contains("ExecStart=\"/opt/mill $race/millrace\" \"up\" \"--dir\" \"/da$$ta\"")
          .contains("ExecStop=\"/opt/mill $race/millrace\" \"stop\"")
          .contains("Environment=\"MILLRACE_JAVA_HOME=" + System.getProperty("java.home") + "\"")
          .doesNotContain("-cp");
    } finally {
      if (before == null) {
        System.clearProperty("millrace.command");
      } else {
        System.setProperty("millrace.command", before);
      }
    }
  }

  @Test
  void oneCommandInstallsAServiceThatStartsWithTheHost() throws IOException {
    Path directory = folder.resolve("a 50% cluster");
    for (int i = 0; i < 2; i++) { // again is no error
      CommandLineRun run =
          CommandLineRun.of(
              "up",
              "--install-service",
              "--service-root",
              folder.resolve("root").toString(),
              "--dir",
              directory.toString(),
              "--nodes",
              "3");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("systemctl start millrace-");
    }
    Path units = folder.resolve("root/etc/systemd/system");
    Path unit;
    try (var found = Files.list(units)) {
      unit = found.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    assertThat(Files.readString(unit))
        .contains("Type=oneshot", "RemainAfterExit=yes", "WantedBy=multi-user.target")
        .contains("User=" + Files.getOwner(directory).getName())
        .containsPattern(
            "ExecStart=\".*java\" .*\"up\" \"--dir\" \".*a 50%% cluster\".*\"--nodes=3\"")
        .containsPattern("ExecStop=\".*java\" .*\"stop\" \"--dir\"");
    Path wanted = units.resolve("multi-user.target.wants").resolve(unit.getFileName());
    assertThat(wanted.toRealPath()).isEqualTo(unit.toRealPath());
    assertThat(directory.resolve("run")).doesNotExist(); // nothing was started
  }
}
