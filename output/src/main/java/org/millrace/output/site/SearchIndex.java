package org.millrace.output.site;

import java.util.ArrayList;
import java.util.List;
import org.millrace.output.Json;

/**
 * What the search looks through: each section of each page. It is a script and not a file of JSON,
 * because a page that was opened from a disk may load scripts, and nothing else. Owned by one
 * thread.
 */
final class SearchIndex {

  private final List<List<String>> rows = new ArrayList<>();

  /** Adds the sections of a page. */
  void add(String page, Rendered document) {
    for (Rendered.Section section : document.sections()) {
      String place = section.id().isEmpty() ? page : page + "#" + section.id();
      rows.add(List.of(place, document.title(), section.title(), section.text()));
    }
  }

  /** How many sections there are. */
  int size() {
    return rows.size();
  }

  /** The script. */
  String script() {
    return "window.MILLRACE_INDEX = " + Json.of(rows) + ";\n";
  }
}
