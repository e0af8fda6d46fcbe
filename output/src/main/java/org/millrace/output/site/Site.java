package org.millrace.output.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes the site out of a repository: its documents as pages, their pictures, the API's Javadoc if
 * it is there, and an index for the search. The pages work from a disk, without a server and
 * without anything from elsewhere. Used by one thread, once.
 */
public final class Site {

  private static final List<String> TOP =
      List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md");
  private static final String ORDER = "docs/README.md";

  private final Path root;
  private final Path out;
  private final Map<String, String> documents = new TreeMap<>();
  private final SearchIndex index = new SearchIndex();

  private Site(Path root, Path out) {
    this.root = root;
    this.out = out;
  }

  /** Arguments: the repository's folder, the folder to write, and folders of Javadoc. */
  public static void main(String[] args) throws IOException {
    if (args.length < 2) {
      System.err.println("usage: Site REPOSITORY FOLDER [NAME=JAVADOC]...");
      System.exit(2);
    }
    Site site = new Site(Path.of(args[0]), Path.of(args[1]));
    site.make(List.of(args).subList(2, args.length), System.out);
  }

  /**
   * Makes the site.
   *
   * @param javadocs folders with Javadoc, each behind its name and {@code =}
   */
  static void make(Path root, Path out, List<String> javadocs, PrintStream told)
      throws IOException {
    new Site(root, out).make(javadocs, told);
  }

  private void make(List<String> javadocs, PrintStream told) throws IOException {
    read();
    for (String javadoc : javadocs) {
      int equals = javadoc.indexOf('=');
      copy(Path.of(javadoc.substring(equals + 1)), "api/" + javadoc.substring(0, equals));
    }
    copy(root.resolve("docs/pictures"), "docs/pictures");
    write("LICENSE", Files.readString(root.resolve("LICENSE")));
    Addresses addresses = new Addresses(path -> Files.isRegularFile(out.resolve(path)));
    Frame frame = Menu.of(documents, javadocs);
    for (Map.Entry<String, String> each : documents.entrySet()) {
      String name = each.getKey();
      Rendered page =
          Markdown.render(each.getValue(), new Inline(target -> addresses.link(name, target)));
      String place = Addresses.page(name);
      index.add(place, page);
      write(place, frame.around(place, page));
    }
    write("search-index.js", index.script());
    resource("site.css");
    resource("site.js");
    told.printf(
        "%s pages with %s sections in %s; open %s%n",
        documents.size(), index.size(), out, out.resolve("index.html"));
  }

  private void read() throws IOException {
    for (String name : TOP) {
      if (Files.exists(root.resolve(name))) {
        documents.put(name, Files.readString(root.resolve(name)));
      }
    }
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".md")).toList()) {
        documents.put(root.relativize(file).toString(), Files.readString(file));
      }
    }
    documents.putIfAbsent("docs/decisions/README.md", Menu.listOf(documents, "docs/decisions/"));
    if (!documents.containsKey(ORDER)) {
      throw new IOException(root + " has no " + ORDER);
    }
  }

  private void copy(Path from, String to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = out.resolve(to).resolve(from.relativize(file).toString());
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private void write(String place, String text) throws IOException {
    Path file = out.resolve(place);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, text);
  }

  private void resource(String name) throws IOException {
    try (InputStream in = Objects.requireNonNull(Site.class.getResourceAsStream(name), name)) {
      write(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
