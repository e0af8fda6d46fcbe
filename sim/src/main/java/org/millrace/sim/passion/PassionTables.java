package org.millrace.sim.passion;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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
    StringBuilder text = new StringBuilder();
    for (Workload workload : workloads(outcomes)) {
      if (workload instanceof Workload.Common) {
        if (text.isEmpty()) {
          text.append(
              """
              Table 1: seconds to read a common section, %d x %d array, %d processors
                                                direct       extended two-phase   direct / extended  two-phase  extended,
                                            paper      here     paper      here     paper      here              buffered
              """
                  .formatted(workload.extent(), workload.extent(), workload.ranks()));
        }
        text.append(row(outcomes, workload));
      }
    }
    return text.toString();
  }

  private static String row(List<Outcome> outcomes, Workload workload) {
    double direct = seconds(outcomes, workload, Method.DIRECT);
    double extended = seconds(outcomes, workload, Method.EXTENDED);
    double paperDirect = workload.paper(Method.DIRECT);
    double paperExtended = workload.paper(Method.EXTENDED);
    return String.format(
        Locale.ROOT,
        "%-30s%9.3f%10.3f%10.3f%10.3f%10.1f%10.1f%11.3f%11.3f%n",
        workload.name(),
        paperDirect,
        direct,
        paperExtended,
        extended,
        paperDirect / paperExtended,
        direct / extended,
        seconds(outcomes, workload, Method.TWO_PHASE),
        seconds(outcomes, workload, Method.BUFFERED));
  }

  /** Seconds for whole arrays. */
  static String figure2(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    for (Workload workload : workloads(outcomes)) {
      if (workload instanceof Workload.Distributed) {
        if (text.isEmpty()) {
          text.append(
              """
              Figure 2: seconds to read a whole array by distribution, %d x %d array, %d processors (%s: from a part of the columns)
                                                   direct   two-phase    extended    extended,
                                                                        two-phase    buffered
              """
                  .formatted(workload.extent(), workload.extent(), workload.ranks(), MARK));
        }
        text.append("%-32s".formatted(workload.name()));
        for (Method method : Method.values()) {
          text.append(
              find(outcomes, workload, method)
                  .map(one -> "%12s".formatted(mark(one) + number(one.seconds())))
                  .orElse(" ".repeat(12)));
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  /** Table 1 under each cause: seconds, and how often the disks were read. */
  public static String causes(Map<Cause, List<Outcome>> causes) {
    StringBuilder text = new StringBuilder();
    for (Method method : List.of(Method.DIRECT, Method.EXTENDED)) {
      text.append("Table 1, %s: seconds and disk reads%n".formatted(method.words()));
      text.append("%-30s%9s".formatted("", "paper"));
      causes.keySet().forEach(cause -> text.append("%19s".formatted(cause.name())));
      text.append('\n');
      for (Workload workload : workloads(causes.values().stream().flatMap(List::stream).toList())) {
        text.append(
            String.format(Locale.ROOT, "%-30s%9.3f", workload.name(), workload.paper(method)));
        for (List<Outcome> outcomes : causes.values()) {
          find(outcomes, workload, method)
              .ifPresent(
                  one ->
                      text.append(
                          String.format(Locale.ROOT, "%10.3f%9d", one.seconds(), one.reads())));
        }
        text.append('\n');
      }
      text.append('\n');
    }
    causes.keySet().forEach(cause -> text.append("%s: %s%n".formatted(cause.name(), cause.from())));
    return text.toString();
  }

  private static String all(List<Outcome> outcomes) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                "%-30s%-20s%12s%12s%12s%12s%12s%12s%n",
                "what was moved",
                "method",
                "seconds",
                "KB wanted",
                "KB of disks",
                "disk reads",
                "messages",
                "disk busy,%"));
    for (Outcome one : outcomes) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-30s%-20s%12s%12d%12d%12d%12d%12.1f%n",
              one.workload().name(),
              one.method().words(),
              mark(one) + number(one.seconds()),
              one.wantedBytes() >> 10,
              one.diskBytes() >> 10,
              one.reads(),
              one.messages(),
              100 * one.diskShare()));
    }
    return text.toString();
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
