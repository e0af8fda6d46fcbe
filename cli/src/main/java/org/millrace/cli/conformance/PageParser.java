package org.millrace.cli.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the page of a system: a heading, a line that names the document, and tables of rules whose
 * rows are numbered through all of them ({@code docs/conformance/README.md}). For one page and one
 * thread.
 */
final class PageParser {

  private static final String HEADING = "| # | rule | section | here | shown by |";
  private static final Pattern BELOW_HEADING = Pattern.compile("\\|(:?-+:?\\|){5}");
  private static final Pattern BETWEEN_CELLS = Pattern.compile("(?<!\\\\)\\|");
  private static final Pattern TESTS = Pattern.compile("`[^`]+`(,\\s*`[^`]+`)*");
  private static final String TITLE = "# ";
  private static final String DOCUMENT = "Document: ";

  private final String name;

  private final List<Rule> rules = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private String title = "";
  private String document = "";
  private boolean inTable;
  private int lineNumber;

  private PageParser(String name) {
    this.name = name;
  }

  /** Reads a page; what is wrong with it is among its complaints. */
  static SystemPage parse(String name, String text) {
    PageParser parser = new PageParser(name);
    text.replaceAll("\r\n?", "\n").lines().forEach(parser::line);
    return parser.page();
  }

  private SystemPage page() {
    if (title.isEmpty()) {
      complaints.add(name + ".md: has no heading '# ' with the system's name");
    }
    if (document.isEmpty()) {
      complaints.add(name + ".md: has no line 'Document: '");
    }
    if (rules.isEmpty()) {
      complaints.add(name + ".md: has no rules");
    }
    return new SystemPage(name, title, document, rules, complaints);
  }

  private void line(String line) {
    lineNumber++;
    if (line.startsWith(TITLE) && title.isEmpty()) {
      title = line.substring(TITLE.length()).strip();
    } else if (line.startsWith(DOCUMENT) && document.isEmpty()) {
      document = line.substring(DOCUMENT.length()).strip();
    }
    if (!line.stripLeading().startsWith("|")) {
      inTable = false;
    } else if (line.strip().equals(HEADING)) {
      inTable = true;
    } else if (!inTable) {
      complain("a table must begin with " + HEADING);
    } else if (!BELOW_HEADING.matcher(line.replace(" ", "")).matches()) {
      row(line.strip());
    }
  }

  private void row(String line) {
    List<String> cells =
        BETWEEN_CELLS
            .splitAsStream(
                line.substring(1, line.endsWith("|") ? line.length() - 1 : line.length()))
            .map(cell -> cell.replace("\\|", "|").strip())
            .collect(Collectors.toList());
    if (cells.size() != 5 || !line.endsWith("|")) {
      complain(cells.size() + " cells instead of 5 (a bar within a cell is written \\|)");
      return;
    }
    int number = rules.size() + 1;
    if (!cells.getFirst().equals(Integer.toString(number))) {
      complain("row " + cells.getFirst() + " should have number " + number);
    }
    if (cells.get(1).isEmpty() || cells.get(2).isEmpty()) {
      complain("row " + number + " does not say which rule, or where it stands");
    }
    Optional<Here> here = Here.parse(cells.get(3));
    if (here.isEmpty()) {
      complain("row " + number + " says neither 'as written' nor 'changed: ' and why");
    }
    rules.add(
        new Rule(
            number,
            cells.get(1),
            cells.get(2),
            here.orElse(new Here.AsWritten("")),
            tests(number, cells.get(4))));
  }

  private List<TestName> tests(int number, String cell) {
    if (!TESTS.matcher(cell).matches()) {
      complain("row " + number + " is shown by no test, or they are not in backticks with commas");
      return List.of();
    }
    List<TestName> tests = new ArrayList<>();
    for (String text : cell.replace("`", "").split(",", -1)) {
      TestName.parse(text.strip())
          .ifPresentOrElse(
              tests::add,
              () -> complain("row " + number + ": " + text.strip() + " is no Class.method"));
    }
    return tests;
  }

  private void complain(String what) {
    complaints.add("%s.md:%s: %s".formatted(name, lineNumber, what));
  }
}
