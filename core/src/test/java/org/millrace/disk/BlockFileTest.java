package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.PageCache;
import org.millrace.disk.Faults.Operation;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;

/** A strand on disk gives back what was written, sparse, exact at its end. */
final class BlockFileTest {

  private static final long ID = 0x2a;
  private static final String DATA = "000000000000002a-3.strand";

  private final MemoryDisk memory = new MemoryDisk("memory");
  private final Faults faults = Faults.seeded(1);
  private final Disk disk = new FaultyDisk(memory, faults);

  private BlockFile create() throws IOException {
    return BlockFile.create(disk, ID, 3, BlockSize.DEFAULT_BYTES);
  }

  private BlockFile open() throws IOException {
    return BlockFile.open(disk, ID, 3);
  }

  @Test
  void blocksAreReadBackBeforeAndAfterReopening() throws IOException {
    try (BlockFile file = create()) {
      Blocks.write(file, 1, Blocks.random(1));
      Blocks.write(file, 2, Blocks.random(2));
      Blocks.write(file, 1, Blocks.random(3));
      assertThat(Blocks.read(file, 1)).isEqualTo(Blocks.random(3));
      file.flush(3L * Blocks.SIZE);
      assertThat(file.end()).isEqualTo(3L * Blocks.SIZE);
    }
    try (BlockFile file = open()) {
      assertThat(file.end()).isEqualTo(3L * Blocks.SIZE);
      assertThat(Blocks.read(file, 0)).containsOnly(0);
      assertThat(Blocks.read(file, 1)).isEqualTo(Blocks.random(3));
      assertThat(Blocks.read(file, 2)).isEqualTo(Blocks.random(2));
      assertThat(Blocks.read(file, 1L << 40)).containsOnly(0);
    }
  }

