package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Sources.SourceFile;

/** Tables of documents that speak of the sources say what is so. */
final class DocumentTablesTest {

  private static final int CASES = 27;
  private static final Set<String> NO_SYSTEMS = Set.of("picture", "program", "fem", "elio");
  private static final Pattern HERITAGE =
      Pattern.compile("heritage/src/main/java/org/millrace/heritage/(\\w+)/.*");
  private static final Pattern CASE = Pattern.compile("void (case(\\d{1,2})\\w*)\\(");

  private final Sources sources = Sources.ofRepository();

  @Test
  void everyHeritagePackageHasItsLinesInTheTable() throws IOException {
    Map<String, int[]> packages = heritage();
    StringBuilder table =
        new StringBuilder("| package | files | lines of code | page |\n|---|---|---|---|\n");
    packages.forEach(
        (name, count) -> {
          if (!NO_SYSTEMS.contains(name)) {
            table.append(
                "| `%s` | %d | %,d | [%s](heritage/%s.md) |\n"
                    .formatted(name, count[0], count[1], name, name));
          }
        });
    MadeTable.compare(sources.root().resolve("docs/systems.md"), "lines", table.toString());
  }

  @Test
  void everyCaseHasATestInTheTable() throws IOException {
    Map<Integer, Set<String>> tests = new TreeMap<>();
    for (SourceFile file : sources.java()) {
      Matcher method = CASE.matcher(file.text());
      while (method.find()) {
        String type = file.path().replaceAll(".*/|\\.java$", "");
        tests
            .computeIfAbsent(Integer.parseInt(method.group(2)), _ -> new TreeSet<>())
            .add("`" + type + "." + method.group(1) + "`");
      }
    }
    List<Integer> missing = new ArrayList<>();
    StringBuilder table = new StringBuilder("| case | tests |\n|---|---|\n");
    for (int number = 1; number <= CASES; number++) {
      Set<String> found = tests.getOrDefault(number, Set.of());
      if (found.isEmpty()) {
        missing.add(number);
      }
      table.append("| %d | %s |\n".formatted(number, String.join(", ", found)));
    }
    assertThat(missing).as("cases without a test").isEmpty();
    MadeTable.compare(sources.root().resolve("docs/cases.md"), "cases", table.toString());
  }

  @Test
  void theTableOfSystemsNamesTestsProgramsAndPagesThatExist() throws IOException {
    String text = Files.readString(sources.root().resolve("docs/systems.md"));
    Set<String> types =
        sources.java().stream()
            .map(file -> file.path().replaceAll(".*/|\\.java$", ""))
            .collect(Collectors.toSet());
    List<String> dead = new ArrayList<>();
    Matcher named = Pattern.compile("`(\\w+(?:Test|Cases))`").matcher(text);
    while (named.find()) {
      if (!types.contains(named.group(1))) {
        dead.add(named.group(1));
      }
    }
    assertThat(dead).as("tests that are not there").isEmpty();
    for (String name : heritage().keySet()) {
      if (!NO_SYSTEMS.contains(name)) {
        assertThat(text).as("program of %s", name).contains("millrace run heritage/" + name);
        assertThat(sources.root().resolve("docs/heritage/" + name + ".md")).exists();
      }
    }
  }

  /** Files and lines that are neither blank nor comment, by package. */
  private Map<String, int[]> heritage() throws IOException {
    Map<String, int[]> packages = new TreeMap<>();
    for (SourceFile file : sources.java()) {
      Matcher path = HERITAGE.matcher(file.path());
      if (path.matches() && !file.path().endsWith("package-info.java")) {
        int[] count = packages.computeIfAbsent(path.group(1), _ -> new int[2]);
        count[0]++;
        count[1] += (int) file.text().lines().filter(DocumentTablesTest::isCode).count();
      }
    }
    return packages;
  }

  private static boolean isCode(String line) {
    String bare = line.strip();
    return !bare.isEmpty()
        && !bare.startsWith("//")
        && !bare.startsWith("/*")
        && !bare.startsWith("*");
  }
}
