package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.access.group.Reach;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.env.Env;
import org.millrace.plan.collective.Costs;

/**
 * Measures the cost of transfers on this machine and on a node's disk, in a few milliseconds.
 * Copies and the disk are timed. The costs of messages, meetings and lookups are derived from the
 * copies: in so short a run a new JVM executes them mostly in slow code, and they measured four
 * times as large as the defaults. Every number is kept within a factor of the defaults, so that a
 * busy moment does not decide the strategy forever.
 *
 * <p>For one use by one thread.
 */
final class CostProbe {

  private static final double MAX = 4;
  private static final int MEBIBYTE = 1 << 20;
  private static final long BLOCK = 64 << 10;
  private static final int LAPS = 3;
  private static final String SCRATCH = "cost-probe";

  private final Env env;

  CostProbe(Env env) {
    this.env = env;
  }

  Costs measure(Disk disk) throws IOException {
    Costs usual = Costs.DEFAULT;
    double copy = near(usual.copyNanosPerByte(), copyNanosPerByte());
    double slower = copy / usual.copyNanosPerByte();
    double[] ofDisk = disk(disk);
    return new Costs(
        Runtime.getRuntime().availableProcessors(),
        usual.messageNanos() * slower,
        usual.meetingNanos() * slower,
        copy,
        usual.runNanos() * slower,
        usual.getNanos() * slower,
        near(usual.seekNanos(), ofDisk[0]),
        near(usual.diskNanosPerByte(), ofDisk[1]),
        usual.missFraction(),
        Reach.MESSAGES);
  }

  private static double near(double usual, double measured) {
    return Math.clamp(measured, usual / MAX, usual * MAX);
  }

  /** Beyond the processor's caches, the quickest of some. */
  private double copyNanosPerByte() {
    try (Arena arena = Arena.ofConfined()) {
      long bytes = 8L * MEBIBYTE;
      MemorySegment from = arena.allocate(bytes).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes).fill((byte) 2);
      long best = Long.MAX_VALUE;
      for (int lap = 0; lap < LAPS; lap++) {
        long start = env.nanoTime();
        for (long at = 0; at < bytes; at += BLOCK) {
          MemorySegment.copy(from, at, to, at, BLOCK);
        }
        best = Math.min(best, env.nanoTime() - start);
      }
      // cores that copy at the same time share the way to memory
      double crowd = Runtime.getRuntime().availableProcessors() > 1 ? 1.5 : 1;
      return crowd * best / bytes;
    }
  }

  /** Nanoseconds until a transfer has started, and of each byte of it. */
  private double[] disk(Disk disk) throws IOException {
    int small = 4096;
    long seek = Long.MAX_VALUE;
    long transfer = Long.MAX_VALUE;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(2L * MEBIBYTE, small).fill((byte) 3);
      if (disk.exists(SCRATCH)) {
        disk.delete(SCRATCH); // of a probe that was killed
      }
      try (DiskFile file = disk.create(SCRATCH)) {
        for (int lap = 0; lap < LAPS; lap++) {
          long start = env.nanoTime();
          file.write(0, bytes);
          transfer = Math.min(transfer, env.nanoTime() - start);
          start = env.nanoTime();
          file.write((long) lap * small, bytes.asSlice(0, small));
          seek = Math.min(seek, env.nanoTime() - start);
        }
        return new double[] {seek, (double) transfer / bytes.byteSize()};
      } finally {
        disk.delete(SCRATCH);
      }
    }
  }
}
