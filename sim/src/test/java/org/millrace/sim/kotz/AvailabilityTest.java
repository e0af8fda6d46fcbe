package org.millrace.sim.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.sim.machine.Busy;

/** What is left of traces that were made by hand. */
final class AvailabilityTest {

  private static final double EXACT = 1e-9;
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  private static Trace trace(long toNanos, List<Busy>... nodes) {
    return new Trace(0, toNanos, List.of(nodes));
  }

  private static double free(Trace trace) {
    return Availability.free(trace, Computing.PAPER);
  }

  private static double freeWithBarriers(Trace trace) {
    return Availability.freeWithBarriers(trace, Computing.PAPER);
  }

  private static Busy busy(long from, long to) {
    return new Busy(from, to);
  }

  @Test
  void anIdleNodeIsWhollyFree() {
    Trace idle = trace(100 * MILLI, List.of(), List.of());
    assertThat(free(idle)).isEqualTo(1);
    assertThat(freeWithBarriers(idle)).isEqualTo(1);
  }

  @Test
  void anInterruptionCostsItsLengthAndTheWayBack() {
    Trace one = trace(10 * MILLI, List.of(busy(2 * MILLI, 3 * MILLI)));
    assertThat(free(one)).isCloseTo(1 - 0.1 - 0.005, within(EXACT));
  }

  @Test
  void stretchesShorterThanTheWayBackAreOfNoUse() {
    Trace two =
        trace(
            1 * MILLI,
            List.of(
                busy(100 * MICRO, 200 * MICRO),
                busy(249 * MICRO, 300 * MICRO), // 49 microseconds in between
                busy(900 * MICRO, 960 * MICRO))); // 40 left at the end
    assertThat(free(two)).isCloseTo(0.1 + 0.55, within(EXACT));
  }

  @Test
  void aNodeThatBeginsBusyPaysTheWayBackOnce() {
    Trace one = trace(1 * MILLI, List.of(busy(0, 500 * MICRO)));
    assertThat(free(one)).isCloseTo(0.45, within(EXACT));
  }

  @Test
  void whatLiesOutsideTheTraceDoesNotCount() {
    Trace cut = new Trace(10 * MILLI, 20 * MILLI, List.of(List.of(busy(0, 11 * MILLI))));
    assertThat(cut.busyShare()).isCloseTo(0.1, within(EXACT));
    assertThat(free(cut)).isCloseTo(0.9 - 0.005, within(EXACT));
  }

  @Test
  void aTraceKnowsHowManyNodesWereBusyTogether() {
    Trace three =
        trace(
            10 * MILLI,
            List.of(busy(0, 2 * MILLI), busy(6 * MILLI, 7 * MILLI)),
            List.of(busy(1 * MILLI, 3 * MILLI)),
            List.of(busy(3 * MILLI, 4 * MILLI)));
    assertThat(three.together()).containsExactly(0.5, 0.4, 0.1, 0.0);
    assertThat(three.busyShare()).isCloseTo((0.4 + 2 * 0.1) / 3, within(EXACT));
    assertThat(three.lastTenth().together()).containsExactly(1.0, 0.0, 0.0, 0.0);
    assertThat(trace(MILLI, List.of()).together()).containsExactly(1.0, 0.0);
  }

  @Test
  void nodesAreAveragedWithoutBarriers() {
    Trace half = trace(100 * MILLI, List.of(busy(0, 100 * MILLI)), List.of());
    assertThat(free(half)).isCloseTo(0.5, within(EXACT));
  }

  @Test
  void withBarriersAllWaitForTheSlowest() {
    Trace half = trace(100 * MILLI, List.of(busy(0, 100 * MILLI)), List.of());
    assertThat(freeWithBarriers(half)).isZero();
    // each node is away for 5 ms, one after the other: both lose 10 and two ways back
    Trace inTurn =
        trace(
            100 * MILLI,
            List.of(busy(10 * MILLI, 15 * MILLI)),
            List.of(busy(50 * MILLI, 55 * MILLI)));
    assertThat(freeWithBarriers(inTurn)).isCloseTo(0.9 - 0.001, within(EXACT));
    assertThat(free(inTurn)).isCloseTo(0.95 - 0.0005, within(EXACT));
  }

  @Test
  void interruptionsWithinOneRoundOverlapForFree() {
    Trace together =
        trace(
            100 * MILLI,
            List.of(busy(10 * MILLI, 12 * MILLI)),
            List.of(busy(11 * MILLI, 13 * MILLI)));
    // the round from 10 to 15 ms ends 2 ms and a way back later on both
    assertThat(freeWithBarriers(together)).isCloseTo(0.98 - 0.0005, within(EXACT));
  }

  @Test
  void theLastRoundCountsAsFarAsAllHaveCome() {
    Trace late = trace(13 * MILLI, List.of(busy(12 * MILLI, 13 * MILLI)), List.of());
    assertThat(freeWithBarriers(late)).isCloseTo(12.0 / 13, within(EXACT));
  }

  /** Step by step through 10 microseconds at a time, as nobody would do it. */
  @Test
  void roundsAgreeWithASimulationByTicks() {
    long tick = 10 * MICRO;
    List<List<Busy>> nodes = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      List<Busy> own = new ArrayList<>();
      for (long at = 300 + 170L * n; at < 9_000; at += 310 + 70L * n) {
        own.add(busy(at * tick, (at + 20 + 30L * n) * tick));
      }
      nodes.add(own);
    }
    Trace trace = new Trace(0, 10_000 * tick, nodes);
    assertThat(freeWithBarriers(trace)).isCloseTo(byTicks(trace, tick), within(0.001));
  }

  private static double byTicks(Trace trace, long tick) {
    long[] done = new long[trace.busy().size()];
    long rounds = 0;
    for (long at = 0; at < trace.toNanos(); at += tick) {
      long limit = (rounds + 1) * Computing.PAPER.intervalNanos();
      boolean all = true;
      for (int n = 0; n < done.length; n++) {
        if (done[n] < limit && isFree(trace.busy().get(n), at)) {
          done[n] += tick;
        }
        all &= done[n] == limit;
      }
      rounds += all ? 1 : 0;
    }
    long least = Long.MAX_VALUE;
    for (long one : done) {
      least = Math.min(least, one);
    }
    return (double) least / trace.nanos();
  }

  private static boolean isFree(List<Busy> busy, long at) {
    for (Busy one : busy) {
      if (at >= one.fromNanos() && at < one.toNanos() + Computing.PAPER.switchNanos()) {
        return false;
      }
    }
    return true;
  }
}
