package org.millrace.output.site;

import java.util.List;

/**
 * A document as HTML. Immutable.
 *
 * @param title its first heading
 * @param html what is inside the page
 * @param sections its parts, for the search
 */
record Rendered(String title, String html, List<Section> sections) {

  /** Copies the list. */
  Rendered {
    sections = List.copyOf(sections);
  }

  /**
   * A heading and the text below it.
   *
   * @param id where on the page it is; empty at the top
   * @param level 1 to 6
   * @param title the heading
   * @param text what can be searched for, without marks
   */
  record Section(String id, int level, String title, String text) {}
}
