package org.millrace.output.site;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What is around a document on its page: the list of all pages, the search, the sections of this
 * page. Immutable.
 *
 * @param menu all pages that have a place in the reading order, by kind
 */
record Frame(List<Part> menu) {

  /** Longest list of sections beside a page; longer ones are cut to headings of level 2. */
  private static final int MOST_SECTIONS = 40;

  /** Copies the list. */
  Frame {
    menu = List.copyOf(menu);
  }

  /**
   * A part of the menu.
   *
   * @param title such as Tutorial
   * @param entries its pages
   */
  record Part(String title, List<Entry> entries) {}

  /**
   * A line of the menu.
   *
   * @param page from the site's top
   * @param title what it is called
   */
  record Entry(String page, String title) {}

  /** The whole page at {@code place}. */
  String around(String place, Rendered document) {
    String top = Addresses.toTop(place);
    String title = Inline.escape(document.title());
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>%s · Millrace</title>
    <link rel="stylesheet" href="%ssite.css">
    </head>
    <body data-top="%s">
    <header>
    <a class="brand" href="%sindex.html">Millrace</a>
    <input id="search" type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off">
    <button id="theme" type="button" aria-label="Light or dark">◐</button>
    <div id="found" hidden></div>
    </header>
    <div class="columns">
    <details class="menu" open><summary>Pages</summary><nav>%s</nav></details>
    <main>
    %s</main>
    <aside>%s</aside>
    </div>
    <script src="%ssearch-index.js" defer></script>
    <script src="%ssite.js" defer></script>
    </body>
    </html>
    """
        .formatted(
            title, top, top, top, menu(place, top), document.html(), sections(document), top, top);
  }

  private String menu(String place, String top) {
    return menu.stream()
        .map(
            part ->
                "<h2>%s</h2><ul>%s</ul>\n"
                    .formatted(
                        Inline.escape(part.title()),
                        part.entries().stream()
                            .map(entry -> line(place, top, entry))
                            .collect(Collectors.joining())))
        .collect(Collectors.joining());
  }

  private static String line(String place, String top, Entry entry) {
    String here = entry.page().equals(place) ? " aria-current=\"page\"" : "";
    return "<li><a href=\"%s\"%s>%s</a></li>"
        .formatted(top + entry.page(), here, Inline.escape(entry.title()));
  }

  private static String sections(Rendered document) {
    List<Rendered.Section> all =
        document.sections().stream().filter(each -> each.level() > 1 && each.level() < 4).toList();
    int deepest = all.size() > MOST_SECTIONS ? 2 : 3;
    String lines =
        all.stream()
            .filter(each -> each.level() <= deepest)
            .map(
                each ->
                    "<li class=\"level%s\"><a href=\"#%s\">%s</a></li>"
                        .formatted(each.level(), each.id(), Inline.escape(each.title())))
            .collect(Collectors.joining());
    return lines.isEmpty() ? "" : "<h2>On this page</h2><ul>" + lines + "</ul>";
  }
}
