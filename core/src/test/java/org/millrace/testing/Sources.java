package org.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this repository, for tests that read them. Immutable; files are read when asked. */
record Sources(Path root) {

  private static final Pattern LAYER_ROW =
      Pattern.compile("^\\| `(\\w+)` \\|[^|]*\\|([^|]*)\\|$", Pattern.MULTILINE);

  private static final Pattern EXPORTS = Pattern.compile("exports to all: ([^;]*);");

  /** A file: its path below the root, with slashes, and its text. */
  record SourceFile(String path, String text) {

    /** Whether it is Java of the product, as opposed to a test. */
    boolean isMain() {
      return path.contains("/src/main/java/");
    }

    /** Whether it is Java. */
    boolean isJava() {
      return path.endsWith(".java");
    }

    /** The folder it lies in. */
    String folder() {
      return path.substring(0, path.lastIndexOf('/'));
    }
  }

  /** The repository that this test was built from: surefire says in which module it runs. */
  static Sources ofRepository() {
    Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath().normalize();
    for (Path folder = module; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("core/pom.xml"))) {
        return new Sources(folder);
      }
    }
    throw new IllegalStateException("no repository around " + module);
  }

  /** The Java files of all modules, sorted. */
  List<SourceFile> java() throws IOException {
    List<SourceFile> found = new ArrayList<>();
    for (String module : modules()) {
      addBelow(root.resolve(module).resolve("src"), ".java", found);
    }
    return found;
  }

  /** Java, documents and scripts: all that was written by hand. */
  List<SourceFile> all() throws IOException {
    List<SourceFile> found = new ArrayList<>(java());
    addBelow(root.resolve("docs"), ".md", found);
    try (Stream<Path> top = Files.list(root)) {
      for (Path file : top.filter(Files::isRegularFile).sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".md") || name.endsWith(".xml") || name.equals("millrace")) {
          found.add(read(file));
        }
      }
    }
    for (String module : modules()) {
      found.add(read(root.resolve(module).resolve("pom.xml")));
    }
    found.add(read(root.resolve(".ci/run")));
    return found;
  }

  /** The folders of the modules, sorted. */
  Set<String> modules() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> top = Files.list(root)) {
      top.filter(folder -> Files.exists(folder.resolve("pom.xml")))
          .forEach(folder -> names.add(folder.getFileName().toString()));
    }
    return names;
  }

  /** The table of layers as {@code ARCHITECTURE.md} shows it. */
  Map<String, Set<String>> layersInArchitectureDocument() throws IOException {
    Map<String, Set<String>> table = new LinkedHashMap<>();
    Matcher row = LAYER_ROW.matcher(read(root.resolve("ARCHITECTURE.md")).text());
    while (row.find()) {
      String known = row.group(2).strip();
      table.put(
          row.group(1),
          known.equals("JDK") ? Set.of() : Set.of(known.replace("`", "").split(", ")));
    }
    return table;
  }

  /**
   * The packages that {@code ARCHITECTURE.md} says the core exports to all, by their full names.
   */
  Set<String> exportsInArchitectureDocument() throws IOException {
    Matcher list = EXPORTS.matcher(read(root.resolve("ARCHITECTURE.md")).text());
    Set<String> names = new TreeSet<>();
    if (list.find()) {
      for (String name : list.group(1).replaceAll("[`\\s]", "").split(",", -1)) {
        names.add(name.startsWith("org.") ? name : "org.millrace." + name);
      }
    }
    return names;
  }

  /** The text of the {@code package-info} of a package of the core. */
  String packageInfo(String name) throws IOException {
    Path folder = root.resolve("core/src/main/java").resolve(name.replace('.', '/'));
    return read(folder.resolve("package-info.java")).text();
  }

  private void addBelow(Path folder, String ending, List<SourceFile> found) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(ending)).sorted().toList()) {
        found.add(read(file));
      }
    }
  }

  private SourceFile read(Path file) throws IOException {
    return new SourceFile(
        root.relativize(file).toString().replace('\\', '/'), Files.readString(file));
  }
}
