package org.millrace.cli.campaign;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Commands of the machine: mounts, signals, namespaces. Stateless. */
public final class Shell {

  private static final long MAX_SECONDS = 120;

  private Shell() {}

  /** Whether a command can be found. */
  public static boolean has(String command) {
    for (String folder : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":", -1)) {
      if (Files.isExecutable(Path.of(folder, command))) {
        return true;
      }
    }
    return false;
  }

  /** Throws unless all of these commands are there; says how to get them. */
  static void require(List<String> commands, String packages) throws IOException {
    List<String> missing = commands.stream().filter(one -> !has(one)).toList();
    if (!missing.isEmpty()) {
      throw new IOException(
          "there is no command %s here; on Debian: apt-get install %s"
              .formatted(String.join(", ", missing), packages));
    }
  }

  /** Throws unless this process may do what only root may. */
  static void requireRoot() throws IOException {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw new IOException("this campaign needs root, for mounts or namespaces");
    }
  }

  /** Runs a command and returns what it prints; an exit code other than 0 is an error. */
  static String run(String... line) throws IOException, InterruptedException {
    return run(List.of(line), Map.of());
  }

  /** As {@link #run(String...)}, with more variables in the environment. */
  static String run(List<String> line, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectInput(new File("/dev/null"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(shown(line) + ": not over after " + MAX_SECONDS + " s");
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "%s: exit code %s: %s".formatted(shown(line), process.exitValue(), said.strip()));
    }
    return said;
  }

  /** A JVM's command line is long; its end says what it does. */
  private static String shown(List<String> line) {
    int main = line.indexOf("org.millrace.cli.Main");
    return main < 0
        ? String.join(" ", line)
        : "millrace " + String.join(" ", line.subList(main + 1, line.size()));
  }

  /** Sends a signal to processes; those that are gone do not matter. */
  static void signal(String name, List<Long> pids) throws IOException, InterruptedException {
    for (long pid : pids) {
      new ProcessBuilder("kill", "-s", name, "" + pid)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
  }
}
