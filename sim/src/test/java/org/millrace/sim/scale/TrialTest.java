package org.millrace.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.plan.Strategy;

/** Small runs, counted by hand; {@code docs/scaling.md} has the large ones. */
final class TrialTest {

  private static final int RECORDS = Sharing.RANK_BYTES / Sharing.RECORD_BYTES;

  /** Each rank asks for the size, comes to the exchange and to the end: three questions. */
  private static final int QUESTIONS = 3;

  private static ScaleOutcome read(int nodes, Sharing sharing, Strategy strategy) {
    return Trial.run(new Case(nodes, sharing, false, strategy), 1);
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    for (Strategy strategy : Trial.strategies()) {
      Case what = new Case(4, Sharing.TILES, true, strategy);
      assertThat(Trial.run(what, 7)).isEqualTo(Trial.run(what, 7));
      assertThat(Trial.run(what, 8).traceHash()).isNotEqualTo(Trial.run(what, 7).traceHash());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void directReadsAreOneQuestionForEachRecord(int nodes) {
    ScaleOutcome outcome = read(nodes, Sharing.RECORDS, Strategy.DIRECT);
    assertThat(outcome.messages()).isEqualTo(2L * nodes * (RECORDS + QUESTIONS));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void diskDirectedReadsAreAQuestionOfEachRankToEachNodeAndOneMessageForEachPiece(int nodes) {
    ScaleOutcome outcome = read(nodes, Sharing.RECORDS, Strategy.DISK_DIRECTED);
    long pieces = nodes == 1 ? 8 : (long) nodes * RECORDS;
    long questions = (long) nodes * (nodes + QUESTIONS - 1); // no meeting at the end
    assertThat(outcome.messages()).isEqualTo(2 * questions + pieces);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void everyBlockIsReadOnce(int nodes) {
    for (Strategy strategy : Trial.strategies()) {
      ScaleOutcome outcome = read(nodes, Sharing.TILES, strategy);
      assertThat(outcome.what().bytes()).isEqualTo((long) nodes * Sharing.RANK_BYTES);
      assertThat(outcome.transfers()).as(strategy.word()).isBetween(2L * nodes, 8L * nodes);
    }
  }

  @Test
  void studiesLeaveOutWhatWouldTakeTooManyRequests() {
    var cases = new ScaleStudy(ScaleStudy.MOST_NODES, 1).cases();
    assertThat(cases)
        .contains(new Case(4096, Sharing.TILES, false, Strategy.EXTENDED_TWO_PHASE))
        .contains(new Case(1024, Sharing.TILES, false, Strategy.DISK_DIRECTED))
        .doesNotContain(new Case(4096, Sharing.TILES, false, Strategy.DISK_DIRECTED))
        .allMatch(one -> ScaleStudy.requests(one) <= 5_000_000);
  }

  @Test
  void noNodesOrTooManyAreRefused() {
    assertThatThrownBy(() -> new ScaleStudy(0, 1)).hasMessageContaining("0 nodes");
    assertThatThrownBy(() -> new ScaleStudy(4097, 1)).hasMessageContaining("4097 nodes");
  }
}
