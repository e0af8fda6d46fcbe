package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.millrace.output.Table;

/** Outcomes as text: the paper's tables 2 and 3 beside the paper's numbers, and all others. */
public final class Tables {

  private Tables() {}

  /** Everything that the outcomes have. */
  public static String of(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    List<String> machines = machines(outcomes);
    for (String machine : machines) {
      List<Outcome> its = of(outcomes, machine);
      if (machine.equals(Hardware.TABLE_1.name())) {
        text.append(table2(its)).append('\n').append(table3(its)).append('\n');
      }
      text.append(machine).append('\n').append(Column.table(its).text()).append('\n');
    }
    if (machines.size() > 1) {
      for (FileSystem system : FileSystem.values()) {
        text.append(changes(outcomes, system)).append('\n');
      }
    }
    return text.append(Column.LEGEND).append('\n').append(check(outcomes)).toString();
  }

  static List<String> machines(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::hardware).distinct().toList();
  }

  static List<Outcome> of(List<Outcome> outcomes, String machine) {
    return outcomes.stream().filter(one -> one.hardware().equals(machine)).toList();
  }

  /** CPU available and throughput. */
  static String table2(List<Outcome> outcomes) {
    return table(
        outcomes,
        "Table 2: CPU available to a computing application, and throughput of the I/O application",
        "CPU free, %",
        "MB/s",
        Paper.Numbers::free,
        one -> 100 * one.free(),
        Paper.Numbers::megabytes,
        Outcome::megabytesPerSecond);
  }

  /** The same without and with barriers. */
  static String table3(List<Outcome> outcomes) {
    return table(
        outcomes,
        "Table 3: CPU usable by an application that does not synchronize, and by one with barriers, %",
        "no barriers",
        "barriers",
        Paper.Numbers::free,
        one -> 100 * one.free(),
        Paper.Numbers::barriers,
        one -> 100 * one.freeWithBarriers());
  }

  /** A table of the paper, with its numbers beside ours if the runs are its own. */
  private static String table(
      List<Outcome> outcomes,
      String title,
      String firstHead,
      String secondHead,
      ToDoubleFunction<Paper.Numbers> paperFirst,
      ToDoubleFunction<Outcome> first,
      ToDoubleFunction<Paper.Numbers> paperSecond,
      ToDoubleFunction<Outcome> second) {
    boolean paper = Paper.hasMade(outcomes.getFirst());
    String head =
        paper ? title : "As " + title + ", file of " + megabytes(outcomes.getFirst()) + " MB";
    List<String> headings = new ArrayList<>(List.of(""));
    for (FileSystem system : FileSystem.values()) {
      String firstHeading = system.words() + '\n' + firstHead;
      headings.addAll(
          paper
              ? List.of(
                  '>' + firstHeading + "\npaper",
                  ">\n\nhere",
                  ">\n" + secondHead + "\npaper",
                  ">\n\nhere")
              : List.of('>' + firstHeading, ">\n" + secondHead));
    }
    Table table = new Table(headings.toArray(String[]::new));
    for (AccessPattern pattern : AccessPattern.representative()) {
      List<Object> cells = new ArrayList<>(List.of(pattern.role()));
      for (FileSystem system : FileSystem.values()) {
        cells.addAll(
            find(outcomes, pattern, system)
                .map(one -> cells(one, paperFirst, first, paperSecond, second))
                .orElse(Collections.nCopies(paper ? 4 : 2, "")));
      }
      table.row(cells.toArray());
    }
    return head + '\n' + table.text();
  }

  private static String megabytes(Outcome one) {
    return String.format(Locale.ROOT, "%.1f", one.bytes() / (double) (1 << 20)).replace(".0", "");
  }

  private static List<String> cells(
      Outcome one,
      ToDoubleFunction<Paper.Numbers> paperFirst,
      ToDoubleFunction<Outcome> first,
      ToDoubleFunction<Paper.Numbers> paperSecond,
      ToDoubleFunction<Outcome> second) {
    List<String> cells = new ArrayList<>();
    Paper.of(one).ifPresent(its -> cells.add(Column.number(paperFirst.applyAsDouble(its))));
    cells.add(Column.number(first.applyAsDouble(one)));
    Paper.of(one).ifPresent(its -> cells.add(Column.number(paperSecond.applyAsDouble(its))));
    cells.add(Column.number(second.applyAsDouble(one)));
    return cells;
  }

  static Optional<Outcome> find(List<Outcome> outcomes, AccessPattern pattern, FileSystem system) {
    return outcomes.stream()
        .filter(one -> one.pattern().equals(pattern) && one.system() == system)
        .findFirst();
  }

  /** What another machine changes, for one file system: a line for each. */
  static String changes(List<Outcome> outcomes, FileSystem system) {
    List<String> headings = new ArrayList<>(List.of(""));
    for (AccessPattern pattern : AccessPattern.representative()) {
      headings.addAll(List.of('>' + pattern.role() + "\nMB/s", ">free", ">barriers"));
    }
    Table table = new Table(headings.toArray(String[]::new));
    for (String machine : machines(outcomes)) {
      List<Object> cells = new ArrayList<>(List.of(machine));
      List<Outcome> its = of(outcomes, machine);
      for (AccessPattern pattern : AccessPattern.representative()) {
        cells.addAll(
            find(its, pattern, system).map(Tables::three).orElse(Collections.nCopies(3, "")));
      }
      table.row(cells.toArray());
    }
    return "What the machine changes, by %s: MB/s, CPU free and free with barriers in %%\n%s"
        .formatted(system.words(), table.text());
  }

  private static List<String> three(Outcome one) {
    return List.of(
        Column.number(one.megabytesPerSecond()),
        Column.number(100 * one.free()),
        Column.number(100 * one.freeWithBarriers()));
  }

  /** How far the applications that ran are from what the traces say. */
  static String check(List<Outcome> outcomes) {
    double free = 0;
    double barriers = 0;
    for (Outcome one : outcomes) {
      free = Math.max(free, Math.abs(one.free() - one.computed()));
      barriers = Math.max(barriers, Math.abs(one.freeWithBarriers() - one.computedWithBarriers()));
    }
    return String.format(
        Locale.ROOT,
        "Two applications that ran on the nodes meanwhile, one of them with barriers, had what the"
            + " traces say, within %.2f and %.2f points of a hundred.%n",
        100 * free,
        100 * barriers);
  }
}
