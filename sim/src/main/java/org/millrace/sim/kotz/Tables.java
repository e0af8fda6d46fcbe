package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Outcomes as text: the paper's tables 2 and 3 beside the paper's numbers, and all others. */
public final class Tables {

  private static final int MACHINE = 56;

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
      text.append(all(machine, its)).append('\n');
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
    StringBuilder text = new StringBuilder();
    text.append(paper ? "" : "As ").append(title);
    text.append(paper ? "" : ", file of " + megabytes(outcomes.getFirst()) + " MB").append('\n');
    text.append(" ".repeat(10));
    for (FileSystem system : FileSystem.values()) {
      text.append(("%-" + (paper ? 34 : 26) + "s").formatted("  " + system.words()));
    }
    text.append('\n').append(" ".repeat(10));
    String head = paper ? "%16s%16s  " : "%12s%12s  ";
    text.append(head.formatted(firstHead, secondHead).repeat(2)).append('\n');
    if (paper) {
      text.append(" ".repeat(10));
      text.append(("%8s%8s".formatted("paper", "here").repeat(2) + "  ").repeat(2)).append('\n');
    }
    for (AccessPattern pattern : AccessPattern.representative()) {
      text.append("%-10s".formatted(pattern.role()));
      for (FileSystem system : FileSystem.values()) {
        int width = paper ? 8 : 12;
        text.append(
            find(outcomes, pattern, system)
                .map(
                    one ->
                        cell(one, paperFirst, first, width)
                            + cell(one, paperSecond, second, width)
                            + "  ")
                .orElse(" ".repeat(paper ? 34 : 26)));
      }
      text.append('\n');
    }
    return text.toString().replaceAll(" +\n", "\n");
  }

  private static String megabytes(Outcome one) {
    return String.format(Locale.ROOT, "%.1f", one.bytes() / (double) (1 << 20)).replace(".0", "");
  }

  private static String cell(
      Outcome one,
      ToDoubleFunction<Paper.Numbers> paper,
      ToDoubleFunction<Outcome> here,
      int width) {
    String format = "%" + width + ".1f";
    return Paper.of(one)
            .map(its -> String.format(Locale.ROOT, format, paper.applyAsDouble(its)))
            .orElse("")
        + String.format(Locale.ROOT, format, here.applyAsDouble(one));
  }

  static Optional<Outcome> find(List<Outcome> outcomes, AccessPattern pattern, FileSystem system) {
    return outcomes.stream()
        .filter(one -> one.pattern().equals(pattern) && one.system() == system)
        .findFirst();
  }

  /** What another machine changes, for one file system: a line for each. */
  static String changes(List<Outcome> outcomes, FileSystem system) {
    StringBuilder text =
        new StringBuilder("What the machine changes, by ")
            .append(system.words())
            .append(": MB/s, CPU free and free with barriers in %\n")
            .append(" ".repeat(MACHINE));
    for (AccessPattern pattern : AccessPattern.representative()) {
      text.append("%27s".formatted(pattern.role()));
    }
    for (String machine : machines(outcomes)) {
      text.append('\n').append(("%-" + MACHINE + "s").formatted(machine));
      List<Outcome> its = of(outcomes, machine);
      for (AccessPattern pattern : AccessPattern.representative()) {
        text.append(find(its, pattern, system).map(Tables::three).orElse(" ".repeat(27)));
      }
    }
    return text.append('\n').toString();
  }

  private static String three(Outcome one) {
    return String.format(
        Locale.ROOT,
        "%11.1f%8.1f%8.1f",
        one.megabytesPerSecond(),
        100 * one.free(),
        100 * one.freeWithBarriers());
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

  private static String all(String machine, List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder(machine).append('\n');
    text.append(line(Column::name)).append('\n');
    outcomes.forEach(one -> text.append(line(column -> column.cell().apply(one))).append('\n'));
    return text.toString();
  }

  private static String line(Function<Column, String> cell) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < Column.ALL.size(); i++) {
      Column column = Column.ALL.get(i);
      String format = i < 2 ? "%-" + (i == 0 ? 9 : 20) + "s" : "%" + width(column) + "s";
      line.append(format.formatted(cell.apply(column)));
    }
    return line.toString();
  }

  private static int width(Column column) {
    return Math.max(9, column.name().length() + 2);
  }
}
