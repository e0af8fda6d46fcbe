package org.millrace.cli.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * How tests ended, as the reports say that builds left behind: of all modules, checked or not, and
 * of every world that heritage's tests ran in. Immutable.
 */
final class TestReports {

  /** How a test ended; of several runs, the first of these that occurred. */
  enum Outcome {
    /** It failed at least once. */
    FAILED,
    /** It passed, and never failed. */
    PASSED,
    /** It was skipped wherever it would have run. */
    SKIPPED,
    /** No report has it. */
    ABSENT
  }

  private final Map<String, Outcome> outcomes = new TreeMap<>();

  private TestReports() {}

  /** The reports of all modules in a folder. */
  static TestReports below(Path root) throws IOException {
    TestReports reports = new TestReports();
    for (Path module : TestSources.modules(root)) {
      for (String build : List.of("target", "target/fast")) {
        Path folder = module.resolve(build).resolve("surefire-reports");
        if (Files.isDirectory(folder)) {
          reports.addBelow(folder);
        }
      }
    }
    return reports;
  }

  private void addBelow(Path folder) throws IOException {
    List<Path> reports;
    try (Stream<Path> files = Files.walk(folder)) {
      reports = files.filter(one -> one.getFileName().toString().matches("TEST-.*\\.xml")).toList();
    }
    for (Path report : reports) {
      try (InputStream in = Files.newInputStream(report)) {
        add(in);
      } catch (XMLStreamException e) {
        throw new IOException(report + " cannot be read: " + e.getMessage(), e);
      }
    }
  }

  private void add(InputStream in) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    XMLStreamReader xml = factory.createXMLStreamReader(in);
    String test = "";
    Outcome outcome = Outcome.PASSED;
    while (xml.hasNext()) {
      int event = xml.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        switch (xml.getLocalName()) {
          case "testcase" -> {
            test = key(xml.getAttributeValue(null, "classname"), name(xml));
            outcome = Outcome.PASSED;
          }
          case "failure", "error" -> outcome = Outcome.FAILED;
          case "skipped" -> outcome = Outcome.SKIPPED;
          default -> {} // what it printed
        }
      } else if (event == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("testcase")) {
        outcomes.merge(test, outcome, TestReports::first);
      }
    }
  }

  /** The method, without parameters and the number of a case. */
  private static String name(XMLStreamReader testcase) {
    return testcase.getAttributeValue(null, "name").replaceFirst("\\W.*", "");
  }

  /** The type in whose file it stands, by its simple name, and the method. */
  private static String key(String type, String method) {
    return type.replaceFirst("\\$.*", "").replaceFirst(".*\\.", "") + "." + method;
  }

  private static Outcome first(Outcome one, Outcome other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** Whether there are no reports. */
  boolean isEmpty() {
    return outcomes.isEmpty();
  }

  /** How a test ended in those that run it. */
  Outcome of(TestName test, TestSources sources) {
    return sources.runners(test.type()).stream()
        .map(runner -> outcomes.getOrDefault(runner + "." + test.method(), Outcome.ABSENT))
        .reduce(Outcome.ABSENT, TestReports::first);
  }

  /** The named tests that did not run, were skipped or failed. */
  List<String> complaints(Book book, TestSources sources) {
    List<String> complaints = new ArrayList<>();
    for (SystemPage page : book.pages()) {
      for (Rule rule : page.rules()) {
        for (TestName test : rule.shownBy()) {
          String what = inWords(of(test, sources));
          if (!what.isEmpty()) {
            complaints.add(
                "%s.md: row %s: %s %s".formatted(page.name(), rule.number(), test, what));
          }
        }
      }
    }
    return complaints;
  }

  private static String inWords(Outcome outcome) {
    return switch (outcome) {
      case FAILED -> "failed";
      case PASSED -> "";
      case SKIPPED -> "was skipped";
      case ABSENT -> "did not run";
    };
  }
}
