package org.millrace.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs scripts in a directory. Stateless. */
final class Shell {

  private Shell() {}

  /** What a script says, which must succeed. */
  static String run(Path directory, String script) throws IOException {
    Process process =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.onExit().join().exitValue()).as("%s\n%s", script, said).isZero();
    return said.strip();
  }

  /** Whether a command succeeds. */
  static boolean can(String script) throws IOException {
    return new ProcessBuilder("bash", "-c", script + " >/dev/null 2>&1")
            .start()
            .onExit()
            .join()
            .exitValue()
        == 0;
  }
}
