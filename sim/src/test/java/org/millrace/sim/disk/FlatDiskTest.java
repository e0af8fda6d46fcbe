package org.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The disks of today against the numbers they are made of. */
final class FlatDiskTest {

  private static final int BLOCK = 8 << 10;
  private static final long FAR = 1L << 40;

  @Test
  void aSolidStateDiskTakesItsLatencyAndItsBytesWhereverTheyLie() {
    assertThat(FlatDisk.ssd().finish(0, FAR, BLOCK, false)).isEqualTo(80_000 + 1_260);
    assertThat(FlatDisk.ssd().finish(0, FAR, BLOCK, true)).isEqualTo(20_000 + 2_341);
    FlatDisk disk = FlatDisk.ssd();
    disk.finish(0, 0, BLOCK, false);
    assertThat(disk.finish(1_000_000, FAR, BLOCK, false)).isEqualTo(1_000_000 + 81_260);
  }

  @Test
  void transfersOfASolidStateDiskShareItsPathOnly() {
    FlatDisk disk = FlatDisk.ssd();
    assertThat(disk.isParallel()).isTrue();
    for (int i = 1; i <= 8; i++) {
      assertThat(disk.finish(0, i * FAR / 8, BLOCK, false))
          .isBetween(80_000L + 1_260L * i, 80_000L + 1_261L * i);
    }
  }

  @Test
  void aHardDiskSeeksUnlessItGoesOn() {
    FlatDisk disk = FlatDisk.hardDisk();
    assertThat(disk.isParallel()).isFalse();
    long first = disk.finish(0, FAR, BLOCK, false);
    assertThat(first).isEqualTo(11_590_000 + 32_768);
    assertThat(disk.finish(first, FAR + BLOCK, BLOCK, false) - first).isEqualTo(30_000 + 32_768);
    long later = 50_000_000;
    assertThat(disk.finish(later, 0, BLOCK, true) - later).isEqualTo(11_590_000 + 32_768);
  }

  @Test
  void thePathIsTakenUpForTheBytesAlone() {
    assertThat(FlatDisk.ssd().pathNanos(6_500_000, false)).isEqualTo(1_000_000);
    assertThat(FlatDisk.ssd().pathNanos(3_500_000, true)).isEqualTo(1_000_000);
    assertThat(FlatDisk.hardDisk().pathNanos(250_000, true)).isEqualTo(1_000_000);
  }
}
