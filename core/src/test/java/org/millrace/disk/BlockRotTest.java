package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;
import org.millrace.testing.Seeds;

/** Bytes that are not what was written are never returned. */
final class BlockRotTest {

  private static final int BLOCKS = 4;
  private static final StrandKey STRAND = new StrandKey(9, 1);

  private final MemoryDisk memory = new MemoryDisk("memory");
  private final FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1));

  @BeforeEach
  void write() throws IOException {
    try (BlockFile file = BlockFile.create(disk, 9, 1, BlockSize.DEFAULT_BYTES)) {
      for (int i = 0; i < BLOCKS; i++) {
        Blocks.write(file, i, Blocks.random(i));
      }
      file.flush((long) BLOCKS * Blocks.SIZE);
    }
  }

  private BlockFile open() throws IOException {
    return BlockFile.open(disk, 9, 1);
  }

  private void assertRotten(long block) throws IOException {
    try (BlockFile file = open()) {
      assertThatThrownBy(() -> Blocks.read(file, block))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("file 9 strand 1 block " + block)
          .hasMessageContaining("expected")
          .hasMessageContaining("found");
    }
  }

  @Test
  void flipAtRestIsAlwaysReportedAndOnlyForItsBlock() throws IOException {
    for (long seed : Seeds.of(5)) {
      Random random = new Random(seed);
      for (int i = 0; i < 60; i++) {
        long bit = random.nextLong(8L * BLOCKS * Blocks.SIZE);
        disk.flipBit(STRAND.dataFile(), bit);
        long block = bit / 8 / Blocks.SIZE;
        assertRotten(block);
        long other = (block + 1) % BLOCKS;
        try (BlockFile file = open()) {
          assertThat(Blocks.read(file, other)).isEqualTo(Blocks.random(other));
          assertThat(file.recovery().inDoubt()).isZero();
        }
        disk.flipBit(STRAND.dataFile(), bit);
      }
    }
  }

  /** Found by the hunt: intents that came back made a flipped bit pass for a torn write. */
  @Test
  void flipAfterAnOrderlyEndIsReportedThoughThePowerFailed() throws IOException {
    try (BlockFile file = open()) {
      Blocks.write(file, 1, Blocks.random(7));
      file.flush((long) BLOCKS * Blocks.SIZE);
    }
    FaultyDisk after = new FaultyDisk(memory.crash(), Faults.seeded(2));
    after.flipBit(STRAND.dataFile(), 8L * Blocks.SIZE + 5);
    try (BlockFile file = BlockFile.open(after, 9, 1)) {
      assertThat(file.recovery().inDoubt()).isZero();
      assertThatThrownBy(() -> Blocks.read(file, 1)).isInstanceOf(CorruptBlockException.class);
    }
  }

  /** Found by the campaign: the header that drops intents is not forced until the strand closes. */
  @Test
  void flipAfterAFlushIsReportedThoughItsIntentsCameBack() throws IOException {
    BlockFile file = open();
    Blocks.write(file, 1, Blocks.random(6));
    Blocks.write(file, 1, Blocks.random(7)); // without another intent
    Blocks.write(file, 2, Blocks.random(8));
    file.flush((long) BLOCKS * Blocks.SIZE);
    assertFlipsReported(memory.crash());
    Blocks.write(file, 2, Blocks.random(9)); // the next flush is under way
    assertFlipsReported(memory.crash());
    file.flush((long) BLOCKS * Blocks.SIZE);
    file.close();
  }

  /** Blocks 1 and 2 are 7 and 8 in {@code after}; a flipped bit of block 1 is found out. */
  private static void assertFlipsReported(MemoryDisk after) throws IOException {
    byte[] intents = Blocks.file(after, STRAND.intentsFile());
    assertThat(intents).as("the intents came back").isNotEmpty();
    new FaultyDisk(after, Faults.seeded(2)).flipBit(STRAND.dataFile(), 8L * Blocks.SIZE + 5);
    for (int opening = 0; opening < 2; opening++) {
      try (BlockFile rotten = BlockFile.open(after, 9, 1)) {
        assertThat(rotten.recovery().torn()).isZero();
        assertThatThrownBy(() -> Blocks.read(rotten, 1)).isInstanceOf(CorruptBlockException.class);
        assertThat(Blocks.read(rotten, 2)).isEqualTo(Blocks.random(8));
        assertThat(Blocks.read(rotten, 3)).isEqualTo(Blocks.random(3));
      }
    }
  }

  /** With every cut of the power within the flushes that follow. */
  @Test
  void flipOfWhatIsAcknowledgedIsReportedWhereverTheNextFlushIsCut() throws IOException {
    int reported = 0;
    for (int cut = 0; cut < 30; cut++) {
      for (long seed : Seeds.of(5)) {
        MemoryDisk base = memory.crash();
        BlockFile before = BlockFile.open(base, 9, 1);
        Blocks.write(before, 1, Blocks.random(7));
        before.flush((long) BLOCKS * Blocks.SIZE); // and is killed
        Faults faults = Faults.seeded(seed).cutPowerAfter(cut);
        try (BlockFile file = BlockFile.open(new FaultyDisk(base, faults), 9, 1)) {
          Blocks.write(file, 2, Blocks.random(8));
          file.flush((long) BLOCKS * Blocks.SIZE);
          Blocks.write(file, 2, Blocks.random(9));
          file.flush((long) BLOCKS * Blocks.SIZE);
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("no power");
        }
        MemoryDisk after = base.crash(seed);
        new FaultyDisk(after, faults).flipBit(STRAND.dataFile(), 8L * Blocks.SIZE + 5);
        try (BlockFile rotten = BlockFile.open(after, 9, 1)) {
          assertThatThrownBy(() -> Blocks.read(rotten, 1))
              .as("cut at %d, %s", cut, Seeds.replay(seed))
              .isInstanceOf(CorruptBlockException.class);
          reported++;
        }
      }
    }
    assertThat(reported).isPositive();
  }

  @Test
  void flipOnReadIsReported() throws IOException {
    BlockFile file = open();
    disk.faults().flipOnRead(name -> name.equals(STRAND.dataFile()), 0, 1);
    assertThatThrownBy(() -> Blocks.read(file, 2)).isInstanceOf(CorruptBlockException.class);
    assertThat(Blocks.read(file, 2)).isEqualTo(Blocks.random(2));
  }

  @Test
  void shortReadsAreReadOn() throws IOException {
    disk.faults().shortTransfers(0.8);
    BlockFile file = open();
    for (int i = 0; i < BLOCKS; i++) {
      assertThat(Blocks.read(file, i)).isEqualTo(Blocks.random(i));
    }
  }

  @Test
  void everyFlipOfASumIsReported() throws IOException {
    for (int bit = 0; bit < 8 * SumsPage.SECTOR_BYTES; bit++) {
      long at = 8L * 2 * SumsPage.BYTES + bit;
      disk.flipBit(STRAND.sumsFile(), at);
      assertThatThrownBy(
              () -> {
                try (BlockFile file = open()) {
                  Blocks.read(file, 0);
                }
              })
          .as("bit " + bit)
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("blocks 0 to 126");
      disk.flipBit(STRAND.sumsFile(), at);
    }
    assertThat(Blocks.read(open(), 0)).isEqualTo(Blocks.random(0));
  }

  @Test
  void aFlipOfTheHeaderIsRepairedByItsCopyAndOneOfBothIsReported() throws IOException {
    for (int bit = 0; bit < 8 * SumsHeader.BYTES; bit += 3) {
      byte[] good = Blocks.file(memory, STRAND.sumsFile());
      for (long copy : new long[] {0, SumsHeader.COPY_AT}) {
        disk.flipBit(STRAND.sumsFile(), 8 * copy + bit);
        open().close();
        assertThat(Blocks.file(memory, STRAND.sumsFile())).isEqualTo(good);
      }
      disk.flipBit(STRAND.sumsFile(), bit);
      disk.flipBit(STRAND.sumsFile(), 8L * SumsHeader.COPY_AT + bit);
      assertThatThrownBy(this::open)
          .as("bit " + bit)
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining(".sums")
          .hasMessageContaining("[strand 1: all of it]");
      Blocks.overwrite(memory, STRAND.sumsFile(), 0, good);
    }
    open();
  }

  @Test
  void aZeroedSectorOfSumsIsLostAndNeverReadAsHoles() throws IOException {
    try (BlockFile file = open()) {
      Blocks.write(file, 130, Blocks.random(130));
      file.flush(131L * Blocks.SIZE);
    }
    byte[] zeros = new byte[SumsPage.SECTOR_BYTES];
    Blocks.overwrite(memory, STRAND.sumsFile(), 2L * SumsPage.BYTES, zeros);
    try (BlockFile file = open()) {
      for (long block : new long[] {0, 3, 100, 126}) { // also those that were never written
        assertThatThrownBy(() -> Blocks.read(file, block))
            .isInstanceOf(CorruptBlockException.class)
            .hasMessageContaining("[strand 1: 0 to " + 127L * Blocks.SIZE + "]");
        assertThatThrownBy(() -> Blocks.write(file, block, Blocks.random(1)))
            .isInstanceOf(CorruptBlockException.class);
      }
      assertThat(file.nextWritten(0, 200)).isZero();
      assertThat(Blocks.read(file, 130)).isEqualTo(Blocks.random(130));
      assertThat(Blocks.read(file, 129)).containsOnly(0);
    }
  }

  @Test
  void aPageOfSumsThatWasNeverWrittenIsTakenForNothingWhateverTheFileHoldsThere()
      throws IOException {
    try (BlockFile file = open()) {
      Blocks.write(file, 3L * SumsPage.ENTRIES, Blocks.random(7));
      file.flush((3L * SumsPage.ENTRIES + 1) * Blocks.SIZE);
    }
    byte[] garbage = new byte[SumsPage.BYTES];
    Arrays.fill(garbage, (byte) 7);
    Blocks.overwrite(memory, STRAND.sumsFile(), 3L * SumsPage.BYTES, garbage);
    try (BlockFile file = open()) {
      assertThat(Blocks.read(file, SumsPage.ENTRIES + 5)).containsOnly(0);
      assertThat(Blocks.read(file, 3L * SumsPage.ENTRIES)).isEqualTo(Blocks.random(7));
      assertThat(file.nextWritten(4, 4L * SumsPage.ENTRIES)).isEqualTo(3L * SumsPage.ENTRIES);
    }
  }

  @Test
  void olderFilesOfAStrandAreReportedByWhoRemembersIt() throws IOException {
    NodeMemory node = NodeMemory.open(memory, () -> 0);
    byte[][] older = {
      Blocks.file(memory, STRAND.dataFile()), Blocks.file(memory, STRAND.sumsFile())
    };
    try (BlockFile file = BlockFile.open(disk, STRAND, node, true)) {
      Blocks.write(file, 2, Blocks.random(22));
      file.flush((long) BLOCKS * Blocks.SIZE);
    }
    node.close();
    Blocks.overwrite(memory, STRAND.dataFile(), 0, older[0]);
    Blocks.overwrite(memory, STRAND.sumsFile(), 0, older[1]);
    NodeMemory again = NodeMemory.open(memory, () -> 0);
    assertThatThrownBy(() -> BlockFile.open(disk, STRAND, again, true))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("older copy")
        .hasMessageContaining("[strand 1: all of it]");
    assertThat(Blocks.read(open(), 2)).as("the control: nobody asked").isEqualTo(Blocks.random(2));
  }

  @Test
  void rotInBytesThatAnInterruptedWriteDidNotTouchIsReported() throws IOException {
    byte[] next = Blocks.random(1);
    Arrays.fill(next, 1000, 3000, (byte) 5);
    BlockChanges changes = new BlockChanges(Blocks.SIZE);
    changes.add(1000, 2000);
    changes.add(2500, 3000);
    BlockFile killed = open();
    killed.write(1, MemorySegment.ofArray(next), java.util.List.of(changes));
    for (int at : new int[] {0, 999, 2000, 2499, 3000, Blocks.SIZE - 1}) {
      disk.flipBit(STRAND.dataFile(), 8L * (Blocks.SIZE + at));
      try (BlockFile file = BlockFile.open(memoryCopy(), 9, 1)) {
        assertThat(file.recovery()).isEqualTo(new Recovery(1, 0, 1));
        assertThatThrownBy(() -> Blocks.read(file, 1))
            .as("byte " + at)
            .isInstanceOf(CorruptBlockException.class);
      }
      disk.flipBit(STRAND.dataFile(), 8L * (Blocks.SIZE + at));
    }
    byte[] mixed = next.clone();
    Arrays.fill(mixed, 1024, 1536, Blocks.random(1)[1024]);
    Blocks.overwrite(memory, STRAND.dataFile(), Blocks.SIZE, mixed); // as a torn write leaves it
    try (BlockFile file = BlockFile.open(memoryCopy(), 9, 1)) {
      assertThat(file.recovery()).isEqualTo(new Recovery(1, 1, 0));
      assertThat(Blocks.read(file, 1)).isEqualTo(mixed);
    }
  }

  /** The disk as a killed process leaves it. */
  private MemoryDisk memoryCopy() throws IOException {
    MemoryDisk copy = new MemoryDisk("copy");
    for (String name : memory.list()) {
      copy.create(name).write(0, MemorySegment.ofArray(Blocks.file(memory, name)));
    }
    return copy;
  }

  @Test
  void swappedBlocksAreReported() throws IOException {
    Blocks.overwrite(memory, STRAND.dataFile(), 0, Blocks.random(1));
    Blocks.overwrite(memory, STRAND.dataFile(), Blocks.SIZE, Blocks.random(0));
    assertRotten(0);
    assertRotten(1);
  }

  @Test
  void blockCopiedWithItsSumFromElsewhereIsReported() throws IOException {
    byte[] same = Blocks.random(0);
    int here = new BlockSum(STRAND).of(0, MemorySegment.ofArray(same));
    assertThat(here).isNotEqualTo(new BlockSum(STRAND).of(1, MemorySegment.ofArray(same)));
    assertThat(here)
        .isNotEqualTo(new BlockSum(new StrandKey(9, 2)).of(0, MemorySegment.ofArray(same)));
    assertThat(here)
        .isNotEqualTo(new BlockSum(new StrandKey(8, 1)).of(0, MemorySegment.ofArray(same)));
  }

  @Test
  void staleBlockIsReported() throws IOException {
    try (BlockFile file = open()) {
      Blocks.write(file, 2, Blocks.random(22));
      file.flush((long) BLOCKS * Blocks.SIZE);
    }
    Blocks.overwrite(memory, STRAND.dataFile(), 2L * Blocks.SIZE, Blocks.random(2));
    assertRotten(2);
  }

  @Test
  void cutDataFileIsReported() throws IOException {
    memory.open(STRAND.dataFile()).resize(2L * Blocks.SIZE + 100);
    assertRotten(2);
    assertRotten(3);
    assertThat(Blocks.read(open(), 1)).isEqualTo(Blocks.random(1));
  }

  @Test
  void cutSumsFileIsReportedAndNeverReadAsHoles() throws IOException {
    long whole;
    try (DiskFile sums = memory.open(STRAND.sumsFile())) {
      whole = sums.size();
    }
    for (long size :
        new long[] {whole - SumsPage.BYTES + 3, 8192, 4096, SumsHeader.BYTES, 100, 0}) {
      try (DiskFile sums = memory.open(STRAND.sumsFile())) {
        sums.resize(size);
      }
      assertThatThrownBy(() -> Blocks.read(open(), 0))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining(size < SumsHeader.BYTES ? STRAND.sumsFile() : "blocks 0 to 126");
    }
  }

  @Test
  void filesOfAnotherStrandAreForeign() throws IOException {
    BlockFile.create(disk, 9, 2, BlockSize.DEFAULT_BYTES).close();
    disk.rename(new StrandKey(9, 2).sumsFile(), STRAND.sumsFile());
    assertThatThrownBy(this::open).hasMessageContaining("foreign").hasMessageContaining("strand 2");
  }

  @Test
  void sumsSectorFromElsewhereIsReported() throws IOException {
    try (BlockFile file = open()) {
      Blocks.write(file, 130, Blocks.random(130));
      file.flush(131L * Blocks.SIZE);
    }
    byte[] sums = Blocks.file(memory, STRAND.sumsFile());
    int page = 2 * SumsPage.BYTES;
    byte[] sector = Arrays.copyOfRange(sums, page, page + SumsPage.SECTOR_BYTES);
    Blocks.overwrite(memory, STRAND.sumsFile(), page + SumsPage.SECTOR_BYTES, sector);
    assertThatThrownBy(() -> Blocks.read(open(), 127)).isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void blockWhoseCrcIsTheMarkOfAHoleIsKept() throws IOException {
    byte[] content = contentWithCrcZero(5);
    try (BlockFile file = open()) {
      Blocks.write(file, 5, content);
      file.flush(6L * Blocks.SIZE);
      assertThat(Blocks.read(file, 5)).isEqualTo(content);
    }
    assertThat(Blocks.read(open(), 5)).isEqualTo(content);
    disk.flipBit(STRAND.dataFile(), 8L * 5 * Blocks.SIZE + 1);
    assertRotten(5);
  }

  /**
   * CRCs are affine in the last 32 bits of what they cover: solve for the bits that make it zero.
   */
  private static byte[] contentWithCrcZero(long block) {
    byte[] content = Blocks.random(99);
    Arrays.fill(content, Blocks.SIZE - 4, Blocks.SIZE, (byte) 0);
    int base = crc(block, content);
    int[] effect = new int[32];
    int[] bits = new int[32];
    for (int i = 0; i < 32; i++) {
      content[Blocks.SIZE - 4 + i / 8] = (byte) (1 << i % 8);
      effect[i] = crc(block, content) ^ base;
      bits[i] = 1 << i;
      content[Blocks.SIZE - 4 + i / 8] = 0;
    }
    int wanted = base;
    int solution = 0;
    for (int column = 0; column < 32; column++) {
      int pivot = column;
      while ((effect[pivot] >>> column & 1) == 0) {
        pivot++;
      }
      swap(effect, pivot, column);
      swap(bits, pivot, column);
      for (int row = 0; row < 32; row++) {
        if (row != column && (effect[row] >>> column & 1) == 1) {
          effect[row] ^= effect[column];
          bits[row] ^= bits[column];
        }
      }
    }
    for (int column = 0; column < 32; column++) {
      solution ^= (wanted >>> column & 1) == 1 ? bits[column] : 0;
    }
    for (int i = 0; i < 4; i++) {
      content[Blocks.SIZE - 4 + i] = (byte) (solution >>> 8 * i);
    }
    assertThat(crc(block, content)).isZero();
    return content;
  }

  private static void swap(int[] array, int a, int b) {
    int kept = array[a];
    array[a] = array[b];
    array[b] = kept;
  }

  private static int crc(long block, byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(java.nio.ByteBuffer.allocate(20).putLong(9).putInt(1).putLong(block).flip());
    crc.update(content);
    return (int) crc.getValue();
  }
}
