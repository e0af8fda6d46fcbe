package org.millrace.cli.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Section;
import org.millrace.heritage.mpiio.RomioHints;
import org.millrace.layout.Layout;
import org.millrace.output.Json;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Estimate;
import org.millrace.plan.collective.Explanation;
import org.millrace.plan.collective.Request;

/** An {@link Explanation} as JSON. Holds no state. */
final class ExplanationJson {

  private ExplanationJson() {}

  static String of(Explanation explanation) {
    return Json.of(
            Json.object(
                "request", request(explanation),
                "layout", layout(explanation.request().layout()),
                "hints", RomioHints.toMap(explanation.hints()),
                "taken", explanation.planned().plan().strategy().word(),
                "why", explanation.why(),
                "strategies",
                    explanation.planned().all().stream().map(ExplanationJson::strategy).toList(),
                "descriptor",
                    explanation
                        .descriptor()
                        .map(AccessDescriptor::sections)
                        .map(ExplanationJson::sections),
                "domains", explanation.domains().stream().map(ExplanationJson::domain).toList()))
        + "\n";
  }

  private static Object request(Explanation explanation) {
    Request request = explanation.request();
    return Json.object(
        "write", request.write(),
        "ranks", request.ranks(),
        "bytes", request.size(),
        "runs", explanation.runs(),
        "distinctBytes", explanation.distinctBytes(),
        "from", request.span().offset(),
        "to", request.span().end(),
        "overlapping", explanation.planned().overlapping());
  }

  private static Object layout(Layout layout) {
    return Json.object(
        "stripeUnitBytes", layout.stripeUnitBytes(),
        "blockBytes", layout.blockBytes(),
        "nodes", layout.nodes());
  }

  private static Object strategy(Estimate one) {
    return Json.object(
        "strategy", one.strategy().word(),
        "nanos", Json.rounded(one.nanos(), 0),
        "transfers", one.transfers(),
        "transferBytes", one.transferBytes(),
        "unwantedBytes", one.unwantedBytes(),
        "messages", one.messages(),
        "bufferBytes", one.bufferBytes());
  }

  private static Object domain(Explanation.Domain one) {
    return Json.object(
        "rank", one.rank(),
        "from", one.extent().offset(),
        "to", one.extent().end(),
        "blocks", one.blocks(),
        "wantedBytes", counted(one, Explanation.Counted::wantedBytes),
        "transfers", counted(one, Explanation.Counted::transfers),
        "transferredBytes", counted(one, Explanation.Counted::bytes),
        "unwantedBytes", counted(one, Explanation.Counted::unwantedBytes),
        "tables", one.tables().stream().map(ExplanationJson::table).toList());
  }

  private static Object counted(
      Explanation.Domain domain, Function<Explanation.Counted, Long> what) {
    return domain.counted().map(what);
  }

  private static Object table(DomainTable one) {
    return Json.object(
        "domain", one.domain().toString(),
        "sections", sections(one.rows()),
        "covering", one.covering().toString());
  }

  /** As people write them; null where a rank wants nothing. */
  private static List<@Nullable String> sections(List<Section> sections) {
    List<@Nullable String> all = new ArrayList<>();
    sections.forEach(one -> all.add(one.isEmpty() ? null : one.toString()));
    return all;
  }
}
