package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A table of a document that is made from the sources and stands there between marks. Stateless;
 * {@code -Dmillrace.docs=write} writes such tables anew.
 */
public final class MadeTable {

  private static final boolean WRITE = "write".equals(System.getProperty("millrace.docs"));

  private MadeTable() {}

  /**
   * Fails if the document has another table, or writes this one into it.
   *
   * @param mark what the table is called in the document
   */
  public static void compare(Path document, String mark, String table) throws IOException {
    String text = Files.readString(document);
    String begin = "<!-- %s: made from the sources -->\n".formatted(mark);
    String end = "<!-- end -->\n";
    assertThat(text).contains(begin);
    int from = text.indexOf(begin) + begin.length();
    int to = text.indexOf(end, from);
    if (WRITE) {
      Files.writeString(document, text.substring(0, from) + table + text.substring(to));
    } else {
      assertThat(text.substring(from, to))
          .as("%s; -Dmillrace.docs=write makes it anew", document.getFileName())
          .isEqualTo(table);
    }
  }
}
