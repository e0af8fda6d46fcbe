package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/** Case 17: a view costs what its description costs, not what its runs would. */
abstract class LargeViewCases {

  private static final long RUNS = 200_000_000;
  private static final long STRIDE = 2 * Bytes.INT;

  /**
   * For what the virtual machine and the test framework allocate meanwhile; a byte for each run
   * would be far more.
   */
  private static final long NOISE_BYTES = 1 << 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  abstract Worlds worlds();

  /** One int at every other place, in tiles that do not continue each other. */
  private static View everyOther(long runs) {
    return new View(
        0, Pattern.loop(runs, STRIDE, Pattern.run(Bytes.INT)), runs * STRIDE + 3 * Bytes.INT);
  }

  /** The same runs, as a square of rows. */
  private static View square(long side) {
    Pattern row = Pattern.loop(side, STRIDE, Pattern.run(Bytes.INT));
    long rowBytes = side * STRIDE + Bytes.INT;
    return new View(0, Pattern.loop(side, rowBytes, row), side * rowBytes + Bytes.INT);
  }

  @Test
  void case17ViewOfManyRunsTakesNoMoreMemoryThanOneOfTen() throws Exception {
    worlds()
        .in(
            new Worlds.Build(4, Worlds.Build.DEFAULT_UNIT),
            world ->
                world.run(
                    1,
                    rank -> {
                      long ten = allocated(rank, everyOther(10), 10);
                      assertThat(allocated(rank, everyOther(RUNS), RUNS))
                          .as("bytes allocated for a line of %d runs", RUNS)
                          .isLessThan(ten + NOISE_BYTES);
                      long side = 15_000;
                      assertThat(allocated(rank, square(side), side * side))
                          .as("bytes allocated for a square of %d runs", side * side)
                          .isLessThan(ten + NOISE_BYTES);
                    }));
  }

  /**
   * What the cheapest of some rounds of setting the view and of accesses in its middle allocates.
   */
  private static long allocated(Rank rank, View view, long runs) throws IOException {
    long least = Long.MAX_VALUE;
    String name = "large" + runs;
    try (SharedFile file = rank.open(name, OpenOptions.create().withDeleteOnClose())) {
      long end = view.offsetOf(runs * Bytes.INT - 1) + 1;
      file.resize(end);
      byte[] values = Bytes.ofInts(1, 2, 3, 4, 5, 6);
      byte[] back = new byte[values.length];
      long middle = runs / 2 * Bytes.INT - values.length / 2;
      for (int round = 0; round < 5; round++) {
        long before = THREADS.getTotalThreadAllocatedBytes();
        file.setView(view);
        file.at(middle).write(Memory.of(values));
        file.at(middle).read(Memory.of(back));
        file.seekToEnd(0);
        least = Math.min(least, THREADS.getTotalThreadAllocatedBytes() - before);
        assertThat(back).isEqualTo(values);
        assertThat(file.position()).isEqualTo(runs * Bytes.INT);
      }
      file.setView(View.WHOLE);
      byte[] one = new byte[Bytes.INT];
      file.at(view.offsetOf(middle) + Bytes.INT).read(Memory.of(one)); // between two runs
      assertThat(one).containsOnly(0);
    }
    return least;
  }
}
