package org.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The disk of 1990 against what is published of it. */
final class Hp97560Test {

  private static final int BLOCK = 8192;

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
  void blocksFarApartCostASeekAndHalfATurn() {
    double perBlock = BLOCK / (rate(false, 9973, 2_000, 0) * (1 << 20)) * 1e3;
    assertThat(perBlock).isBetween(15.0, 35.0); // milliseconds: 2.2 + seek + 7.5 + 3.3
  }

  @Test
  void theSeekCurveIsThePublishedOne() {
    assertThat(Hp97560.seek(0)).isZero();
    assertThat(Hp97560.seek(1)).isCloseTo(3.64e6, within(1.0));
    assertThat(Hp97560.seek(383)).isCloseTo(11.068e6, within(1e4));
    assertThat(Hp97560.seek(1961)).isCloseTo(23.688e6, within(1e4));
  }

  @Test
  void readingAheadHidesThePauseOfAShortThought() {
    assertThat(rate(false, 1, 2_000, 1_000_000)).isGreaterThan(1.5);
  }
}
