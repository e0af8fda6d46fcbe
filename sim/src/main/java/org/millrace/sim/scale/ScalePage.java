package org.millrace.sim.scale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Outcomes as one page that needs nothing else, and as pictures. */
public final class ScalePage {

  private ScalePage() {}

  /** The page. */
  public static String of(long seed, List<ScaleOutcome> outcomes, List<Case> leftOut) {
    StringBuilder body = new StringBuilder();
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      body.append("<h2>").append(task).append("</h2>\n<div>\n");
      curves(task, its).values().forEach(body::append);
      body.append("</div>\n<pre>").append(ScaleTables.of(its)).append("</pre>\n");
    }
    body.append("<pre>").append(ScaleTables.leftOut(leftOut)).append("</pre>\n");
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>millrace sim scale</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; }
        div { display: flex; flex-wrap: wrap; gap: 1em; }
        </style></head><body>
        <h1>millrace sim scale</h1>
        <p>As many ranks as nodes, %d KiB for each; every rank reads or writes its part of one file
        in one collective call. What a run waits for is what was busy for half of the time or more; else it
        is latency. Seed %d.</p>
        %s</body></html>
        """
        .formatted(Sharing.RANK_BYTES >> 10, seed, body);
  }

  /** The curves of all tasks, by the names of files for them. */
  public static Map<String, String> pictures(List<ScaleOutcome> outcomes) {
    Map<String, String> pictures = new LinkedHashMap<>();
    for (String task : ScaleStudy.tasks(outcomes)) {
      curves(task, ScaleStudy.of(task, outcomes))
          .forEach(
              (name, svg) ->
                  pictures.put("scale-" + task.replace(' ', '-') + "-" + name + ".svg", svg));
    }
    return pictures;
  }

  private static Map<String, String> curves(String task, List<ScaleOutcome> its) {
    Map<String, String> curves = new LinkedHashMap<>();
    curves.put(
        "bandwidth",
        Curves.of(task + ": GB/s of all nodes", its, ScaleOutcome::gigabytesPerSecond));
    curves.put(
        "free",
        Curves.ofShare(task + ": nodes' CPU left, %", its, one -> Math.max(0, 100 * one.free())));
    curves.put(
        "messages",
        Curves.of(
            task + ": messages for each node",
            its,
            one -> (double) one.messages() / one.what().nodes()));
    curves.put(
        "memory",
        Curves.of(
            task + ": memory of a node and a rank, KiB",
            its,
            one -> (one.nodeBytes() + one.rankBytes()) / 1024.0));
    return curves;
  }
}
