package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.millrace.output.Table;

/**
 * One column of the tables of all outcomes, in text and on the page. Immutable.
 *
 * @param name for its head; {@code %} stands in it where it is meant
 * @param cell of an outcome
 */
record Column(String name, Function<Outcome, String> cell) {

  /** All of them, in order; the first two are words. */
  static final List<Column> ALL =
      List.of(
          new Column("pattern", one -> one.pattern().name()),
          new Column("file system", one -> one.system().words()),
          number("MB/s", Outcome::megabytesPerSecond),
          percent("CPU free, %", Outcome::free),
          percent("barriers, %", Outcome::freeWithBarriers),
          count("interrupted", Outcome::interruptions),
          count("messages", Outcome::messages),
          count("reads", Outcome::reads),
          count("writes", Outcome::writes),
          number("us/block", Outcome::nodeMicrosPerBlock),
          percent("nodes busy, %", one -> one.shares().nodes()),
          percent("ranks, %", one -> one.shares().ranks()),
          percent("disks, %", one -> one.shares().disks()),
          percent("buses, %", one -> one.shares().buses()),
          percent("busiest link, %", one -> one.shares().link()),
          percent("quiet, %", one -> one.shares().quiet()),
          percent("at end, %", one -> one.shares().quietAtEnd()));

  /** A table of outcomes with all columns. */
  static Table table(List<Outcome> outcomes) {
    String[] headings = new String[ALL.size()];
    for (int i = 0; i < headings.length; i++) {
      headings[i] = (i < 2 ? "" : ">") + ALL.get(i).name;
    }
    Table table = new Table(headings);
    outcomes.forEach(one -> table.row(ALL.stream().map(it -> it.cell.apply(one)).toArray()));
    return table;
  }

  /** What the columns are, for people. */
  static final String LEGEND =
      "us/block: a node's processor for a block; quiet: no node's processor has anything to"
          + " do, at end: in the last tenth of the time";

  private static Column number(String name, ToDoubleFunction<Outcome> value) {
    return new Column(name, one -> number(value.applyAsDouble(one)));
  }

  /** A number as columns have it. */
  static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static Column percent(String name, ToDoubleFunction<Outcome> share) {
    return number(name, one -> 100 * share.applyAsDouble(one));
  }

  private static Column count(String name, ToLongFunction<Outcome> value) {
    return new Column(name, one -> Long.toString(value.applyAsLong(one)));
  }
}
