package org.millrace.output.site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns one document into HTML: headings, paragraphs, lists in lists, tables, fenced code, quotes
 * and rules. Ids of headings are those that GitHub makes, because our documents link to them. Used
 * by one thread, once.
 */
final class Markdown {

  private static final Pattern HEADING = Pattern.compile("(#{1,6}) +(.*?)\\s*#*");
  private static final Pattern FENCE = Pattern.compile("( *)```(\\w*)\\s*");
  private static final Pattern ITEM = Pattern.compile("( *)([-*]|\\d+\\.) +(.*)");
  private static final Pattern RULE = Pattern.compile("(-{3,}|\\*{3,})\\s*");
  private static final Pattern DELIMITER =
      Pattern.compile("\\|?(\\s*:?-+:?\\s*\\|)+(\\s*:?-+:?\\s*)?");

  private final Inline inline;
  private final List<Rendered.Section> sections = new ArrayList<>();
  private final Map<String, Integer> ids = new HashMap<>();
  private final StringBuilder searched = new StringBuilder();

  private Markdown(Inline inline) {
    this.inline = inline;
  }

  /** The document as HTML, with links as {@code inline} makes them. */
  static Rendered render(String text, Inline inline) {
    Markdown page = new Markdown(inline);
    String html = page.blocks(text.lines().toList());
    page.endSection();
    String title =
        page.sections.stream()
            .filter(each -> each.level() > 0)
            .findFirst()
            .map(Rendered.Section::title)
            .orElse("");
    return new Rendered(title, html, page.sections);
  }

  private String blocks(List<String> lines) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < lines.size()) {
      String line = lines.get(at);
      if (line.isBlank()) {
        at++;
      } else if (FENCE.matcher(line).matches()) {
        at = fence(lines, at, out);
      } else if (HEADING.matcher(line).matches()) {
        heading(line, out);
        at++;
      } else if (RULE.matcher(line).matches()) {
        out.append("<hr>\n");
        at++;
      } else if (at + 1 < lines.size()
          && line.contains("|")
          && DELIMITER.matcher(lines.get(at + 1).strip()).matches()) {
        at = table(lines, at, out);
      } else if (line.startsWith(">")) {
        at = quote(lines, at, out);
      } else if (ITEM.matcher(line).matches()) {
        at = list(lines, at, out);
      } else {
        at = paragraph(lines, at, out);
      }
    }
    return out.toString();
  }

  private void heading(String line, StringBuilder out) {
    Matcher heading = HEADING.matcher(line);
    if (!heading.matches()) {
      throw new IllegalArgumentException(line);
    }
    endSection();
    int level = heading.group(1).length();
    String title = Inline.plain(heading.group(2));
    String id = id(title);
    sections.add(new Rendered.Section(id, level, title, ""));
    out.append(
        "<h%s id=\"%s\">%s<a class=\"here\" href=\"#%s\" aria-label=\"Link to this section\">#</a></h%s>\n"
            .formatted(level, id, inline.html(heading.group(2)), id, level));
  }

  private String id(String title) {
    String slug =
        title
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
            .strip()
            .replaceAll("\\s", "-");
    int before = ids.getOrDefault(slug, 0);
    ids.put(slug, before + 1);
    return before == 0 ? slug : slug + "-" + before;
  }

  /** What was collected belongs to the last heading. */
  private void endSection() {
    String text = searched.toString().strip();
    searched.setLength(0);
    if (!sections.isEmpty()) {
      Rendered.Section last = sections.removeLast();
      sections.add(new Rendered.Section(last.id(), last.level(), last.title(), text));
    } else if (!text.isEmpty()) {
      sections.add(new Rendered.Section("", 0, "", text));
    }
  }

  private String text(String markdown) {
    searched.append(Inline.plain(markdown)).append(' ');
    return inline.html(markdown);
  }

  private int fence(List<String> lines, int from, StringBuilder out) {
    Matcher fence = FENCE.matcher(lines.get(from));
    String kind = fence.matches() ? fence.group(2) : "";
    int indent = lines.get(from).indexOf('`');
    List<String> code = new ArrayList<>();
    int at = from + 1;
    while (at < lines.size() && !lines.get(at).strip().equals("```")) {
      String line = lines.get(at++);
      code.add(line.substring(Math.min(indent, line.length() - line.stripLeading().length())));
    }
    String text = String.join("\n", code);
    searched.append(text).append(' ');
    out.append(
        "<pre data-kind=\"%s\"><code>%s</code></pre>\n".formatted(kind, Inline.escape(text)));
    return at + 1;
  }

  private int table(List<String> lines, int from, StringBuilder out) {
    out.append("<div class=\"wide\"><table>\n<thead>").append(row(lines.get(from), "th"));
    out.append("</thead>\n<tbody>\n");
    int at = from + 2;
    while (at < lines.size() && lines.get(at).contains("|")) {
      out.append(row(lines.get(at++), "td"));
    }
    out.append("</tbody></table></div>\n");
    return at;
  }

  private String row(String line, String tag) {
    String inside = line.strip().replaceFirst("^\\|", "").replaceFirst("(?<!\\\\)\\|$", "");
    StringBuilder out = new StringBuilder("<tr>");
    for (String cell : inside.split("(?<!\\\\)\\|", -1)) {
      String text = text(cell.strip().replace("\\|", "|"));
      out.append("<%s>%s</%s>".formatted(tag, text, tag));
    }
    return out.append("</tr>\n").toString();
  }

  private int quote(List<String> lines, int from, StringBuilder out) {
    List<String> inside = new ArrayList<>();
    int at = from;
    while (at < lines.size() && lines.get(at).startsWith(">")) {
      inside.add(lines.get(at++).replaceFirst("^> ?", ""));
    }
    out.append("<blockquote>\n").append(blocks(inside)).append("</blockquote>\n");
    return at;
  }

  private int list(List<String> lines, int from, StringBuilder out) {
    Matcher first = ITEM.matcher(lines.get(from));
    boolean numbered = first.matches() && Character.isDigit(first.group(2).charAt(0));
    int indent = first.group(1).length();
    String start = numbered ? " start=\"" + first.group(2).replace(".", "") + "\"" : "";
    out.append(numbered ? "<ol" + start + ">\n" : "<ul>\n");
    int at = from;
    while (at < lines.size()) {
      Matcher item = ITEM.matcher(lines.get(at));
      if (!item.matches() || item.group(1).length() != indent) {
        break;
      }
      ListItem body = ListItem.at(lines, at, indent);
      String inside = blocks(body.lines());
      out.append("<li>").append(body.isTight() ? unwrapped(inside) : inside).append("</li>\n");
      at = body.end();
    }
    out.append(numbered ? "</ol>\n" : "</ul>\n");
    return at;
  }

  private static String unwrapped(String html) {
    return html.replaceFirst("(?s)^<p>(.*?)</p>\n", "$1");
  }

  private int paragraph(List<String> lines, int from, StringBuilder out) {
    List<String> inside = new ArrayList<>();
    int at = from;
    do {
      inside.add(lines.get(at++).strip());
    } while (at < lines.size() && !endsParagraph(lines.get(at)));
    out.append("<p>").append(text(String.join("\n", inside))).append("</p>\n");
    return at;
  }

  private static boolean endsParagraph(String line) {
    return line.isBlank()
        || FENCE.matcher(line).matches()
        || HEADING.matcher(line).matches()
        || line.startsWith(">")
        || ITEM.matcher(line).matches();
  }
}
