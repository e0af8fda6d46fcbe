package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program is compiled and run as it stands there, and its pictures are there. */
final class ReadmeTest {

  @TempDir private Path folder;

  @Test
  void programPrintsWhatTheReadmeSays() throws Exception {
    String readme = readme();
    String program = find("```java\n(.*?)```", readme);
    String name = find("public final class (\\w+)", program);
    Path source = Files.writeString(folder.resolve(name + ".java"), program);
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath(), "-d", folder.toString(), source.toString());
    assertThat(compiled).isZero();

    Process process =
        new ProcessBuilder(
                List.of(java(), "-XX:-UsePerfData", "-cp", classPath() + ":" + folder, name))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    assertThat(printed.strip()).isEqualTo(find("It prints `(.*?)`", readme));
  }

  @Test
  void programIsShort() throws IOException {
    assertThat(find("```java\n(.*?)```", readme()).lines().filter(l -> !l.startsWith("import")))
        .hasSizeLessThanOrEqualTo(20);
  }

  @Test
  void picturesAndLinksAreThere() throws IOException {
    Matcher links = Pattern.compile("]\\(([^):]+)\\)").matcher(readme());
    assertThat(links.results().map(link -> root().resolve(link.group(1))))
        .isNotEmpty()
        .allSatisfy(path -> assertThat(path).exists());
  }

  private static String find(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  private static String readme() throws IOException {
    return Files.readString(root().resolve("README.md"));
  }

  /** Maven runs a module's tests in the module's folder. */
  private static Path root() {
    return Path.of("").toAbsolutePath().resolveSibling("");
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }
}
