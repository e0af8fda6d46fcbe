package org.millrace.sim.scale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Outcomes as one page that needs nothing else, and as pictures. */
public final class ScalePage {

  private ScalePage() {}

  /** The page. */
  public static String of(long seed, List<ScaleOutcome> outcomes) {
    StringBuilder body = new StringBuilder();
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      body.append("<h2>").append(task).append("</h2>\n").append(Sheet.of(task, its));
      body.append("<pre>").append(ScaleTables.of(its)).append("</pre>\n");
    }
    body.append("<h2>where it stops</h2>\n<pre>").append(ScaleTables.stops(outcomes));
    body.append("</pre>\n");
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>millrace sim scale</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        svg { max-width: 100%%; }
        pre { overflow-x: auto; }
        </style></head><body>
        <h1>millrace sim scale</h1>
        <p>As many ranks as nodes, %d KiB for each; every rank reads or writes its part of one file
        in one collective call. What a run waits for is what was busy for half of the time or more;
        else it is latency. Seed %d.</p>
        %s</body></html>
        """
        .formatted(Sharing.RANK_BYTES >> 10, seed, body);
  }

  /** A picture for each task of more than one case, by the name of a file for it. */
  public static Map<String, String> pictures(List<ScaleOutcome> outcomes) {
    Map<String, String> pictures = new LinkedHashMap<>();
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      if (its.size() == 1) {
        continue;
      }
      String picture = Sheet.of(task, its);
      pictures.put("scale-" + task.replace(' ', '-') + ".svg", picture);
    }
    return pictures;
  }
}
