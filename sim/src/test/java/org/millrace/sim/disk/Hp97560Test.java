package org.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The disk of 1990 against what is published of it. */
final class Hp97560Test {

  private static final int BLOCK = 8192;
  private static final long TRACK = 72 * 512;
  private static final double TURN = 60e9 / 4002;
  private static final double CONTROLLER = 2.2e6;
  private static final double BUS = BLOCK * 100.0;

  /** Mebibytes a second of many transfers one after the other. */
  private static double rate(boolean write, int stride, int blocks, long thinkNanos) {
    Hp97560 disk = new Hp97560();
    long now = 0;
    long offset = 0;
    for (int i = 0; i < blocks; i++) {
      now = disk.finish(now + thinkNanos, offset, BLOCK, write);
      offset = (offset + (long) stride * BLOCK) % (disk.capacityBytes() - BLOCK);
    }
    return (double) blocks * BLOCK / (1 << 20) / (now / 1e9);
  }

  @Test
  void itHoldsWhatTheLabelSays() {
    assertThat(new Hp97560().capacityBytes() / 1e9).isCloseTo(1.37, within(0.01));
  }

  @Test
  void longTransfersComeAtNineTenthsOfWhatPassesTheHead() {
    assertThat(rate(false, 1, 5_000, 0)).isBetween(2.05, 2.34);
    assertThat(rate(true, 1, 5_000, 0)).isBetween(2.05, 2.34);
  }

  @Test
  void aDiskOfTheExperimentNeedsThreeTenthsOfASecondForItsShareOfTheFile() {
    double sum = 0;
    for (int i = 0; i < 16; i++) {
      Hp97560 disk = new Hp97560(i / 16.0);
      long now = 0;
      for (long block = 0; block < 80; block++) {
        now = disk.finish(now, block * BLOCK, BLOCK, false);
      }
      sum += now;
    }
    assertThat(sum / 16 / 1e6).isBetween(302.0, 310.0);
  }

  @Test
  void blocksFarApartCostASeekAndHalfATurn() {
    double perBlock = BLOCK / (rate(false, 9973, 2_000, 0) * (1 << 20)) * 1e3;
    assertThat(perBlock).isBetween(15.0, 35.0); // milliseconds: 2.2 + seek + 7.5 + 3.3
  }

  @Test
  void theSeekCurveIsThePublishedOne() {
    double[][] distancesAndMillis = {
      {0, 0},
      {1, 3.64},
      {4, 4.04},
      {100, 7.24},
      {361, 10.84},
      {384, 11.072},
      {1000, 16},
      {1961, 23.688}
    };
    for (double[] each : distancesAndMillis) {
      assertThat(Hp97560.seek((int) each[0]) / 1e6).isCloseTo(each[1], within(1e-9));
    }
    assertThat(Hp97560.seek(383) / 1e6)
        .isCloseTo(11.068, within(0.001)); // the curve meets the line
  }

  @Test
  void aTrackPassesInATurnAtThePeakRate() {
    // the first sector was missed by 2.2 ms, so that it comes after a turn, and the last after two
    long done = new Hp97560().finish(0, 0, TRACK, false);
    assertThat(done).isCloseTo(Math.round(2 * TURN), within(2L));
    assertThat((double) TRACK / (1 << 20) / (TURN / 1e9)).isCloseTo(2.34, within(0.01));
  }

  @Test
  void theNextTrackIsSkewedByTheTimeOfAnotherHeadAndTheNextCylinderByThatOfASeek() {
    double slot = TURN / 72;
    long two = new Hp97560().finish(0, 0, 2 * TRACK, false);
    assertThat(two).isCloseTo(Math.round(3 * TURN + 8 * slot), within(2L));
    long cylinder = 19 * TRACK;
    long over = new Hp97560().finish(0, cylinder - TRACK, 2 * TRACK, false);
    double start = 18 * 8 % 72 * slot; // where the last track of the cylinder begins
    double ready = start >= CONTROLLER ? start : start + TURN;
    assertThat(over).isCloseTo(Math.round(ready + 2 * TURN + 18 * slot), within(2L));
  }

  @Test
  void aSectorAnywhereOnTheTrackTakesHalfATurnOnAverage() {
    double sum = 0;
    for (int i = 0; i < 72; i++) {
      sum += new Hp97560(i / 72.0).finish(0, 0, 512, false);
    }
    assertThat(sum / 72).isCloseTo(CONTROLLER + TURN / 2 + TURN / 72, within(0.02 * TURN));
  }

  @Test
  void whatWasReadAheadComesAtTheSpeedOfTheBus() {
    Hp97560 disk = new Hp97560();
    long first = disk.finish(0, 0, BLOCK, false);
    long asked = first + 20_000_000; // long enough for the next block to pass
    assertThat(disk.finish(asked, BLOCK, BLOCK, false) - asked)
        .isEqualTo(Math.round(CONTROLLER + BUS));
    long elsewhere = asked + 50_000_000;
    assertThat(disk.finish(elsewhere, 5 * BLOCK, BLOCK, false) - elsewhere)
        .isGreaterThan(Math.round(CONTROLLER + BUS));
  }

  @Test
  void aWriteIsDoneWhenItIsInTheBufferAndSettledWhenItIsOnTheMedium() {
    Hp97560 disk = new Hp97560();
    long done = disk.finish(0, 0, BLOCK, true);
    assertThat(done).isEqualTo(Math.round(CONTROLLER + BUS));
    assertThat(disk.settled(done)).isCloseTo(Math.round(TURN + 16 * TURN / 72), within(2L));
    assertThat(disk.pathNanos(BLOCK, true)).isEqualTo(Math.round(BUS));
  }

  @Test
  void readingAheadHidesThePauseOfAShortThought() {
    assertThat(rate(false, 1, 2_000, 1_000_000)).isGreaterThan(1.5);
  }
}
