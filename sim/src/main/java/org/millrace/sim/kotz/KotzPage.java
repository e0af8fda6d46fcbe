package org.millrace.sim.kotz;

import java.util.List;
import org.millrace.output.Page;

/** Outcomes as one page: the paper's two figures and tables. Holds no state. */
public final class KotzPage {

  private KotzPage() {}

  /** The page. */
  public static String of(long seed, List<Outcome> outcomes) {
    Page page =
        new Page("millrace sim kotz")
            .paragraph(
                ("16 processes do nothing but I/O on a file of %s MB over 16 nodes: how fast it"
                        + " goes, and how much of the nodes' processors is left to compute. Seed"
                        + " %s. In the tables %s.")
                    .formatted(outcomes.getFirst().bytes() >> 20, seed, Column.LEGEND));
    for (String machine : Tables.machines(outcomes)) {
      List<Outcome> its = Tables.of(outcomes, machine);
      page.heading(machine);
      if (machine.equals(Hardware.TABLE_1.name())) {
        page.text(Tables.table2(its)).text(Tables.table3(its));
      }
      page.figure("", Scatter.figure2(its)).figure("", Scatter.figure3(its));
      page.table(Column.table(its));
    }
    if (Tables.machines(outcomes).size() > 1) {
      page.heading("What the machine changes");
      for (FileSystem system : FileSystem.values()) {
        page.text(Tables.changes(outcomes, system));
      }
    }
    return page.paragraph(Tables.check(outcomes)).html();
  }
}
