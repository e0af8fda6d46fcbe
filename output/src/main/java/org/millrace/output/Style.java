package org.millrace.output;

/** The colours of pictures and pages, light and dark. Holds no state. */
final class Style {

  /** How many series have a colour of their own. */
  static final int SERIES = 8;

  private static final String[] LIGHT = {
    "#2f6fa8", "#c2573a", "#3a8f5c", "#b07a12", "#7a4fa3", "#707880", "#1f8a8c", "#a8497a"
  };
  private static final String[] DARK = {
    "#6ba6dc", "#e58a6c", "#63bd87", "#dba94a", "#b18ad6", "#9aa2aa", "#55bfc1", "#d681ac"
  };

  private static final String SHAPES =
      """
      text { font: 12px sans-serif; }
      .bold { font-weight: bold; } .on { fill: #1f2933; font-size: 11px; }
      .rule, .border, .limit, .target, [class^="line"] { fill: none; }
      .limit { stroke-width: 2; } .target { stroke-dasharray: 3 3; }
      [class^="line"] { stroke-width: 2; }
      """;

  private static final String PAGE =
      """
      :root { color-scheme: light dark; }
      body { font: 14px sans-serif; margin: 2em; } svg { max-width: 100%; height: auto; } pre { overflow-x: auto; }
      .figures { display: flex; flex-wrap: wrap; gap: 1.5em 2.5em; } figure { margin: 0 0 1em; }
      figcaption { font-weight: bold; margin-bottom: 4px; }
      table { border-collapse: collapse; } pre, table { font-size: 12px; }
      th, td { padding: 3px 10px; text-align: left; border-bottom: 1px solid; }
      .n { text-align: right; font-variant-numeric: tabular-nums; }
      @media (max-width: 700px) {
        body { margin: 1em; } figure, table { max-width: 100%; overflow-x: auto; }
        table { display: block; } figure svg { max-width: none; } th, td { white-space: nowrap; }
      }
      """;

  private Style() {}

  /** For a picture that stands alone. */
  static String ofPicture() {
    return SHAPES + coloured(".back", "fill");
  }

  /** For a page and all pictures in it. */
  static String ofPage() {
    return PAGE + SHAPES + coloured("body", "background");
  }

  private static String coloured(String back, String property) {
    return colours(back, property, "#ffffff", "#24292f", "#6a737d", "#d9dde2", LIGHT)
        + "@media (prefers-color-scheme: dark) {\n"
        + colours(back, property, "#16191d", "#e6e8ea", "#98a0a8", "#3a4047", DARK)
        + "}\n";
  }

  private static String colours(
      String back,
      String property,
      String paper,
      String ink,
      String soft,
      String rule,
      String[] s) {
    StringBuilder css = new StringBuilder();
    css.append("%s { %s: %s; }".formatted(back, property, paper));
    css.append(" body { color: %s; }".formatted(ink));
    css.append(" .text, .bold { fill: %s; } .soft { fill: %s; }\n".formatted(ink, soft));
    css.append(".rule { stroke: %s; } th, td { border-color: %s; }".formatted(rule, rule));
    css.append(" .border, .limit { stroke: %s; } .target { stroke: %s; }\n".formatted(ink, soft));
    css.append(
        ".plain { fill: %s; } .good { fill: %s; } .bad { fill: %s; }\n"
            .formatted(s[5], s[2], s[1]));
    for (int i = 0; i < SERIES; i++) {
      css.append(".fill%s { fill: %s; } .line%s { stroke: %s; }\n".formatted(i, s[i], i, s[i]));
    }
    return css.toString();
  }
}
