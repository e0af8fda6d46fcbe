package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;

/** The unit for systemd. */
final class ServiceUnitTest {

  @TempDir private Path folder;

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