  @Test
  void severalBlocksAreReadInOneTransfer() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 1, Blocks.random(1));
    Blocks.write(file, 3, Blocks.random(3));
    long before = faults.operations();
    try (Arena arena = Arena.ofShared()) {
      List<MemorySegment> into =
          List.of(
              arena.allocate(Blocks.SIZE),
              arena.allocate(Blocks.SIZE),
              arena.allocate(Blocks.SIZE),
              arena.allocate(Blocks.SIZE),
              arena.allocate(Blocks.SIZE));
      into.forEach(s -> s.fill((byte) 5));
      file.read(0, into);
      assertThat(faults.operations() - before).isEqualTo(1);
      for (int i = 0; i < 5; i++) {
        byte[] expected = i % 2 == 1 ? Blocks.random(i) : new byte[Blocks.SIZE];
        assertThat(into.get(i).toArray(ValueLayout.JAVA_BYTE)).as("block " + i).isEqualTo(expected);
      }
    }
  }

  @Test
  void holesAreReadWithoutTheDisk() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 9, Blocks.random(1));
    file.flush(10L * Blocks.SIZE);
    long before = faults.operations();
    assertThat(Blocks.read(file, 4)).containsOnly(0);
    assertThat(faults.operations()).isEqualTo(before);
  }

  @Test
  void dataFileIsPlainAndEndsWithTheStrand() throws IOException {
    BlockFile file = create();
    byte[] content = new byte[Blocks.SIZE];
    Arrays.fill(content, 0, 1000, (byte) 7);
    for (int end : new int[] {1000, 1001}) {
      content[end - 1] = 7;
      Blocks.write(file, 0, content);
      file.flush(end);
      assertThat(Blocks.file(memory, DATA)).isEqualTo(Arrays.copyOf(content, end));
      assertThat(Blocks.read(file, 0)).isEqualTo(content);
      assertThat(Blocks.read(open(), 0)).isEqualTo(content);
    }
    file.flush(5_000_000);
    assertThat(memory.open(DATA).size()).isEqualTo(5_000_000);
  }

  @Test
  void flushToldOfAnOldEndLosesNothing() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 0, Blocks.random(1));
    file.flush(100);
    assertThat(Blocks.read(file, 0)).isEqualTo(Blocks.random(1));
    Blocks.write(file, 5, Blocks.random(5));
    file.flush(200);
    assertThat(Blocks.read(file, 5)).isEqualTo(Blocks.random(5));
    file.flush(6L * Blocks.SIZE);
    file.flush(10);
    assertThat(file.end()).as("a flush never lowers the end").isEqualTo(6L * Blocks.SIZE);
    assertThat(Blocks.read(open(), 5)).isEqualTo(Blocks.random(5));
  }

  @Test
  void bytesBeyondTheDurableEndAreZeroAfterReopening() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 0, Blocks.random(1));
    Blocks.write(file, 5, Blocks.random(5));
    file.flush(100);
    BlockFile again = open();
    assertThat(again.end()).isEqualTo(100);
    assertThat(Blocks.read(again, 0))
        .isEqualTo(Arrays.copyOf(Arrays.copyOf(Blocks.random(1), 100), Blocks.SIZE));
    assertThat(Blocks.read(again, 5)).containsOnly(0);
    again.resize(6L * Blocks.SIZE);
    again.flush(6L * Blocks.SIZE);
    assertThat(Blocks.read(open(), 5)).containsOnly(0);
  }

  @Test
  void lastBlockOfSixteenTerabytesWorks() throws IOException {
    BlockFile file = create();
    long end = (16L << 40) - 1;
    long last = end / Blocks.SIZE;
    byte[] content = Blocks.random(1);
    content[Blocks.SIZE - 1] = 0;
    Blocks.write(file, last, content);
    file.flush(end);
    assertThat(Blocks.read(open(), last)).isEqualTo(content);
    assertThat(Blocks.read(open(), last / 2)).containsOnly(0);
    assertThat(memory.open(DATA).size()).isEqualTo(end);
  }

  @Test
  void sixteenTerabytesWorkInADirectory(@TempDir Path directory) throws IOException {
    for (PageCache use : PageCache.values()) {
      Path place = Files.createDirectory(directory.resolve(use.name()));
      try (Disk files =
              FileDisk.open(place, new FileDisk.Options(use.readsPast(), use.writesPast()));
          Arena arena = Arena.ofShared()) {
        long end = (15L << 40) - 1;
        MemorySegment block = arena.allocate(Blocks.SIZE, 4096);
        block.copyFrom(MemorySegment.ofArray(Blocks.random(1)));
        block.set(ValueLayout.JAVA_BYTE, Blocks.SIZE - 1, (byte) 0);
        try (BlockFile file = BlockFile.create(files, ID, 3, BlockSize.DEFAULT_BYTES)) {
          file.write(end / Blocks.SIZE, block);
          file.flush(end);
        }
        assertThat(Files.size(place.resolve(DATA))).isEqualTo(end);
        MemorySegment read = arena.allocate(Blocks.SIZE, 4096);
        BlockFile.open(files, ID, 3).read(end / Blocks.SIZE, List.of(read));
        assertThat(read.mismatch(block)).isEqualTo(-1);
      }
    }
  }

  @Test
  void resizeForgetsWhatLiesBehindTheEnd() throws IOException {
    BlockFile file = create();
    for (int i = 0; i < 8; i++) {
      Blocks.write(file, i, Blocks.random(i));
    }
    file.flush(8L * Blocks.SIZE);
    byte[] cut = Arrays.copyOf(Arrays.copyOf(Blocks.random(2), 10), Blocks.SIZE);
    Blocks.write(file, 2, cut);
    file.resize(2L * Blocks.SIZE + 10);
    assertThat(file.end()).isEqualTo(2L * Blocks.SIZE + 10);
    file.resize(8L * Blocks.SIZE);
    assertThat(Blocks.read(file, 5)).containsOnly(0);
    Blocks.write(file, 6, Blocks.random(60));
    file.flush(8L * Blocks.SIZE);
    for (BlockFile each : new BlockFile[] {file, open()}) {
      assertThat(Blocks.read(each, 1)).isEqualTo(Blocks.random(1));
      assertThat(Blocks.read(each, 2)).isEqualTo(cut);
      assertThat(Blocks.read(each, 5)).containsOnly(0);
      assertThat(Blocks.read(each, 6)).isEqualTo(Blocks.random(60));
    }
  }

  @Test
  void strandsAreListedAndRemoved() throws IOException {
    create();
    BlockFile.create(disk, 7, 0, BlockSize.DEFAULT_BYTES);
    disk.create("journal");
    disk.create("000000000000002a-03.strand");
    assertThat(BlockFile.listStrands(disk))
        .containsExactly(new StrandKey(7, 0), new StrandKey(ID, 3));
    assertThatThrownBy(this::create)
        .isInstanceOf(NameExistsException.class)
        .hasMessageContaining(DATA);
    BlockFile.remove(disk, ID, 3);
    assertThat(BlockFile.exists(disk, ID, 3)).isFalse();
    assertThat(BlockFile.exists(disk, 7, 0)).isTrue();
    disk.create(DATA);
    assertThat(BlockFile.listStrands(disk))
        .as("half a strand is listed, too")
        .contains(new StrandKey(ID, 3));
    create();
  }

  @Test
  void createdStrandSurvivesPowerLossAtOnce() throws IOException {
    create();
    assertThat(BlockFile.open(memory.crash(), ID, 3).end()).isZero();
  }

  @Test
  void missingFileIsNamed() throws IOException {
    for (String suffix : new String[] {".strand", ".sums", ".intents"}) {
      MemoryDisk fresh = new MemoryDisk("node-5");
      BlockFile.create(fresh, ID, 3, BlockSize.DEFAULT_BYTES).close();
      fresh.delete("000000000000002a-3" + suffix);
      assertThatThrownBy(() -> BlockFile.open(fresh, ID, 3))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT))
          .hasMessageStartingWith(
              "strand file 000000000000002a-3" + suffix + " is missing on disk node-5");
    }
  }

  @Test
  void wrongUseIsRefused() throws IOException {
    BlockFile file = create();
    assertThatThrownBy(() -> file.write(0, MemorySegment.ofArray(new byte[100])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100");
    assertThatThrownBy(() -> file.read(0, List.of(MemorySegment.ofArray(new byte[100]))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Blocks.read(file, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Blocks.read(file, Long.MAX_VALUE / Blocks.SIZE))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> file.flush(-1)).isInstanceOf(IllegalArgumentException.class);
    file.close();
    file.close();
    assertThatThrownBy(() -> Blocks.read(file, 0)).hasMessageContaining("closed");
  }

  @Test
  void manyScatteredBlocksKeepMemoryBounded() throws IOException {
    BlockFile file = create();
    int count = 700;
    byte[] content = Blocks.random(1);
    for (int i = 0; i < count; i++) {
      content[0] = (byte) i;
      Blocks.write(file, (long) i * SumsPage.ENTRIES, content);
    }
    file.flush((count * (long) SumsPage.ENTRIES + 1) * Blocks.SIZE);
    BlockFile again = open();
    for (int i = 0; i < count; i++) {
      content[0] = (byte) i;
      assertThat(Arrays.equals(Blocks.read(file, (long) i * SumsPage.ENTRIES), content)).isTrue();
      assertThat(Arrays.equals(Blocks.read(again, (long) i * SumsPage.ENTRIES), content)).isTrue();
    }
  }

  @Test
  void manyOverwritesKeepTheIntentsBounded() throws IOException {
    BlockFile file = create();
    file.write(0, MemorySegment.ofArray(new byte[1100 * Blocks.SIZE]));
    file.flush(1100L * Blocks.SIZE);
    for (int i = 0; i < 1100; i++) {
      Blocks.write(file, i, Blocks.random(7));
    }
    assertThat(memory.open("000000000000002a-3.intents").size())
        .isLessThan(1100L * Intents.FRAME_BYTES);
    assertThat(Blocks.read(open(), 1099)).isEqualTo(Blocks.random(7));
  }

  @Test
  void fullDiskLeavesWhatWasRight() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 0, Blocks.random(1));
    file.flush(Blocks.SIZE);
    Blocks.write(file, 1, Blocks.random(2));
    faults.fullAfter(600);
    assertThatThrownBy(() -> Blocks.write(file, 2, Blocks.random(3)))
        .isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> Blocks.write(file, 0, Blocks.random(3)))
        .isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> file.flush(2L * Blocks.SIZE)).isInstanceOf(DiskFullException.class);
    assertThat(Blocks.read(file, 0)).isEqualTo(Blocks.random(1));
    assertThat(Blocks.read(file, 1)).isEqualTo(Blocks.random(2));
    assertThat(Blocks.read(file, 2)).containsOnly(0);
    faults.clear();
    Blocks.write(file, 0, Blocks.random(4));
    file.flush(2L * Blocks.SIZE);
    BlockFile again = BlockFile.open(memory.crash(), ID, 3);
    assertThat(Blocks.read(again, 0)).isEqualTo(Blocks.random(4));
    assertThat(Blocks.read(again, 1)).isEqualTo(Blocks.random(2));
  }

  @Test
  void shortWriteIsAnErrorAndNotRot() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 0, Blocks.random(1));
    file.flush(Blocks.SIZE);
    Blocks.write(file, 0, Blocks.random(2));
    faults.shortTransfers(0.9);
    assertThatThrownBy(() -> Blocks.write(file, 0, Blocks.random(3))).hasMessageContaining("wrote");
    byte[] mixed = Blocks.read(file, 0);
    for (int i = 0; i < Blocks.SIZE; i++) {
      assertThat(mixed[i]).isIn(Blocks.random(2)[i], Blocks.random(3)[i]);
      i += 997;
    }
  }

  @Test
  void failedForceIsNeverFollowedBySuccess() throws IOException {
    BlockFile file = create();
    Blocks.write(file, 0, Blocks.random(1));
    faults.fail(Operation.FORCE, name -> name.equals(DATA), 0, 1);
    assertThatThrownBy(() -> file.flush(Blocks.SIZE)).hasMessageContaining("injected");
    faults.clear();
    assertThatThrownBy(() -> file.flush(Blocks.SIZE)).hasMessageContaining("earlier force");
    assertThat(Blocks.read(file, 0)).isEqualTo(Blocks.random(1));
  }

  /** A force takes longer than all else: each is one that a crash test would miss. */
  @Test
  void aFlushTakesTwoForcesOneMoreForOverwritingAndOneMoreForAPageOfSums() throws IOException {
    int[] forces = {0};
    Faults counting =
        Faults.seeded(1)
            .dropForces(
                _ -> {
                  forces[0]++;
                  return false;
                });
    FaultyDisk counted = new FaultyDisk(new MemoryDisk("memory"), counting);
    BlockFile file = BlockFile.create(counted, 1, 0, BlockSize.DEFAULT_BYTES);
    long[][] steps = {{0, 2}, {1, 2}, {0, 3}, {0, 3}, {SumsPage.ENTRIES, 3}, {2, 2}};
    for (int i = 0; i < steps.length; i++) {
      int before = forces[0];
      Blocks.write(file, steps[i][0], Blocks.random(i));
      Blocks.write(file, steps[i][0], Blocks.random(i + 1));
      file.flush((steps[i][0] + 1) * Blocks.SIZE);
      assertThat(forces[0] - before).as("step " + i).isEqualTo((int) steps[i][1]);
    }
  }
}
