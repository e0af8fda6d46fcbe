package org.millrace.cli.conformance;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace conformance}: the conformance book. Used by one thread. */
@Command(
    name = "conformance",
    description = {
      "Show how each system of the 1990s keeps to its document: how many rules there are, how many"
          + " hold as written, how many were changed on purpose, how many a test shows.",
      "Ends with 1 if a page is not complete, or with --ran if a test of it did not pass."
    })
public final class ConformanceCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SYSTEM",
      description = "Print the rules of this system.")
  private @Nullable String system;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--ran",
      description =
          "Check that the tests of all rules have run and passed, by the build's reports.")
  private boolean ran;

  @Option(
      names = "--sources",
      paramLabel = "FOLDER",
      description =
          "With --ran: the folder of Millrace's sources and builds (default: the current one).")
  private Path sources = Path.of("");

  @Override
  public Integer call() throws IOException {
    Book book = Book.ofResources();
    List<String> complaints = new ArrayList<>(book.complaints());
    PrintWriter out = spec.commandLine().getOut();
    String name = system;
    if (name == null) {
      printAll(out, book);
    } else {
      print(out, book.page(name).orElseThrow(() -> unknown(name)));
    }
    if (ran) {
      complaints.addAll(ran(book));
      if (complaints.isEmpty() && !json) {
        out.println("all tests that they name have run and passed");
      }
    }
    complaints.forEach(spec.commandLine().getErr()::println);
    return complaints.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private ParameterException unknown(String name) {
    return new ParameterException(
        spec.commandLine(),
        "there is no system " + name + "; there are " + String.join(", ", Book.NAMES));
  }

  private List<String> ran(Book book) throws IOException {
    Path root = sources.toAbsolutePath();
    TestReports reports = TestReports.below(root);
    if (reports.isEmpty()) {
      throw new IOException("no reports of tests below " + root + "; run the tests there first");
    }
    return reports.complaints(book, TestSources.below(root));
  }

  private void printAll(PrintWriter out, Book book) {
    if (json) {
      out.println(
          Json.of(
              Json.object(
                  "systems",
                  book.pages().stream().map(ConformanceCommand::counts).toList(),
                  "all",
                  counts(book.whole()))));
      return;
    }
    Table table = new Table("page", "system", ">rules", ">as written", ">changed", ">shown");
    List<SystemPage> rows = new ArrayList<>(book.pages());
    rows.add(book.whole());
    for (SystemPage page : rows) {
      table.row(
          page.name(),
          page.title(),
          page.rules().size(),
          page.asWritten(),
          page.changed(),
          page.shown());
    }
    table.lines().forEach(out::println);
  }

  private static Map<String, @Nullable Object> counts(SystemPage page) {
    return Json.object(
        "page", page.name(),
        "system", page.title(),
        "document", page.document(),
        "rules", page.rules().size(),
        "asWritten", page.asWritten(),
        "changed", page.changed(),
        "shown", page.shown());
  }

  private void print(PrintWriter out, SystemPage page) {
    if (json) {
      Map<String, @Nullable Object> values = counts(page);
      values.put("rows", page.rules().stream().map(ConformanceCommand::values).toList());
      out.println(Json.of(values));
      return;
    }
    out.println(page.title());
    out.println(page.document());
    for (Rule rule : page.rules()) {
      out.printf(Locale.ROOT, "%4d  %s (%s)%n", rule.number(), rule.text(), rule.section());
      out.printf("      %s%n", rule.here().text());
      out.printf("      shown by %s%n", names(rule));
    }
  }

  private static Map<String, @Nullable Object> values(Rule rule) {
    return Json.object(
        "number", rule.number(),
        "rule", rule.text(),
        "section", rule.section(),
        "here", rule.here().text(),
        "shownBy", rule.shownBy().stream().map(TestName::toString).toList());
  }

  private static String names(Rule rule) {
    return rule.shownBy().stream().map(TestName::toString).collect(Collectors.joining(", "));
  }
}
