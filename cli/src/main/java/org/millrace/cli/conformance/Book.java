package org.millrace.cli.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The conformance book: a page for each system. Immutable.
 *
 * @param pages in reading order
 */
record Book(List<SystemPage> pages) {

  /** The systems, in reading order: those of {@code heritage}, and what the core does itself. */
  static final List<String> NAMES =
      List.of(
          "edonio",
          "nx",
          "pfs",
          "passion",
          "dio",
          "sharedfiles",
          "diskdirected",
          "bridge",
          "cio",
          "crockett",
          "ncube",
          "vesta",
          "piofs",
          "pious",
          "mpiio",
          "elfs",
          "kotz");

  /** Where the texts of pages are. */
  interface Shelf {
    /** The text of a page, if there is one. */
    Optional<String> text(String name) throws IOException;
  }

  /** Keeps a copy of the list. */
  Book {
    pages = List.copyOf(pages);
  }

  /** The book that the build has put beside this class. */
  static Book ofResources() throws IOException {
    return read(
        name -> {
          try (InputStream in = Book.class.getResourceAsStream("pages/" + name + ".md")) {
            return in == null
                ? Optional.empty()
                : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
          }
        });
  }

  /** Reads the page of each system; where there is none, that is its page's complaint. */
  static Book read(Shelf shelf) throws IOException {
    List<SystemPage> pages = new ArrayList<>();
    for (String name : NAMES) {
      pages.add(
          shelf
              .text(name)
              .map(text -> PageParser.parse(name, text))
              .orElseGet(() -> missing(name)));
    }
    return new Book(pages);
  }

  private static SystemPage missing(String name) {
    return new SystemPage(name, name, "", List.of(), List.of(name + ".md: there is no such page"));
  }

  /** The page of a system. */
  Optional<SystemPage> page(String name) {
    return pages.stream().filter(page -> page.name().equals(name)).findFirst();
  }

  /** All pages as if they were one. */
  SystemPage whole() {
    List<Rule> rules = pages.stream().flatMap(page -> page.rules().stream()).toList();
    return new SystemPage("", "all", "", rules, complaints());
  }

  /** What is wrong with the pages. */
  List<String> complaints() {
    return pages.stream().flatMap(page -> page.complaints().stream()).toList();
  }
}
