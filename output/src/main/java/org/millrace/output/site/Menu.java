package org.millrace.output.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Makes the menu out of the reading order in {@code docs/README.md}. Stateless. */
final class Menu {

  private static final Pattern LINE =
      Pattern.compile(
          "(?m)^(?:## (?<part>[^:\\n]+).*|\\d+\\. \\[[^\\]]*\\]\\((?<target>[^)]+)\\).*)$");
  private static final Pattern TITLE = Pattern.compile("(?m)^# +(.+)$");

  private Menu() {}

  /** The frame of all pages. */
  static Frame of(Map<String, String> documents, List<String> javadocs) {
    List<Frame.Part> parts = new ArrayList<>();
    Matcher line = LINE.matcher(documents.getOrDefault("docs/README.md", ""));
    String title = "";
    List<Frame.Entry> entries = new ArrayList<>();
    while (line.find()) {
      if (line.group("part") != null) {
        add(parts, title, entries);
        title = line.group("part");
        entries = new ArrayList<>();
      } else {
        entries.add(entry(documents, line.group("target")));
      }
    }
    add(parts, title, entries);
    List<Frame.Entry> api = new ArrayList<>();
    for (String javadoc : javadocs) {
      String name = javadoc.substring(0, javadoc.indexOf('='));
      api.add(new Frame.Entry("api/" + name + "/index.html", "Javadoc of " + name));
    }
    api.add(new Frame.Entry("CHANGELOG.html", "Changelog"));
    api.add(new Frame.Entry("SECURITY.html", "Report a vulnerability"));
    add(parts, "More", api);
    return new Frame(parts);
  }

  private static void add(List<Frame.Part> parts, String title, List<Frame.Entry> entries) {
    if (!entries.isEmpty()) {
      parts.add(new Frame.Part(title, List.copyOf(entries)));
    }
  }

  private static Frame.Entry entry(Map<String, String> documents, String target) {
    String name = target.startsWith("../") ? target.substring(3) : "docs/" + target;
    String document = name.endsWith("/") ? name + "README.md" : name;
    return new Frame.Entry(
        Addresses.page(document), titleOf(documents.getOrDefault(document, ""), target));
  }

  /** A page that lists all documents of a folder. */
  static String listOf(Map<String, String> documents, String folder) {
    return documents.entrySet().stream()
        .filter(each -> each.getKey().startsWith(folder))
        .map(
            each ->
                "- [%s](%s)"
                    .formatted(
                        titleOf(each.getValue(), each.getKey()),
                        each.getKey().substring(folder.length())))
        .collect(Collectors.joining("\n", "# Decisions\n\n", "\n"));
  }

  private static String titleOf(String document, String otherwise) {
    Matcher title = TITLE.matcher(document);
    return title.find() ? Inline.plain(title.group(1)) : otherwise;
  }
}
