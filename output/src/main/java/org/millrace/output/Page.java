package org.millrace.output;

/**
 * A page of HTML that needs no other file: paragraphs, drawings and tables in the order in which
 * they are added. Words are escaped here. Used by one thread.
 */
public final class Page {

  // constant after construction
  private final String title;

  private final StringBuilder body = new StringBuilder();
  private boolean inFigures;

  /** A page with nothing but its title. */
  public Page(String title) {
    this.title = title;
  }

  /** Adds a paragraph; none if there are no words. */
  public Page paragraph(String words) {
    return words.isEmpty() ? this : add("<p>" + Svg.escaped(words) + "</p>\n");
  }

  /** Adds a heading. */
  public Page heading(String words) {
    return add("<h2>" + Svg.escaped(words) + "</h2>\n");
  }

  /** Adds text with its spaces and ends of lines. */
  public Page text(String text) {
    return add("<pre>" + Svg.escaped(text) + "</pre>\n");
  }

  /** Adds a table. */
  public Page table(Table table) {
    return add(table.html());
  }

  /** Adds a drawing; those that follow each other stand side by side where there is room. */
  public Page figure(String caption, Svg drawing) {
    if (!inFigures) {
      body.append("<div class=\"figures\">\n");
      inFigures = true;
    }
    String words = caption.isEmpty() ? "" : "<figcaption>" + Svg.escaped(caption) + "</figcaption>";
    body.append("<figure>").append(words).append(drawing.inline()).append("</figure>\n");
    return this;
  }

  private Page add(String html) {
    endFigures();
    body.append(html);
    return this;
  }

  private void endFigures() {
    if (inFigures) {
      body.append("</div>\n");
      inFigures = false;
    }
  }

  /** The text of the file. */
  public String html() {
    endFigures();
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/><title>%1$s</title>
        <style>
        %2$s</style></head><body>
        <h1>%1$s</h1>
        %3$s</body></html>
        """
        .formatted(Svg.escaped(title), Style.ofPage(), body);
  }
}
