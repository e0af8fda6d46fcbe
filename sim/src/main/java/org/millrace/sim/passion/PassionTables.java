package org.millrace.sim.passion;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.millrace.output.Table;

/** Outcomes as text: table 1 beside the paper's seconds, figure 2, and what was moved. */
public final class PassionTables {

  private static final String MARK = "~";

  private PassionTables() {}

  /** Everything that the outcomes have. */
  public static String of(List<Outcome> outcomes) {
    return table1(outcomes) + '\n' + figure2(outcomes) + '\n' + all(outcomes);
  }

  /** Seconds for common sections. */
  static String table1(List<Outcome> outcomes) {
    Table table =
        new Table(
            "",
            ">direct\npaper",
            ">here",
            ">extended two-phase\npaper",
            ">here",
            ">direct / extended\npaper",
            ">here",
            ">two-phase",
            ">extended,\nbuffered");
    List<Workload> common =
        workloads(outcomes).stream().filter(one -> one instanceof Workload.Common).toList();
    if (common.isEmpty()) {
      return "";
    }
    common.forEach(workload -> addRow(table, outcomes, workload));
    return title("Table 1: seconds to read a common section", common.getFirst(), "", table);
  }

  private static String title(String what, Workload first, String more, Table table) {
    return "%s, %s x %s array, %s processors%s%n%s"
        .formatted(what, first.extent(), first.extent(), first.ranks(), more, table.text());
  }

  private static void addRow(Table table, List<Outcome> outcomes, Workload workload) {
    double direct = seconds(outcomes, workload, Method.DIRECT);
    double extended = seconds(outcomes, workload, Method.EXTENDED);
    double paperDirect = workload.paper(Method.DIRECT);
    double paperExtended = workload.paper(Method.EXTENDED);
    table.row(
        workload.name(),
        number(paperDirect, 3),
        number(direct, 3),
        number(paperExtended, 3),
        number(extended, 3),
        number(paperDirect / paperExtended, 1),
        number(direct / extended, 1),
        number(seconds(outcomes, workload, Method.TWO_PHASE), 3),
        number(seconds(outcomes, workload, Method.BUFFERED), 3));
  }

  /** Seconds for whole arrays. */
  static String figure2(List<Outcome> outcomes) {
    Table table =
        new Table("", ">direct", ">two-phase", ">extended\ntwo-phase", ">extended,\nbuffered");
    List<Workload> distributed =
        workloads(outcomes).stream().filter(one -> one instanceof Workload.Distributed).toList();
    if (distributed.isEmpty()) {
      return "";
    }
    for (Workload workload : distributed) {
      List<Object> cells = new ArrayList<>(List.of(workload.name()));
      for (Method method : Method.values()) {
        cells.add(
            find(outcomes, workload, method)
                .map(one -> mark(one) + number(one.seconds()))
                .orElse(""));
      }
      table.row(cells.toArray());
    }
    return title(
        "Figure 2: seconds to read a whole array by distribution",
        distributed.getFirst(),
        " (" + MARK + ": from a part of the columns)",
        table);
  }

  /** Table 1 under each cause: seconds, and how often the disks were read. */
  public static String causes(Map<Cause, List<Outcome>> causes) {
    StringBuilder text = new StringBuilder();
    for (Method method : List.of(Method.DIRECT, Method.EXTENDED)) {
      text.append("Table 1, %s: seconds and disk reads%n".formatted(method.words()));
      List<String> headings = new ArrayList<>(List.of("", ">paper"));
      causes.keySet().forEach(cause -> headings.addAll(List.of('>' + cause.name(), ">reads")));
      Table table = new Table(headings.toArray(String[]::new));
      for (Workload workload : workloads(causes.values().stream().flatMap(List::stream).toList())) {
        List<Object> cells =
            new ArrayList<>(List.of(workload.name(), number(workload.paper(method), 3)));
        for (List<Outcome> outcomes : causes.values()) {
          cells.addAll(
              find(outcomes, workload, method)
                  .map(one -> List.<Object>of(number(one.seconds(), 3), one.reads()))
                  .orElse(List.of("", "")));
        }
        table.row(cells.toArray());
      }
      text.append(table.text()).append('\n');
    }
    causes.keySet().forEach(cause -> text.append("%s: %s%n".formatted(cause.name(), cause.from())));
    return text.toString();
  }

  private static String all(List<Outcome> outcomes) {
    Table table =
        new Table(
            "what was moved",
            "method",
            ">seconds",
            ">KB wanted",
            ">KB of disks",
            ">disk reads",
            ">messages",
            ">disk busy, %");
    for (Outcome one : outcomes) {
      table.row(
          one.workload().name(),
          one.method().words(),
          mark(one) + number(one.seconds()),
          one.wantedBytes() >> 10,
          one.diskBytes() >> 10,
          one.reads(),
          one.messages(),
          number(100 * one.diskShare(), 1));
    }
    return table.text();
  }

  private static String number(double number, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }

  static String mark(Outcome one) {
    return one.isExtended() ? MARK : "";
  }

  static String number(double seconds) {
    return String.format(Locale.ROOT, seconds < 100 ? "%.3f" : "%,.0f", seconds);
  }

  static List<Workload> workloads(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::workload).distinct().toList();
  }

  static Optional<Outcome> find(List<Outcome> outcomes, Workload workload, Method method) {
    return outcomes.stream()
        .filter(one -> one.workload().equals(workload) && one.method() == method)
        .findFirst();
  }

  private static double seconds(List<Outcome> outcomes, Workload workload, Method method) {
    return find(outcomes, workload, method).map(Outcome::seconds).orElse(Double.NaN);
  }
}
