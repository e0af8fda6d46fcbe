package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A strand whose cutting failed at any of its steps: what is read is right, or an error. */
final class FailedCutTest {

  @Test
  void afterACutThatFailedBytesAreRightOrAnError() throws IOException {
    for (Faults.Operation operation : Faults.Operation.values()) {
      for (int skip = 0; skip < 6; skip++) {
        failAndRead(operation, skip);
      }
    }
  }

  private static void failAndRead(Faults.Operation operation, int skip) throws IOException {
    MemoryDisk memory = new MemoryDisk("memory");
    Faults faults = Faults.seeded(1);
    boolean failed = false;
    try (BlockFile file = create(new FaultyDisk(memory, faults))) {
      faults.fail(operation, name -> true, skip, 1);
      try {
        file.resize(Blocks.SIZE);
      } catch (IOException e) {
        failed = true;
      }
      faults.clear();
      check(file, failed, operation + " after " + skip);
    }
    try (BlockFile file = BlockFile.open(memory, 7, 1)) {
      boolean cut = file.end() == Blocks.SIZE;
      assertThat(Blocks.read(file, 0)).isEqualTo(Blocks.random(0));
      assertThat(Blocks.read(file, 2)).isEqualTo(cut ? new byte[Blocks.SIZE] : Blocks.random(2));
    }
  }

  private static void check(BlockFile file, boolean failed, String when) {
    try {
      byte[] expected = failed ? Blocks.random(2) : new byte[Blocks.SIZE];
      assertThat(Blocks.read(file, 2)).as(when).isEqualTo(expected);
    } catch (IOException e) {
      assertThat(e).as(when).hasMessageContaining("half-way");
      assertThat(failed).isTrue();
    }
  }

  private static BlockFile create(Disk disk) throws IOException {
    BlockFile file = BlockFile.create(disk, 7, 1, BlockSize.DEFAULT_BYTES);
    for (int i = 0; i < 4; i++) {
      Blocks.write(file, i, Blocks.random(i));
    }
    file.flush(4L * Blocks.SIZE);
    return file;
  }
}
