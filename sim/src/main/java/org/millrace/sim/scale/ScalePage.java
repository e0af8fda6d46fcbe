package org.millrace.sim.scale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.output.Page;

/** Outcomes as one page and as pictures. Holds no state. */
public final class ScalePage {

  private ScalePage() {}

  /** The page. */
  public static String of(long seed, List<ScaleOutcome> outcomes) {
    Page page =
        new Page("millrace sim scale")
            .paragraph(
                ("As many ranks as nodes, %s KiB for each; every rank reads or writes its part of"
                        + " one file in one collective call. What a run waits for is what was busy"
                        + " for half of the time or more; else it is latency. Seed %s.")
                    .formatted(Sharing.RANK_BYTES >> 10, seed));
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      page.heading(task).figure("", Sheet.of(task, its)).text(ScaleTables.of(its));
    }
    return page.heading("where it stops").text(ScaleTables.stops(outcomes)).html();
  }

  /** A picture for each task of more than one case, by the name of a file for it. */
  public static Map<String, String> pictures(List<ScaleOutcome> outcomes) {
    Map<String, String> pictures = new LinkedHashMap<>();
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      if (its.size() == 1) {
        continue;
      }
      String picture = Sheet.of(task, its).file();
      pictures.put("scale-" + task.replace(' ', '-') + ".svg", picture);
    }
    return pictures;
  }
}
