package org.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.millrace.disk.DiskFile;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;

/** Disks that take their time. */
final class SimDiskTest {

  private static final int BLOCK = 8 << 10;
  private static final String STRAND = "1-0.strand";

  private interface Use {
    void of(SimDisk disk, DiskFile file) throws IOException;
  }

  /** How long a use of a file takes, in virtual time. */
  private static long nanos(DiskModel model, SimDisk.Placing placing, String name, Use use) {
    SeededEnv env = SeededEnv.of(3);
    long start = env.nanoTime();
    env.run(
        () -> {
          try (SimDisk disk = new SimDisk(env, new MemoryDisk("d"), model, placing);
              DiskFile file = disk.create(name)) {
            use.of(disk, file);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return env.nanoTime() - start;
  }

  private static void write(DiskFile file, int blocks) throws IOException {
    MemorySegment block = MemorySegment.ofArray(new byte[BLOCK]);
    for (long i = 0; i < blocks; i++) {
      file.write(i * BLOCK, block);
    }
    file.force();
  }

  @Test
  void strandsTakeTimeAndNamesTakeNone() {
    Use use = (_, file) -> write(file, 4);
    assertThat(nanos(new Hp97560(), SimDisk.Placing.CONTIGUOUS, STRAND, use)).isPositive();
    assertThat(nanos(new Hp97560(), SimDisk.Placing.CONTIGUOUS, "1-0.sums", use)).isZero();
  }

  @Test
  void randomPlacesCostSeeks() {
    Use use = (_, file) -> write(file, 100);
    long near = nanos(new Hp97560(), SimDisk.Placing.CONTIGUOUS, STRAND, use);
    long far = nanos(new Hp97560(), SimDisk.Placing.RANDOM, STRAND, use);
    assertThat(far).isGreaterThan(3 * near);
  }

  @Test
  void forceWaitsForWhatIsInTheBufferOfTheDisk() {
    Use with = (_, file) -> write(file, 8);
    Use without =
        (_, file) -> {
          MemorySegment block = MemorySegment.ofArray(new byte[BLOCK]);
          for (long i = 0; i < 8; i++) {
            file.write(i * BLOCK, block);
          }
        };
    assertThat(nanos(new Hp97560(), SimDisk.Placing.CONTIGUOUS, STRAND, with))
        .isGreaterThan(nanos(new Hp97560(), SimDisk.Placing.CONTIGUOUS, STRAND, without));
  }

  @Test
  void transfersOfASolidStateDiskOverlapAndThoseOfAHardDiskDoNot() {
    assertThat(nanosOfTwo(FlatDisk.ssd())).isBetween(80_000L, 90_000L);
    assertThat(nanosOfTwo(FlatDisk.hardDisk())).isGreaterThan(400_000);
  }

  /** Two threads read a block each at the same time. */
  private static long nanosOfTwo(DiskModel model) {
    SeededEnv env = SeededEnv.of(3);
    long[] from = new long[1];
    env.run(
        () -> {
          SimDisk disk = new SimDisk(env, new MemoryDisk("d"), model, SimDisk.Placing.CONTIGUOUS);
          try {
            DiskFile file = disk.create(STRAND);
            write(file, 2);
            from[0] = env.nanoTime();
            for (int i = 0; i < 2; i++) {
              long place = (long) i * BLOCK;
              env.start(ThreadKind.DISK, "reader", () -> read(file, place));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return env.nanoTime() - from[0];
  }

  private static void read(DiskFile file, long place) {
    try {
      file.read(place, MemorySegment.ofArray(new byte[BLOCK]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void itCountsWhatItDoes() {
    nanos(
        FlatDisk.ssd(),
        SimDisk.Placing.CONTIGUOUS,
        STRAND,
        (disk, file) -> {
          write(file, 5);
          read(file, 0);
          assertThat(disk.report().writes()).isEqualTo(5);
          assertThat(disk.report().reads()).isEqualTo(1);
          assertThat(disk.report().transfers()).isEqualTo(6);
          assertThat(disk.report().bytes()).isEqualTo(6 * BLOCK);
          assertThat(disk.report().pathNanos()).isEqualTo(5 * 2_341 + 1_260);
          assertThat(disk.report().busyNanos()).isBetween(180_000L, 200_000L);
        });
  }
}
