package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Where the next data are, against a set of the blocks that were written. */
final class NextDataTest {

  private static final int GRAIN = 4096;
  private static final int UNIT = 4 * GRAIN;
  private static final long REACH = 3L << 20;

  @TempDir private Path dir;

  /** A file as a set of its strands' blocks, and their ends: what lies behind an end is a hole. */
  private static final class Written {

    private final Layout layout;
    private final Set<String> blocks = new HashSet<>();
    private final long[] ends;
    private long size;

    Written(int strands) {
      layout = Layout.striped(UNIT, strands);
      ends = new long[strands];
    }

    void resize(long newSize) {
      size = newSize;
      Arrays.setAll(ends, strand -> layout.strandSize(strand, newSize));
    }

    private String block(long offset) {
      return layout.strandOf(offset) + "/" + layout.strandOffset(offset) / layout.blockBytes();
    }

    void add(long offset, int length) {
      for (long at = offset; at < offset + length; at++) {
        blocks.add(block(at));
        int strand = layout.strandOf(at);
        ends[strand] = Math.max(ends[strand], layout.strandOffset(at) + 1);
      }
      size = Math.max(size, offset + length);
    }

    long next(long offset) {
      for (long at = offset; at < size; at += GRAIN) {
        boolean ended = layout.strandOffset(at) >= ends[layout.strandOf(at)];
        if (blocks.contains(block(at)) && !ended) {
          return at;
        }
      }
      return Math.max(offset, size);
    }
  }

  private static void check(SharedFile file, Written written, String when) throws IOException {
    for (long offset = 0; offset <= REACH + UNIT; offset += UNIT / 2) {
      assertThat(file.nextData(offset)).as("%s, %d", when, offset).isEqualTo(written.next(offset));
    }
  }

  @Test
  void holesAreSkippedWhetherDataAreDirtyDurableOrReopened() throws IOException {
    long seed = Seeds.of(1)[0];
    Random random = new Random(seed);
    for (int strands = 1; strands <= 3; strands++) {
      Written written = new Written(strands);
      String name = "f" + strands;
      try (Cluster cluster = Cluster.embedded(dir.resolve(name), strands)) {
        cluster.run(
            1,
            rank -> {
              try (SharedFile file = rank.open(name, OpenOptions.create().withStripeUnit(UNIT))) {
                check(file, written, "empty");
                for (int i = 0; i < 4; i++) {
                  long offset = random.nextLong(REACH / GRAIN) * GRAIN + random.nextInt(100);
                  int length = 1 + random.nextInt(3 * UNIT);
                  file.at(offset).write(MemorySegment.ofArray(new byte[length]));
                  written.add(offset, length);
                  check(file, written, Seeds.replay(seed) + " dirty");
                }
                file.flush();
                check(file, written, Seeds.replay(seed) + " durable");
                file.resize(REACH + 5);
                written.resize(REACH + 5);
                check(file, written, Seeds.replay(seed) + " extended");
              }
            });
      }
      try (Cluster cluster = Cluster.embedded(dir.resolve(name), strands)) {
        cluster.run(
            1,
            rank -> {
              try (SharedFile file = rank.open(name, OpenOptions.read())) {
                check(file, written, Seeds.replay(seed) + " opened again");
              }
            });
      }
    }
  }
}
