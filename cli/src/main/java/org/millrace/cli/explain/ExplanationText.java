package org.millrace.cli.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Extent;
import org.millrace.access.Section;
import org.millrace.layout.Layout;
import org.millrace.output.Table;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Estimate;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Explanation;
import org.millrace.plan.collective.Request;

/** An {@link Explanation} as lines and tables. Holds no state. */
final class ExplanationText {

  private static final int MAX_DOMAINS = 32;
  private static final int MAX_ROWS = 48;

  private ExplanationText() {}

  static String of(Explanation explanation) {
    StringBuilder text = new StringBuilder();
    about(text, explanation);
    text.append('\n');
    table(text, strategies(explanation));
    explanation.descriptor().ifPresent(fad -> sections(text, fad));
    if (!explanation.domains().isEmpty()) {
      text.append('\n');
      table(text, domains(explanation));
      more(text, explanation.domains().size());
      if (explanation.descriptor().isPresent()) {
        tables(text, explanation);
      }
      explanation.counted().ifPresent(all -> counted(text, explanation, all));
    }
    return text.toString();
  }

  private static void more(StringBuilder text, int all) {
    if (all > MAX_DOMAINS) {
      text.append("  ... and ").append(all - MAX_DOMAINS).append(" more\n");
    }
  }

  private static void counted(
      StringBuilder text, Explanation explanation, Explanation.Counted all) {
    text.append('\n');
    line(
        text,
        explanation.request().write() ? "writes" : "reads",
        "%s transfers of %s in all, of which %s are unwanted"
            .formatted(
                all.transfers(), Amounts.bytes(all.bytes()), Amounts.bytes(all.unwantedBytes())));
  }

  /** The file access descriptor: equal sections of neighbouring ranks on one line. */
  private static void sections(StringBuilder text, AccessDescriptor descriptor) {
    text.append('\n');
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("file access descriptor", "section"));
    addRows(rows, "  ", descriptor.sections(), descriptor.isExact() ? "" : " in part");
    table(text, rows.subList(0, Math.min(rows.size(), MAX_DOMAINS + 1)));
    more(text, rows.size() - 1);
  }

  private static void addRows(
      List<List<String>> rows, String before, List<Section> sections, String behind) {
    for (int from = 0; from < sections.size(); ) {
      int to = from + 1;
      while (to < sections.size() && sections.get(to).equals(sections.get(from))) {
        to++;
      }
      String ranks = to == from + 1 ? "rank " + from : "ranks %s to %s".formatted(from, to - 1);
      Section section = sections.get(from);
      rows.add(List.of(before + ranks, section.isEmpty() ? "nothing" : section + behind));
      from = to;
    }
  }

  private static void about(StringBuilder text, Explanation explanation) {
    Request request = explanation.request();
    Extent span = request.span();
    Layout layout = request.layout();
    long wanting = request.accesses().stream().filter(one -> !one.isEmpty()).count();
    long runs = explanation.runs();
    double wanted = 100.0 * explanation.distinctBytes() / Math.max(1, span.length());
    line(
        text,
        "request",
        "%s by %s ranks, %s of them with bytes: %s in %s runs, %s on average"
            .formatted(
                request.write() ? "write" : "read",
                request.ranks(),
                wanting,
                Amounts.bytes(request.size()),
                runs,
                Amounts.bytes(runs == 0 ? 0 : request.size() / runs)));
    line(
        text,
        "file",
        "bytes %s to %s (%s), of which about %s %% are wanted"
            .formatted(
                span.offset(), span.end(), Amounts.bytes(span.length()), Amounts.number(wanted)));
    line(
        text,
        "layout",
        "%s strands on %s nodes, stripe unit %s, blocks of %s"
            .formatted(
                layout.strands(),
                layout.nodes().stream().distinct().count(),
                Amounts.bytes(layout.stripeUnitBytes()),
                Amounts.bytes(layout.blockBytes())));
    if (request.write()) {
      line(
          text,
          "overlaps",
          explanation.planned().overlapping()
              ? "ranks may write the same bytes: as if one after the other, by rank"
              : "no two ranks write the same byte");
    }
    Strategy taken = explanation.planned().plan().strategy();
    line(text, "taken", taken.word() + ": " + explanation.why());
  }

  private static void line(StringBuilder text, String what, String said) {
    text.append(what).append(" ".repeat(10 - what.length())).append(said).append('\n');
  }

  private static List<List<String>> strategies(Explanation explanation) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("strategy", "time", "transfers", "of", "unwanted", "messages", "buffers"));
    Strategy taken = explanation.planned().plan().strategy();
    for (Estimate one : explanation.planned().all()) {
      rows.add(
          List.of(
              (one.strategy() == taken ? "* " : "  ") + one.strategy().word(),
              Amounts.time(one.nanos()),
              Long.toString(one.transfers()),
              Amounts.bytes(one.transferBytes()),
              Amounts.bytes(one.unwantedBytes()),
              Long.toString(one.messages()),
              Amounts.bytes(one.bufferBytes())));
    }
    return rows;
  }

  private static List<List<String>> domains(Explanation explanation) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("file domain", "from", "to", "blocks", "wanted", "transfers", "transferred"));
    for (Explanation.Domain one : explanation.domains().stream().limit(MAX_DOMAINS).toList()) {
      Optional<Explanation.Counted> counted = one.counted();
      rows.add(
          List.of(
              "  rank " + one.rank(),
              Long.toString(one.extent().offset()),
              Long.toString(one.extent().end()),
              Long.toString(one.blocks()),
              counted.map(it -> Amounts.bytes(it.wantedBytes())).orElse("not counted"),
              counted.map(it -> Long.toString(it.transfers())).orElse("not counted"),
              counted.map(it -> Amounts.bytes(it.bytes())).orElse("not counted")));
    }
    return rows;
  }

  /** The file domain access tables: what each rank wants of each domain, and what covers it. */
  private static void tables(StringBuilder text, Explanation explanation) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("file domain access table", "section"));
    for (Explanation.Domain domain : explanation.domains()) {
      for (DomainTable table : domain.tables()) {
        if (!table.covering().isEmpty()) {
          rows.add(List.of("  domain of rank " + domain.rank(), table.domain().toString()));
          addRows(rows, "    ", table.rows(), "");
          rows.add(List.of("    covering section", table.covering().toString()));
        }
      }
    }
    text.append('\n');
    table(text, rows.subList(0, Math.min(rows.size(), MAX_ROWS + 1)));
    if (rows.size() - 1 > MAX_ROWS) {
      text.append("  ... and ").append(rows.size() - 1 - MAX_ROWS).append(" more lines\n");
    }
  }

  /** The first column to the left, the others to the right. */
  private static void table(StringBuilder text, List<List<String>> rows) {
    String[] headings = rows.getFirst().toArray(String[]::new);
    for (int i = 1; i < headings.length; i++) {
      headings[i] = '>' + headings[i];
    }
    Table table = new Table(headings);
    rows.subList(1, rows.size()).forEach(row -> table.row(row.toArray()));
    text.append(table.text());
  }
}
