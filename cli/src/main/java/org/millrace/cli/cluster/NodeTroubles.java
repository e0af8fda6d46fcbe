package org.millrace.cli.cluster;

import java.util.ArrayList;
import java.util.List;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.cluster.ClockOffset;

/**
 * What a node's report says to be wrong with it, a line each, with what to do. What the disk did
 * stays until the node is started anew; what passes by itself is told for an hour. Stateless.
 */
final class NodeTroubles {

  private static final long RECENT_MILLIS = 3_600_000;
  private static final long FULL_PERCENT = 1;

  private NodeTroubles() {}

  static List<String> of(NodeReport report) {
    List<String> lines = new ArrayList<>();
    if (report.isHere()) {
      disk(report, lines);
      scrub(report, lines);
      full(report, lines);
      refusals(report, lines);
      clock(report, lines);
    }
    return lines;
  }

  private static void disk(NodeReport report, List<String> lines) {
    long failed = report.counter("trouble.disk");
    long corrupt = report.counter("trouble.corrupt");
    if (failed > 0) {
      lines.add(
          "node %s: its disk failed in %s; what was written meanwhile may not be durable: see run/node-%s.log, check the disk, then start the node anew"
              .formatted(report.node(), times(failed), report.node()));
    }
    if (corrupt > 0) {
      lines.add(
          "node %s: corrupt data were met in %s; nothing of them was handed out: run/node-%s.log names files and blocks; restore these files, then start the node anew"
              .formatted(report.node(), times(corrupt), report.node()));
    }
  }

  private static void scrub(NodeReport report, List<String> lines) {
    long left = report.counter("scrub.left");
    if (left > 0) {
      lines.add(
          "node %s: its last scrub found %s bad place%s that could not be repaired: millrace scrub lists them by file"
              .formatted(report.node(), left, left == 1 ? "" : "s"));
    }
  }

  private static String times(long count) {
    return count + (count == 1 ? " call" : " calls");
  }

  private static void full(NodeReport report, List<String> lines) {
    long free = report.counter("diskFree");
    long total = report.counter("diskTotal");
    boolean full = total > 0 && free < total * FULL_PERCENT / 100;
    if (full || isRecent(report, "trouble.full")) {
      lines.add(
          "node %s: its disk is full or was within the last hour, %s of %s are free: remove files, or make room on the disk"
              .formatted(report.node(), Shown.bytes(free), Shown.bytes(total)));
    }
  }

  private static void refusals(NodeReport report, List<String> lines) {
    if (isRecent(report, "trouble.refused")) {
      lines.add(
          "node %s: it refused %s, the last one %s ago: run/node-%s.audit.log says whose and why"
              .formatted(
                  report.node(),
                  times(report.counter("trouble.refused")),
                  ago(report, "trouble.refused"),
                  report.node()));
    }
    if (isRecent(report, "trouble.expired")) {
      lines.add(
          "node %s: the capabilities of %s had expired, the last one %s ago: a program was suspended, or cannot reach the coordinator to renew them"
              .formatted(
                  report.node(),
                  times(report.counter("trouble.expired")),
                  ago(report, "trouble.expired")));
    }
  }

  private static boolean isRecent(NodeReport report, String counter) {
    return report.counter(counter) > 0 && report.counter(counter + ".agoMillis") < RECENT_MILLIS;
  }

  private static String ago(NodeReport report, String counter) {
    return Shown.nanos(report.counter(counter + ".agoMillis") * 1_000_000);
  }

  private static void clock(NodeReport report, List<String> lines) {
    long ahead = report.counter("clockAheadMillis");
    if (Math.abs(ahead) >= ClockOffset.WORTH_MILLIS) {
      lines.add(
          "node %s: this node's clock is %s the coordinator's: set it, for example by NTP"
              .formatted(report.node(), ClockOffset.words(ahead)));
    }
  }
}
