package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example in the {@code package-info} of each exported package: a program that is compiled and
 * run as four ranks, and prints what its comments say.
 */
final class PackageExamplesTest {

  private static final Pattern SNIPPET =
      Pattern.compile("(?m)^ \\* \\{@snippet :\\n((?: \\*.*\\n)*?) \\* \\}$(?!\\n \\* \\})");
  private static final Pattern CLASS = Pattern.compile("public final class (\\w+)");
  private static final Pattern PRINTS = Pattern.compile("(?m)// prints (.+)$");

  @TempDir private Path folder;

  @TestFactory
  Stream<DynamicTest> exampleRunsAndPrintsWhatItSaysIn() throws IOException {
    Sources sources = Sources.ofRepository();
    return sources.exportsInArchitectureDocument().stream()
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name, () -> check(examples(sources.packageInfo(name)), folder.resolve(name))));
  }

  @Test
  void exampleThatDoesNotCompileIsNoticed() {
    assertThatThrownBy(() -> check(examples(planted("missing();", "1")), folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("missing()");
  }

  @Test
  void exampleThatPrintsSomethingElseIsNoticed() throws Exception {
    String statement = "System.out.println(1 + 1);";
    check(examples(planted(statement, "2")), folder.resolve("right"));
    assertThatThrownBy(() -> check(examples(planted(statement, "3")), folder.resolve("wrong")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("2");
  }

  @Test
  void packageWithoutExampleIsNoticed() {
    assertThatThrownBy(() -> check(examples("/** Nothing. */\npackage a;\n"), folder))
        .isInstanceOf(AssertionError.class);
  }

  private static String planted(String statement, String printed) {
    return """
        /**
         * Planted.
         *
         * {@snippet :
         * public final class Planted {
         *   public static void main(String[] args) {
         *     %s // prints %s
         *   }
         * }
         * }
         */
        package planted;
        """
        .formatted(statement, printed);
  }

  private static List<String> examples(String packageInfo) {
    List<String> found = new ArrayList<>();
    Matcher snippets = SNIPPET.matcher(packageInfo);
    while (snippets.find()) {
      found.add(snippets.group(1).replaceAll("(?m)^ \\* ?", ""));
    }
    return found;
  }

  private static void check(List<String> examples, Path work) throws Exception {
    assertThat(examples).as("examples").isNotEmpty();
    for (String example : examples) {
      Files.createDirectories(work);
      String name = compile(example, work);
      List<String> expected =
          PRINTS.matcher(example).results().map((MatchResult one) -> one.group(1)).toList();
      assertThat(expected).as("what %s prints", name).isNotEmpty();
      assertThat(run(name, work)).as("output of %s", name).isEqualTo(expected);
    }
  }

  private static String compile(String example, Path work) throws IOException {
    Matcher named = CLASS.matcher(example);
    assertThat(named.find()).as("a class in: %s", example).isTrue();
    Path source = work.resolve(named.group(1) + ".java");
    Files.writeString(source, example);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-Xlint:all",
            "-Werror",
            "-d",
            work.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      boolean compiled =
          compiler
              .getTask(said, files, null, options, null, files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as("%s", said).isTrue();
    }
    return named.group(1);
  }

  /** The lines that a program prints, as four ranks that are threads of this JVM. */
  private static List<String> run(String name, Path work) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setProperty("millrace.address", work.resolve("data").toString());
    System.setProperty("millrace.ranks", "4");
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (var loader = new URLClassLoader(new URL[] {work.toUri().toURL()})) {
      loader
          .loadClass(name)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {work.toString()});
    } finally {
      System.setOut(console);
      System.clearProperty("millrace.address");
      System.clearProperty("millrace.ranks");
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
