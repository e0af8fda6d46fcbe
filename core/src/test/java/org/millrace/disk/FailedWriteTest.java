package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A write that failed before or while it changed its block: whatever is done then, no block is
 * called corrupt, for nothing has rotted.
 */
final class FailedWriteTest {

  private static final int CRASHES = 40;

  /** The hunt found that the second write relied on an intent that was never durable. */
  @Test
  void anIntentThatFailedIsNotReliedOn() throws IOException {
    for (Faults.Operation operation : List.of(Faults.Operation.WRITE, Faults.Operation.FORCE)) {
      MemoryDisk memory = new MemoryDisk("memory");
      Faults faults = Faults.seeded(1);
      BlockFile file = create(new FaultyDisk(memory, faults));
      faults.fail(operation, name -> name.endsWith(".intents"), 0, 1);
      assertThatThrownBy(() -> change(file, 1)).hasMessageContaining("failed");
      try {
        change(file, 2);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("an earlier force failed");
      }
      checkAfterCrashes(memory, operation.toString());
    }
  }

  /** Blocks that could not even be read after the write that failed are looked at by a flush. */
  @Test
  void aBlockThatCouldNotBeReadAfterItsWriteFailedIsNotCorrupt() throws IOException {
    MemoryDisk memory = new MemoryDisk("memory");
    Faults faults = Faults.seeded(1);
    BlockFile file = create(new FaultyDisk(memory, faults));
    for (int i = 0; i < 3; i++) {
      int seed = 3 + i;
      change(file, 1); // makes the intent durable on which the next one relies
      faults.shortTransfers(1).fail(Faults.Operation.READ, name -> name.endsWith(".strand"), 0, 2);
      assertThatThrownBy(() -> change(file, seed)).hasMessageContaining("wrote");
      faults.shortTransfers(0);
      assertThatThrownBy(() -> file.flush(Blocks.SIZE)).hasMessageContaining("READ failed");
      checkAfterCrashes(memory, "before the flush");
      file.flush(Blocks.SIZE);
      checkAfterCrashes(memory, "after the flush");
      Blocks.read(file, 0);
    }
  }

  private static BlockFile create(Disk disk) throws IOException {
    BlockFile file = BlockFile.create(disk, 7, 1, BlockSize.DEFAULT_BYTES);
    Blocks.write(file, 0, Blocks.random(0));
    file.flush(Blocks.SIZE);
    return file;
  }

  /** Overwrites the first half of the block. */
  private static void change(BlockFile file, int seed) throws IOException {
    byte[] next = Blocks.random(0);
    System.arraycopy(Blocks.random(seed), 0, next, 0, Blocks.SIZE / 2);
    BlockChanges changes = new BlockChanges(Blocks.SIZE);
    changes.add(0, Blocks.SIZE / 2);
    file.write(0, MemorySegment.ofArray(next), List.of(changes));
  }

  private static void checkAfterCrashes(MemoryDisk memory, String when) throws IOException {
    for (int seed = 0; seed < CRASHES; seed++) {
      try (BlockFile after = BlockFile.open(memory.crash(seed), 7, 1)) {
        Blocks.read(after, 0);
      } catch (IOException e) {
        throw new AssertionError(when + ", crash " + seed, e);
      }
    }
  }
}
