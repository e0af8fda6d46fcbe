package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * A flush that failed at any of its steps: one that succeeds later has made everything durable, and
 * without one the strand can still be opened. The hunt found that neither held where the file of
 * checksums was made longer.
 */
final class FailedFlushTest {

  private static final int BLOCKS = 4;
  private static final int CRASHES = 8;

  @Test
  void whatALaterFlushSaysIsDurableIsSo() throws IOException {
    int successes = 0;
    for (Faults.Operation operation : Faults.Operation.values()) {
      for (int skip = 0; skip < 8; skip++) {
        successes += failAndCrash(operation, skip) ? 1 : 0;
      }
    }
    assertThat(successes).isPositive();
  }

  /** The end was durable, and the flush failed after that. */
  @Test
  void aCutBelowTheEndOfAFlushThatFailedHolds() throws IOException {
    for (int skip = 0; skip < 4; skip++) {
      MemoryDisk memory = new MemoryDisk("memory");
      Faults faults = Faults.seeded(1);
      BlockFile file =
          BlockFile.create(new FaultyDisk(memory, faults), 7, 1, BlockSize.DEFAULT_BYTES);
      Blocks.write(file, 0, Blocks.random(1));
      faults.fail(Faults.Operation.WRITE, name -> name.endsWith(".sums"), skip, 1);
      flush(file);
      faults.clear();
      byte[] cut = Arrays.copyOf(Arrays.copyOf(Blocks.random(1), 2000), Blocks.SIZE);
      Blocks.write(file, 0, cut);
      file.resize(2000);
      file.flush(2000);
      assertThat(file.end()).isEqualTo(2000);
      assertThat(BlockFile.open(memory.crash(), 7, 1).end()).as("skip " + skip).isEqualTo(2000);
    }
  }

  private static boolean failAndCrash(Faults.Operation operation, int skip) throws IOException {
    String when = operation + " after " + skip;
    MemoryDisk memory = new MemoryDisk("memory");
    Faults faults = Faults.seeded(1);
    BlockFile file =
        BlockFile.create(new FaultyDisk(memory, faults), 7, 1, BlockSize.DEFAULT_BYTES);
    for (int i = 0; i < BLOCKS; i++) {
      Blocks.write(file, i, Blocks.random(i));
    }
    faults.fail(operation, name -> true, skip, 1);
    boolean durable = flush(file);
    if (!durable) {
      durable = flush(file);
    }
    for (int seed = 0; seed < CRASHES; seed++) {
      try (BlockFile after = BlockFile.open(memory.crash(seed), 7, 1)) {
        for (int i = 0; durable && i < BLOCKS; i++) {
          assertThat(Blocks.read(after, i)).as(when).isEqualTo(Blocks.random(i));
        }
      }
    }
    return durable;
  }

  private static boolean flush(BlockFile file) {
    try {
      file.flush((long) BLOCKS * Blocks.SIZE);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
