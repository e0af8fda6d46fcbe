package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.millrace.cache.MemoryBlockStore.Call;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/** What the cache asks of its store, and when. */
class BlockCacheTest extends CacheFixture {

  @Test
  void aWriteIsSeenBeforeAnyFlush() throws IOException {
    write(10, 5, 7);
    assertThat(read(8, 7)).containsExactly(0, 0, 7, 7, 7, 7, 7);
    assertThat(store.calls()).isEmpty();
    assertThat(strand.end()).isEqualTo(15);
  }

  @Test
  void readPastTheEndReturnsAShortCount() throws IOException {
    write(0, 10, 1);
    MemorySegment into = bytes(20, 9);
    assertThat(strand.read(6, into, 0, 20)).isEqualTo(4);
    assertThat(strand.read(10, into, 0, 20)).isZero();
    assertThat(strand.read(1L << 40, into, 0, 20)).isZero();
    assertThat(strand.read(0, into, 0, 0)).isZero();
    assertThat(into.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 4)).isEqualTo((byte) 9);
  }

  @Test
  void wrongPlacesAreRefusedWithTheBound() {
    MemorySegment some = bytes(10, 0);
    assertThatThrownBy(() -> strand.read(-1, some, 0, 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> strand.write(Long.MAX_VALUE, some, 0, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> strand.read(0, some, 5, 6))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> strand.gather(100, 8, -64, 3, some, 0, 8))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> strand.gather(0, 8, Long.MAX_VALUE / 2, 4, some, 0, 8))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cache.setBytes(B - 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.attach(store)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theLeastRecentlyUsedBlockGoesFirst() throws IOException {
    filled(3);
    touch(0, 1, 2, 0, 3);
    assertThat(readBlocks()).containsExactly(0L, 1L, 2L, 3L);
    touch(0, 2, 3);
    assertThat(readBlocks()).as("only block 1 is gone").hasSize(4);
    touch(1, 2, 3, 0);
    assertThat(readBlocks()).as("0 went, then 1 stays").containsExactly(0L, 1L, 2L, 3L, 1L, 0L);
    assertThat(cache.report().evictions()).isEqualTo(3);
  }

  @Test
  void randomUseEvictsAsAModelDoes() throws IOException {
    filled(5);
    java.util.LinkedHashMap<Long, Boolean> model = new java.util.LinkedHashMap<>(16, 0.75f, true);
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      long block = random.nextInt(9);
      store.forgetCalls();
      touch(block);
      assertThat(readBlocks()).hasSize(model.containsKey(block) ? 0 : 1);
      model.put(block, true);
      if (model.size() > 5) {
        model.remove(model.keySet().iterator().next());
      }
    }
  }

  @Test
  void neighbouringDirtyBlocksLeaveInOneWrite() throws IOException {
    for (int block : new int[] {4, 1, 3, 2, 7}) {
      write((long) block * B, B, block);
    }
    strand.flush();
    assertThat(store.calls())
        .containsExactly(
            new Call(Op.WRITE, 1, 4), new Call(Op.WRITE, 7, 1), new Call(Op.FLUSH, 0, 0));
    strand.flush();
    assertThat(store.calls()).as("nothing to do").hasSize(3);
  }

  @Test
  void writeBackBeginsBeforeAFlushOfWholeBlocksAndLeavesTheRestToIt() throws IOException {
    write(0, 3 * B, 1);
    write(5 * B + 1, 10, 2); // a part of a block
    strand.beginWriteBack(0, 6 * B);
    Eventually.holds(
        "whole blocks are written", () -> store.calls().equals(List.of(new Call(Op.WRITE, 0, 3))));
    strand.flush();
    assertThat(store.calls())
        .as("nothing is written twice")
        .containsExactly(
            new Call(Op.WRITE, 0, 3), new Call(Op.WRITE, 5, 1), new Call(Op.FLUSH, 0, 0));
  }

  @Test
  void whatCouldNotBeWrittenBeforeAFlushIsWrittenByIt() throws IOException {
    AtomicInteger tries = new AtomicInteger();
    store.fault =
        (op, block, count) -> {
          if (op == Op.WRITE && tries.getAndIncrement() == 0) {
            throw new MillraceException(ErrorCode.DISK, "once");
          }
        };
    write(0, B, 1);
    strand.beginWriteBack(0, B);
    Eventually.holds("it was tried", () -> tries.get() == 1);
    strand.flush();
    assertThat(tries.get()).isEqualTo(2);
    assertThat(store.durable()).startsWith((byte) 1);
  }

  @Test
  void anEvictedDirtyBlockTakesItsNeighboursAlong() throws IOException {
    for (int block = 0; block < 8; block++) {
      write((long) block * B, B, block);
    }
    write(100L * B, 1, 1);
    assertThat(store.calls()).containsExactly(new Call(Op.WRITE, 0, 8));
    assertThat(cache.report().dirtyBlocks()).isEqualTo(1);
  }

  @Test
  void writeBehindStartsWhenTooMuchIsDirty() throws IOException {
    cache.close();
    cache = make(CacheOptions.of(8L * B).withWriteBehindPercent(25));
    strand = cache.attach(store);
    for (int block = 0; block < 8; block++) {
      write(2L * block * B, B, block);
    }
    strand.flush();
    assertThat(cache.report().dirtyBlocks()).isZero();
    assertThat(store.calls(Op.WRITE)).hasSize(8);
    assertThat(store.calls(Op.WRITE).getFirst().block()).as("the longest dirty first").isZero();
  }

  @Test
  void aBlockOverwrittenWholeIsNotRead() throws IOException {
    filled(4);
    write(2L * B, B, 3);
    write(5L * B - 7, 2 * B + 14, 4);
    strand.flush();
    assertThat(readBlocks()).as("only the two cut blocks").containsExactly(4L, 7L);
  }

  @Test
  void aPartialWriteReadsOnlyWhenTheRestIsNeeded() throws IOException {
    filled(4);
    write(B + 100, 50, 1);
    write(B + 150, 50, 2);
    write(B + 90, 20, 3);
    assertThat(read(B + 95, 100)).hasSize(100);
    assertThat(store.calls()).isEmpty();
    byte[] all = read(B, B);
    assertThat(readBlocks()).containsExactly(1L);
    assertThat(Arrays.equals(all, 0, 90, content, B, B + 90)).isTrue();
    assertThat(all[90]).isEqualTo((byte) 3);
    assertThat(all[199]).isEqualTo((byte) 2);
    assertThat(all[200]).isEqualTo(content[B + 200]);
  }

  @Test
  void partialWritesApartReadTheRestOnce() throws IOException {
    filled(4);
    write(B + 100, 50, 1);
    write(B + 300, 50, 2);
    assertThat(readBlocks()).containsExactly(1L);
    strand.flush();
    assertThat(readBlocks()).containsExactly(1L);
    System.arraycopy(read(B, B), 0, content, B, B);
    assertThat(Arrays.mismatch(store.durable(), content)).isEqualTo(-1);
  }

  @Test
  void aGapOfOneByteKeepsTheByteOfTheStore() throws IOException {
    filled(4);
    write(B + 100, 50, 1);
    write(B + 151, 50, 2);
    write(3 * B + 100, 50, 1);
    write(3 * B + 49, 50, 2);
    assertThat(read(B + 150, 1)).containsExactly(content[B + 150]);
    assertThat(read(3 * B + 99, 1)).containsExactly(content[3 * B + 99]);
  }

  @Test
  void neighbouringPartialBlocksAreCompletedInOneRead() throws IOException {
    filled(8);
    for (int block = 2; block < 6; block++) {
      write(block * (long) B + 9, 9, block);
    }
    strand.flush();
    assertThat(store.calls())
        .containsExactly(
            new Call(Op.READ, 2, 4), new Call(Op.WRITE, 2, 4), new Call(Op.FLUSH, 0, 0));
  }

  @Test
  void whatTheStoreNeverHadIsNotRead() throws IOException {
    strand.resize(100L * B);
    write(50L * B + 5, 5, 5);
    assertThat(read(49L * B, 3 * B)[B + 5]).isEqualTo((byte) 5);
    strand.scatter(60L * B, 1, 100, 1000, bytes(1000, 6), 0, 1);
    strand.flush();
    assertThat(store.calls(Op.READ)).isEmpty();
    assertThat(store.end()).isEqualTo(100L * B);
  }

  @Test
  void memoryIsTakenAsNeededAndNeverBeyondTheLimit() throws IOException {
    filled(8);
    assertThat(cache.report().usedBytes()).isZero();
    touch(0, 1);
    assertThat(cache.report().usedBytes()).isEqualTo(2 * B);
    touch(2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(cache.report().usedBytes()).isEqualTo(8 * B);
    assertThat(cache.setBytes(3L * B + 5)).isEqualTo(3L * B);
    assertThat(cache.report().usedBytes()).isEqualTo(3 * B);
    store.forgetCalls();
    touch(7, 8, 9);
    assertThat(store.calls()).as("the newest stayed").isEmpty();
    assertThat(cache.setBytes(6L * B)).isEqualTo(6L * B);
    touch(1, 2, 3);
    touch(7, 8, 9);
    assertThat(readBlocks()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void shrinkingWritesWhatIsDirty() throws IOException {
    for (int block = 0; block < 8; block++) {
      write((long) block * B, B, block + 1);
    }
    cache.setBytes(2L * B);
    assertThat(cache.report().usedBytes()).isEqualTo(2 * B);
    for (int block = 0; block < 8; block++) {
      assertThat(read((long) block * B, 1)).containsExactly(block + 1);
    }
  }

  @Test
  void shrinkingThatCannotWriteFailsAndKeepsEverything() throws IOException {
    for (int block = 0; block < 8; block++) {
      write((long) block * B, B, block + 1);
    }
    failing(Op.WRITE, new DiskFullException("full"));
    assertThatThrownBy(() -> cache.setBytes(2L * B)).isInstanceOf(DiskFullException.class);
    cache.checkInvariants();
    assertThat(read(0, 1)).containsExactly(1);
    store.fault = (op, block, count) -> {};
    assertThat(cache.setBytes(2L * B)).isEqualTo(2L * B);
    assertThat(read(7L * B, 1)).containsExactly(8);
  }

  @Test
  void preloadFillsOnlyEmptySlots() throws IOException {
    filled(8);
    touch(15, 3);
    strand.preload(2L * B);
    assertThat(store.calls(Op.READ))
        .containsExactly(
            new Call(Op.READ, 15, 1),
            new Call(Op.READ, 3, 1),
            new Call(Op.READ, 2, 1),
            new Call(Op.READ, 4, 5));
    assertThat(cache.report().evictions()).isZero();
    strand.preload(0);
    touch(15, 2, 3, 4, 5, 6, 7, 8);
    assertThat(store.calls(Op.READ)).hasSize(4);
  }

  @Test
  void oneRequestLoadsItsBlocksInOneRead() throws IOException {
    filled(16);
    assertThat(Arrays.mismatch(read(B, 5 * B), Arrays.copyOfRange(content, B, 6 * B)))
        .isEqualTo(-1);
    assertThat(store.calls()).containsExactly(new Call(Op.READ, 1, 5));
    strand.gather(10L * B, 8, 4096, 64, bytes(512, 0), 0, 8);
    assertThat(store.calls(Op.READ))
        .containsExactly(new Call(Op.READ, 1, 5), new Call(Op.READ, 10, 4));
  }

  @Test
  void sequentialMissesReadAheadInGrowingRuns() throws IOException {
    filled(CacheOptions.of(64L * B).withReadAheadBytes(8L * B));
    for (int block = 0; block < 20; block++) {
      assertThat(
              Arrays.mismatch(
                  read(block * (long) B, B),
                  Arrays.copyOfRange(content, block * B, (block + 1) * B)))
          .isEqualTo(-1);
    }
    assertThat(store.calls())
        .containsExactly(
            new Call(Op.READ, 0, 1),
            new Call(Op.READ, 1, 1),
            new Call(Op.READ, 2, 2),
            new Call(Op.READ, 4, 4),
            new Call(Op.READ, 8, 8),
            new Call(Op.READ, 16, 4));
    assertThat(cache.report().readAheadIssued()).isEqualTo(18);
    assertThat(cache.report().readAheadUsed()).isEqualTo(18);
  }

  @Test
  void interleavedSequentialReadersEachReadAhead() throws IOException {
    filled(CacheOptions.of(64L * B).withReadAheadBytes(4L * B).withWriteBehindPercent(100));
    for (int i = 0; i < 4; i++) {
      touch(i, 8 + i, 15 + i);
    }
    assertThat(cache.report().readAheadUsed()).as("by each of three").isGreaterThanOrEqualTo(6);
  }

  @Test
  void hintsThatFollowEachOtherReadAhead() throws IOException {
    filled(CacheOptions.of(64L * B).withReadAheadBytes(4L * B).withWriteBehindPercent(100));
    strand.hint(0, 2L * B);
    touch(0, 1);
    assertThat(cache.report().readAheadIssued()).as("what was hinted at").isEqualTo(2);
    strand.hint(2L * B, 2L * B);
    touch(2, 3);
    assertThat(cache.report().readAheadIssued()).as("and more behind it").isGreaterThan(4);
    long issued = cache.report().readAheadIssued();
    strand.hint(0, 4L * B);
    assertThat(cache.report().readAheadIssued()).as("nothing was absent").isEqualTo(issued);
  }

  @Test
  void readAheadEvictsNothingDirty() throws IOException {
    filled(CacheOptions.of(8L * B).withReadAheadBytes(8L * B).withWriteBehindPercent(100));
    for (int block = 10; block < 18; block++) {
      write(block * (long) B, B, 1);
    }
    strand.hint(0, 4 * B);
    assertThat(store.calls()).isEmpty();
  }

  @Test
  void randomMissesDoNotReadAhead() throws IOException {
    filled(CacheOptions.of(64L * B).withReadAheadBytes(8L * B));
    touch(3, 9, 1, 15, 7);
    assertThat(readBlocks()).containsExactly(3L, 9L, 1L, 15L, 7L);
    assertThat(cache.report().readAheadIssued()).isZero();
  }

  @Test
  void aHintLoadsWithoutAnybodyWaiting() throws IOException {
    filled(8);
    strand.hint(3L * B + 5, 2 * B);
    touch(3, 4, 5);
    assertThat(store.calls()).containsExactly(new Call(Op.READ, 3, 3));
    failing(Op.READ, new MillraceException(ErrorCode.DISK, "broken"));
    strand.hint(9L * B, B);
    strand.hint(1L << 50, B);
    assertThatThrownBy(() -> touch(9)).hasMessageContaining("broken");
    store.fault = (op, block, count) -> {};
    touch(9);
  }
}
