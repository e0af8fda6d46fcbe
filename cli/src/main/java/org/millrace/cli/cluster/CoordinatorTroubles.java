package org.millrace.cli.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.cluster.ClockOffset;
import org.millrace.protocol.CoordinatorReply.Facts;

/**
 * What the coordinator says to be wrong with itself, a line each, with what to do. What its disk
 * did stays until it is started anew; what passes by itself is told for an hour. Stateless.
 */
final class CoordinatorTroubles {

  private static final long RECENT_MILLIS = 3_600_000;
  private static final long FULL_PERCENT = 1;
  private static final long BUSY_MILLIS = 10_000;

  private CoordinatorTroubles() {}

  static List<String> of(Facts facts, List<NodeReport> nodes) {
    List<String> lines = new ArrayList<>();
    Map<String, Long> counters = Administration.health(facts);
    journal(counters, lines);
    full(counters, lines);
    refusals(counters, lines);
    clock(counters, nodes, lines);
    return lines;
  }

  private static long counter(Map<String, Long> counters, String name) {
    return counters.getOrDefault(name, 0L);
  }

  private static void journal(Map<String, Long> counters, List<String> lines) {
    long failed = counter(counters, "trouble.disk") + counter(counters, "trouble.corrupt");
    long repaired = counter(counters, "trouble.repaired");
    long busy = counter(counters, "journalBusyMillis");
    if (failed > 0) {
      lines.add(
          ("coordinator: its disk failed %s; changes of names meanwhile were refused, and may have happened all the same:"
                  + " see run/coordinator.log, check the disk, then start the coordinator anew")
              .formatted(failed == 1 ? "once" : failed + " times"));
    }
    if (repaired > 0) {
      lines.add(
          "coordinator: a part of its journal was damaged and was repaired from its second copy: see"
              + " run/coordinator.log, check the disk, then start the coordinator anew");
    }
    if (busy >= BUSY_MILLIS) {
      lines.add(
          "coordinator: its disk has been writing the journal for %s, and all changes of names wait: check the disk"
              .formatted(Shown.nanos(busy * 1e6)));
    }
  }

  private static void full(Map<String, Long> counters, List<String> lines) {
    long free = counter(counters, "diskFree");
    long total = counter(counters, "diskTotal");
    boolean full = total > 0 && free < total * FULL_PERCENT / 100;
    if (full || isRecent(counters, "trouble.full")) {
      lines.add(
          "coordinator: its disk is full or was within the last hour, %s of %s are free: make room on the disk, or no name can be made or changed"
              .formatted(Shown.bytes(free), Shown.bytes(total)));
    }
  }

  private static void refusals(Map<String, Long> counters, List<String> lines) {
    if (isRecent(counters, "trouble.refused")) {
      lines.add(
          "coordinator: it refused %s connections, the last one %s ago: run/coordinator.audit.log says whose and why"
              .formatted(
                  counter(counters, "trouble.refused"),
                  Shown.nanos(counter(counters, "trouble.refused.agoMillis") * 1e6)));
    }
  }

  private static void clock(
      Map<String, Long> counters, List<NodeReport> nodes, List<String> lines) {
    long behind = counter(counters, "clockBehindMillis");
    if (behind >= ClockOffset.WORTH_MILLIS) {
      lines.add(
          "coordinator: its clock is %s the date of its newest file: set it, for example by NTP"
              .formatted(ClockOffset.words(-behind)));
    } else if (isRecent(counters, "trouble.clock")) {
      lines.add(
          "coordinator: its clock was set, or its host was suspended, %s ago: run/coordinator.log says by how much; capabilities may have expired"
              .formatted(Shown.nanos(counter(counters, "trouble.clock.agoMillis") * 1e6)));
    }
    long off = offByMost(nodes);
    if (off != 0) {
      lines.add(
          "coordinator: its clock is %s those of most nodes, so it is probably its own that is wrong: set it, for example by NTP"
              .formatted(ClockOffset.words(off)));
    }
  }

  /** By how much the coordinator's clock is ahead of most nodes', if these agree; else 0. */
  private static long offByMost(List<NodeReport> nodes) {
    List<Long> ahead =
        nodes.stream()
            .filter(NodeReport::isHere)
            .map(report -> report.counter("clockAheadMillis"))
            .toList();
    for (long one : ahead) {
      long agree =
          ahead.stream().filter(other -> Math.abs(other - one) < ClockOffset.WORTH_MILLIS).count();
      if (Math.abs(one) >= ClockOffset.WORTH_MILLIS && agree >= 2 && 2 * agree > ahead.size()) {
        return -one;
      }
    }
    return 0;
  }

  private static boolean isRecent(Map<String, Long> counters, String name) {
    return counter(counters, name) > 0 && counter(counters, name + ".agoMillis") < RECENT_MILLIS;
  }
}
