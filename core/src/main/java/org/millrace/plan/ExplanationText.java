package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Extent;
import org.millrace.layout.Layout;

/** An {@link Explanation} as lines and tables. Holds no state. */
final class ExplanationText {

  private static final int MOST_DOMAINS = 32;

  private ExplanationText() {}

  static String of(Explanation explanation) {
    StringBuilder text = new StringBuilder();
    about(text, explanation);
    text.append('\n');
    table(text, strategies(explanation));
    if (!explanation.domains().isEmpty()) {
      text.append('\n');
      table(text, domains(explanation));
      int more = explanation.domains().size() - MOST_DOMAINS;
      if (more > 0) {
        text.append("  ... and ").append(more).append(" more\n");
      }
    }
    return text.toString();
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
        "%s by %d ranks, %d of them with bytes: %s in %d runs, %s on average"
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
        "bytes %d to %d (%s), of which about %s %% are wanted"
            .formatted(
                span.offset(), span.end(), Amounts.bytes(span.length()), Amounts.number(wanted)));
    line(
        text,
        "layout",
        "%d strands on %d nodes, stripe unit %s"
            .formatted(
                layout.strands(),
                layout.nodes().stream().distinct().count(),
                Amounts.bytes(layout.stripeUnitBytes())));
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
    rows.add(List.of("file domain", "from", "to", "blocks", "wanted"));
    for (Explanation.Domain one : explanation.domains().stream().limit(MOST_DOMAINS).toList()) {
      rows.add(
          List.of(
              "  rank " + one.rank(),
              Long.toString(one.extent().offset()),
              Long.toString(one.extent().end()),
              Long.toString(one.blocks()),
              one.wantedBytes().isPresent()
                  ? Amounts.bytes(one.wantedBytes().getAsLong())
                  : "not counted"));
    }
    return rows;
  }

  /** The first column to the left, the others to the right. */
  private static void table(StringBuilder text, List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        String room = " ".repeat(widths[i] - row.get(i).length());
        text.append(i == 0 ? row.get(i) + (columns > 1 ? room : "") : "  " + room + row.get(i));
      }
      text.append('\n');
    }
  }
}
