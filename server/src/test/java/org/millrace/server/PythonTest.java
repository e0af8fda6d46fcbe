package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.testing.Seeds;

/**
 * The Python package's own tests, and the examples of the documents, against a real server. Skipped
 * where there is no Python, or no program that an example needs.
 */
final class PythonTest {

  private static final Path SOURCES = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("```(\\w+)\\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  /** What a program says; its exit code comes first. */
  private String run(Served served, List<String> command) throws Exception {
    Path token = folder.resolve("token");
    Files.writeString(token, Served.TOKEN);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    var environment = builder.environment();
    String before = environment.getOrDefault("PYTHONPATH", "");
    environment.put(
        "PYTHONPATH", SOURCES.resolve("python") + (before.isEmpty() ? "" : ":" + before));
    environment.put("PYTHONDONTWRITEBYTECODE", "1");
    environment.put("MILLRACE_URL", served.url());
    environment.put("MILLRACE_TOKEN_FILE", token.toString());
    environment.put("MILLRACE_SEED", "" + Seeds.of(1)[0]);
    Process process = builder.start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + "\n" + printed;
  }

  private static void assumeThere(String... command) throws InterruptedException {
    boolean there;
    try {
      there =
          new ProcessBuilder(command)
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                  .start()
                  .waitFor()
              == 0;
    } catch (IOException e) {
      there = false;
    }
    if (!there) {
      System.err.println("a test of Python is skipped, it needs: " + String.join(" ", command));
    }
    assumeTrue(there, "not installed: " + String.join(" ", command));
  }

  private static List<String> examples(String document, String language) throws IOException {
    List<String> found = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(SOURCES.resolve("docs").resolve(document)));
    while (block.find()) {
      if (block.group(1).equals(language)) {
        found.add(block.group(2));
      }
    }
    assertThat(found).as(document).isNotEmpty();
    return found;
  }

  @Test
  void theTestsOfThePackageSucceed() throws Exception {
    assumeThere("python3", "-c", "import sys; assert sys.version_info >= (3, 9)");
    try (Served served = new Served(folder)) {
      String tests = SOURCES.resolve("python/tests").toString();
      String said = run(served, List.of("python3", "-m", "unittest", "discover", "-s", tests));
      assertThat(said).startsWith("0\n").contains("OK");
    }
  }

  @Test
  void theExamplesForPythonRun() throws Exception {
    assumeThere("python3", "-c", "import numpy, fsspec");
    try (Served served = new Served(folder)) {
      String program = String.join("\n", examples("python.md", "python"));
      assertThat(run(served, List.of("python3", "-c", program))).startsWith("0\n");
    }
  }

  @Test
  void theExamplesForTheShellRun() throws Exception {
    assumeThere("curl", "--version");
    try (Served served = new Served(folder)) {
      String program = String.join("\n", examples("http.md", "sh"));
      assertThat(run(served, List.of("bash", "-euxo", "pipefail", "-c", program)))
          .startsWith("0\n");
    }
  }
}
