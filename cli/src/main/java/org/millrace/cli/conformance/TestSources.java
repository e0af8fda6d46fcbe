package org.millrace.cli.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tests of a repository as its sources name them: by text, since a build may have compiled
 * others. Immutable.
 */
final class TestSources {

  /** From the annotation to the first thing with parentheses and a body behind it. */
  private static final Pattern TEST =
      Pattern.compile(
          "@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b(?s:.*?)\\b(\\w+)\\s*"
              + "\\((?:[^()]++|\\([^()]*+\\))*+\\)\\s*(?:throws [\\w.,\\s]+)?\\{");

  private static final Pattern EXTENDS = Pattern.compile("\\bextends\\s+(\\w+)");

  private final Map<String, Set<String>> methods = new TreeMap<>();
  private final Map<String, Set<String>> heirs = new TreeMap<>();

  private TestSources() {}

  /** The tests of all modules in a folder. */
  static TestSources below(Path root) throws IOException {
    TestSources sources = new TestSources();
    for (Path module : modules(root)) {
      Path folder = module.resolve("src/test/java");
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
            String type = file.getFileName().toString().replaceFirst("\\.java$", "");
            sources.add(type, Files.readString(file));
          }
        }
      }
    }
    return sources;
  }

  /** The folders that are modules. */
  static List<Path> modules(Path root) throws IOException {
    try (Stream<Path> folders = Files.list(root)) {
      return new ArrayList<>(
          folders.filter(folder -> Files.exists(folder.resolve("pom.xml"))).sorted().toList());
    }
  }

  private void add(String type, String text) {
    Set<String> found = methods.computeIfAbsent(type, _ -> new TreeSet<>());
    TEST.matcher(text).results().forEach(test -> found.add(test.group(1)));
    EXTENDS
        .matcher(text)
        .results()
        .forEach(one -> heirs.computeIfAbsent(one.group(1), _ -> new TreeSet<>()).add(type));
  }

  /** Whether there is such a test. */
  boolean has(TestName test) {
    return methods.getOrDefault(test.type(), Set.of()).contains(test.method());
  }

  /** The type itself, and those in whose files something extends it: there its tests run, too. */
  Set<String> runners(String type) {
    Set<String> all = new TreeSet<>(heirs.getOrDefault(type, Set.of()));
    all.add(type);
    return all;
  }

  /** The tests that pages name and that are not there. */
  List<String> missing(Book book) {
    List<String> missing = new ArrayList<>();
    for (SystemPage page : book.pages()) {
      for (Rule rule : page.rules()) {
        for (TestName test : rule.shownBy()) {
          if (!has(test)) {
            missing.add(
                "%s.md: row %s: there is no test %s".formatted(page.name(), rule.number(), test));
          }
        }
      }
    }
    return missing;
  }
}
