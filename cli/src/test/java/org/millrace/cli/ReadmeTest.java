package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in the README is one. */
final class ReadmeTest {

  @TempDir private Path folder;

  @Test
  void programCompiles() throws IOException {
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                null,
                null,
                diagnostics,
                List.of("-cp", System.getProperty("java.class.path"), "-d", folder.toString()),
                null,
                List.of(new Program(program())))
            .call();
    assertThat(diagnostics.getDiagnostics())
        .filteredOn(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .isEmpty();
    assertThat(compiled).isTrue();
  }

  private static String program() throws IOException {
    Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    String readme = Files.readString(module.resolveSibling("README.md"));
    Matcher block = Pattern.compile("(?s)```java\\R(.*?)```").matcher(readme);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static final class Program extends SimpleJavaFileObject {

    private final String text;

    Program(String text) {
      super(URI.create("source:///Squares.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
