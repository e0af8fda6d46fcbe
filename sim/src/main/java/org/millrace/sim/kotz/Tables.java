package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Outcomes as text: the paper's tables 2 and 3 beside the paper's numbers, and all others. */
public final class Tables {

  private Tables() {}

  /** Everything that the outcomes have. */
  public static String of(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    List<String> machines = outcomes.stream().map(Outcome::hardware).distinct().toList();
    for (String machine : machines) {
      List<Outcome> its = outcomes.stream().filter(one -> one.hardware().equals(machine)).toList();
      boolean paper = machine.equals(Hardware.TABLE_1.name());
      if (paper) {
        text.append(table2(its)).append('\n').append(table3(its)).append('\n');
      }
      if (!paper || its.size() > AccessPattern.representative().size() * 2) {
        text.append(all(machine, its)).append('\n');
      }
    }
    return text.toString();
  }

  /** CPU available and throughput. */
  static String table2(List<Outcome> outcomes) {
    return """
        Table 2: CPU available to a computing application, and throughput of the I/O application
                        traditional caching                  disk-directed I/O
                     CPU free, %%        MB/s           CPU free, %%        MB/s
                     paper    here   paper    here     paper    here   paper    here
        %s"""
        .formatted(
            rows(
                outcomes,
                Paper.Numbers::free,
                one -> 100 * one.free(),
                Paper.Numbers::megabytes,
                Outcome::megabytesPerSecond));
  }

  /** The same without and with barriers. */
  static String table3(List<Outcome> outcomes) {
    return """
        Table 3: CPU usable by an application that does not synchronize, and by one with barriers, %%
                        traditional caching                  disk-directed I/O
                     no barriers       barriers         no barriers       barriers
                     paper    here   paper    here     paper    here   paper    here
        %s"""
        .formatted(
            rows(
                outcomes,
                Paper.Numbers::free,
                one -> 100 * one.free(),
                Paper.Numbers::barriers,
                one -> 100 * one.freeWithBarriers()));
  }

  private static String rows(
      List<Outcome> outcomes,
      ToDoubleFunction<Paper.Numbers> paperFirst,
      ToDoubleFunction<Outcome> first,
      ToDoubleFunction<Paper.Numbers> paperSecond,
      ToDoubleFunction<Outcome> second) {
    StringBuilder text = new StringBuilder();
    for (AccessPattern pattern : AccessPattern.representative()) {
      List<String> cells = new ArrayList<>();
      for (FileSystem system : FileSystem.values()) {
        Optional<Outcome> here = find(outcomes, pattern, system);
        Optional<Paper.Numbers> paper = Paper.of(pattern, system);
        if (here.isPresent() && paper.isPresent()) {
          cells.add(
              String.format(
                  Locale.ROOT,
                  "%8.1f%8.1f%8.1f%8.1f",
                  paperFirst.applyAsDouble(paper.get()),
                  first.applyAsDouble(here.get()),
                  paperSecond.applyAsDouble(paper.get()),
                  second.applyAsDouble(here.get())));
        }
      }
      text.append("%-10s%s\n".formatted(pattern.role(), String.join("  ", cells)));
    }
    return text.toString();
  }

  static Optional<Outcome> find(List<Outcome> outcomes, AccessPattern pattern, FileSystem system) {
    return outcomes.stream()
        .filter(one -> one.pattern().equals(pattern) && one.system() == system)
        .findFirst();
  }

  private static String all(String machine, List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder(machine).append('\n').append(heading()).append('\n');
    outcomes.forEach(one -> text.append(line(one)).append('\n'));
    return text.toString();
  }

  /** The names of the columns of {@link #line}. */
  public static String heading() {
    return "pattern   file system             MB/s   CPU free, %   barriers, %   interruptions"
        + "    messages   transfers   disks busy, %";
  }

  /** One outcome. */
  public static String line(Outcome one) {
    return String.format(
        Locale.ROOT,
        "%-9s %-19s %8.1f %13.1f %13.1f %15d %11d %11d %15.1f",
        one.pattern().name(),
        one.system().words(),
        one.megabytesPerSecond(),
        100 * one.free(),
        100 * one.freeWithBarriers(),
        one.interruptions(),
        one.messages(),
        one.transfers(),
        100 * one.diskBusy());
  }
}
