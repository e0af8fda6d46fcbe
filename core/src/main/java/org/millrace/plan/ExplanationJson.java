package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.millrace.access.Section;
import org.millrace.layout.Layout;

/** An {@link Explanation} as JSON. Holds no state. */
final class ExplanationJson {

  private ExplanationJson() {}

  static String of(Explanation explanation) {
    return object(
            "",
            field("request", request(explanation)),
            field("layout", layout(explanation.request().layout())),
            field("hints", hints(explanation.hints())),
            field("taken", quoted(explanation.planned().plan().strategy().word())),
            field("why", quoted(explanation.why())),
            field("strategies", list(strategies(explanation))),
            field(
                "descriptor",
                explanation.descriptor().map(it -> sections(it.sections())).orElse("null")),
            field("domains", list(domains(explanation))))
        + "\n";
  }

  private static String request(Explanation explanation) {
    Request request = explanation.request();
    return object(
        "  ",
        field("write", Boolean.toString(request.write())),
        field("ranks", Integer.toString(request.ranks())),
        field("bytes", Long.toString(request.size())),
        field("runs", Long.toString(explanation.runs())),
        field("distinctBytes", Long.toString(explanation.distinctBytes())),
        field("from", Long.toString(request.span().offset())),
        field("to", Long.toString(request.span().end())),
        field("overlapping", Boolean.toString(explanation.planned().overlapping())));
  }

  private static String layout(Layout layout) {
    return object(
        "  ",
        field("stripeUnitBytes", Long.toString(layout.stripeUnitBytes())),
        field("blockBytes", Integer.toString(layout.blockBytes())),
        field("nodes", layout.nodes().toString()));
  }

  private static String hints(Hints hints) {
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, String> one : hints.toMap().entrySet()) {
      fields.add(field(one.getKey(), quoted(one.getValue())));
    }
    return object("  ", fields.toArray(String[]::new));
  }

  private static List<String> strategies(Explanation explanation) {
    return explanation.planned().all().stream()
        .map(
            one ->
                object(
                    "    ",
                    field("strategy", quoted(one.strategy().word())),
                    field("nanos", String.format(Locale.ROOT, "%.0f", one.nanos())),
                    field("transfers", Long.toString(one.transfers())),
                    field("transferBytes", Long.toString(one.transferBytes())),
                    field("unwantedBytes", Long.toString(one.unwantedBytes())),
                    field("messages", Long.toString(one.messages())),
                    field("bufferBytes", Long.toString(one.bufferBytes()))))
        .toList();
  }

  private static List<String> domains(Explanation explanation) {
    return explanation.domains().stream()
        .map(
            one ->
                object(
                    "    ",
                    field("rank", Integer.toString(one.rank())),
                    field("from", Long.toString(one.extent().offset())),
                    field("to", Long.toString(one.extent().end())),
                    field("blocks", Long.toString(one.blocks())),
                    field("wantedBytes", counted(one, Explanation.Counted::wantedBytes)),
                    field("transfers", counted(one, Explanation.Counted::transfers)),
                    field("transferredBytes", counted(one, Explanation.Counted::bytes)),
                    field("unwantedBytes", counted(one, Explanation.Counted::unwantedBytes)),
                    field("tables", tables(one))))
        .toList();
  }

  private static String counted(
      Explanation.Domain domain, ToLongFunction<Explanation.Counted> what) {
    return domain.counted().map(it -> Long.toString(what.applyAsLong(it))).orElse("null");
  }

  private static String tables(Explanation.Domain domain) {
    return domain.tables().stream()
        .map(
            one ->
                "{%s, %s, %s}"
                    .formatted(
                        field("domain", quoted(one.domain().toString())),
                        field("sections", sections(one.rows())),
                        field("covering", quoted(one.covering().toString()))))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String sections(List<Section> sections) {
    return sections.stream()
        .map(one -> one.isEmpty() ? "null" : quoted(one.toString()))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String field(String name, String value) {
    return quoted(name) + ": " + value;
  }

  private static String object(String indent, String... fields) {
    String inner = indent + "  ";
    return "{\n" + inner + String.join(",\n" + inner, fields) + "\n" + indent + "}";
  }

  private static String list(List<String> objects) {
    return objects.isEmpty() ? "[]" : "[\n    " + String.join(",\n    ", objects) + "\n  ]";
  }

  /** Words of ours: nothing in them needs escaping but quotes and backslashes. */
  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
