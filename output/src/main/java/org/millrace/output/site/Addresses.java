package org.millrace.output.site;

import java.util.function.Predicate;

/**
 * Where things of the repository are on the site: everything keeps its folder, {@code README.md}
 * becomes {@code index.html}, other documents get another ending. Sources are not on the site: a
 * link to one leads to nowhere but says what it is. Immutable.
 *
 * @param isOnSite whether a path of the repository is a file of the site, too
 */
record Addresses(Predicate<String> isOnSite) {

  /** The site's file for a document of the repository. */
  static String page(String document) {
    return document
        .replaceFirst("(^|/)README\\.md$", "$1index.html")
        .replaceFirst("\\.md$", ".html");
  }

  /** The address for a link in {@code document}, as it stands there. */
  String link(String document, String target) {
    if (target.matches("[a-z]+:.*") || target.startsWith("#")) {
      return target;
    }
    int mark = target.indexOf('#');
    String path = mark < 0 ? target : target.substring(0, mark);
    String part = mark < 0 ? "" : target.substring(mark);
    String folder = document.substring(0, document.lastIndexOf('/') + 1);
    String there = normalize(folder + path);
    if (there.isEmpty() || there.endsWith("/")) {
      return path + "index.html" + part;
    }
    if (there.endsWith(".md") || isOnSite.test(there)) {
      return page(path) + part;
    }
    return "#" + Inline.escape(there); // a source
  }

  /** The way from a page to the site's top, such as {@code ../../}. */
  static String toTop(String page) {
    return "../".repeat((int) page.chars().filter(c -> c == '/').count());
  }

  private static String normalize(String path) {
    String now = path.replace("/./", "/");
    String before;
    do {
      before = now;
      now = now.replaceFirst("(^|/)(?!\\.\\./)[^/]+/\\.\\./", "$1");
    } while (!now.equals(before));
    return now;
  }
}
