package org.millrace.output.site;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Markdown inside a line: code, pictures, links, bold and italic. What is between backticks is left
 * as it is. Immutable.
 *
 * @param link makes the address on the site out of one in a document
 */
record Inline(UnaryOperator<String> link) {

  /** In the order in which one hides another. */
  private static final Pattern SPAN =
      Pattern.compile(
          "(?<code>(`+)(?<inner>.+?)\\2(?!`))"
              + "|(?<image>!\\[(?<alt>[^\\]]*)\\]\\((?<source>[^)\\s]+)\\))"
              + "|(?<anchor>\\[(?<text>(?:[^\\]`]|`[^`]*`)*)\\]\\((?<target>[^)\\s]+)\\))"
              + "|(?<auto><(?<address>https?://[^>\\s]+)>)"
              + "|(?<bold>\\*\\*(?<strong>.+?)\\*\\*(?!\\*))"
              + "|(?<italic>(?<![\\w*])\\*(?<soft>[^*\\s](?:[^*]*[^*\\s])?)\\*(?![\\w*]))",
          Pattern.DOTALL);

  /** The same text as HTML. */
  String html(String text) {
    StringBuilder out = new StringBuilder();
    Matcher span = SPAN.matcher(text);
    int from = 0;
    while (span.find()) {
      out.append(escape(text.substring(from, span.start()))).append(element(span));
      from = span.end();
    }
    return out.append(escape(text.substring(from))).toString();
  }

  private String element(Matcher span) {
    if (span.group("code") != null) {
      return "<code>" + escape(span.group("inner").strip()) + "</code>";
    }
    if (span.group("image") != null) {
      return "<img src=\"%s\" alt=\"%s\" loading=\"lazy\">"
          .formatted(escape(link.apply(span.group("source"))), escape(span.group("alt")));
    }
    if (span.group("anchor") != null) {
      return anchor(link.apply(span.group("target")), html(span.group("text")));
    }
    if (span.group("auto") != null) {
      return anchor(span.group("address"), escape(span.group("address")));
    }
    return span.group("bold") != null
        ? "<strong>" + html(span.group("strong")) + "</strong>"
        : "<em>" + html(span.group("soft")) + "</em>";
  }

  private static String anchor(String target, String text) {
    return "<a href=\"%s\">%s</a>".formatted(escape(target), text);
  }

  /** The text alone, as a reader sees it. */
  static String plain(String text) {
    return SPAN.matcher(text)
        .replaceAll(
            found -> {
              for (String name :
                  new String[] {"inner", "alt", "text", "address", "strong", "soft"}) {
                String inside = found.group(name);
                if (inside != null) {
                  boolean isFinal = name.equals("inner") || name.equals("address");
                  return Matcher.quoteReplacement(isFinal ? inside : plain(inside));
                }
              }
              return "";
            });
  }

  /** Text that is safe between tags and in attributes. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
