package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;

/** Pins that last from write to write, against all that a cache does with its blocks. */
final class KeptPinTest extends CacheFixture {

  private final TestSlabs slabs = new TestSlabs();
  private long pins;

  @BeforeEach
  void open() throws IOException {
    cache.close();
    CacheOptions options =
        CacheOptions.of(64L * B).withReadAheadBytes(0).withWriteBehindPercent(100);
    cache = new BlockCache(Env.real(), "kept", options.withDiskThreads(1), slabs);
    strand = cache.attach(store);
    store.strandEnd = strand::end;
  }

  /** A holder of blocks in another process. */
  private final class Holder {
    final TestCell cell = new TestCell(++pins);
    final long first;
    final Pin pin;
    final List<MemorySegment> blocks;

    Holder(long first, int count) throws IOException {
      this.first = first;
      pin =
          Objects.requireNonNull(
              strand.keep(List.of(new Pin.Blocks(first, count, false)), cell), "there is room");
      blocks = slabs.blocks(cache, pin, B);
    }

    void copy(long offset, int length, int value) {
      for (int i = 0; i < length; i++) {
        long at = offset + i - first * B;
        blocks
            .get((int) (at / B))
            .set(java.lang.foreign.ValueLayout.JAVA_BYTE, at % B, (byte) value);
      }
    }

    boolean end(long offset, int length) {
      return cell.end(offset - first * B, offset + length - first * B, B);
    }

    boolean write(long offset, int length, int value) {
      if (!cell.begin()) {
        return false;
      }
      copy(offset, length, value);
      return end(offset, length);
    }
  }

  @Test
  void aNotedWriteCountsAtOnceAndIsDurableAfterAFlush() throws IOException {
    Holder holder = new Holder(0, 2);
    assertThat(strand.end()).isZero();
    assertThat(holder.write(0, 100, 1)).isTrue();
    assertThat(strand.end()).isEqualTo(100);
    assertThat(read(0, 100)).containsOnly(1);
    assertThat(holder.write(B - 50, 100, 2)).isTrue();
    assertThat(read(B - 50, 100)).containsOnly(2);
    strand.flush();
    byte[] durable = Arrays.copyOf(store.durable(), B + 50);
    assertThat(Arrays.copyOfRange(durable, B - 50, B + 50)).containsOnly(2);
    assertThat(holder.write(B + 50, 10, 3)).isTrue();
    strand.flush();
    assertThat(Arrays.copyOfRange(store.durable(), B + 50, B + 60)).containsOnly(3);
    assertThat(holder.pin.release(true, 0)).isTrue();
  }

  @Test
  void aFlushWritesOnlyWhatWasWritten() throws IOException {
    Holder holder = new Holder(0, 8);
    holder.write(7L * B, 10, 1);
    strand.flush();
    long before = cache.report().bytesWritten();
    holder.write(2L * B, 10, 2);
    strand.flush();
    assertThat(cache.report().bytesWritten() - before).isEqualTo(B);
    holder.pin.release(true, 0);
    strand.flush();
    assertThat(cache.report().bytesWritten() - before).isEqualTo(B);
  }

  @Test
  void whatIsNotEndedDoesNotCountForTheSize() throws IOException {
    Holder holder = new Holder(0, 1);
    assertThat(holder.cell.begin()).isTrue();
    holder.copy(0, 100, 9);
    assertThat(strand.end()).isZero();
    strand.flush();
    holder.pin.holderGone();
    assertThat(strand.end()).isZero();
    strand.extend(100);
    assertThat(read(0, 100)).containsOnly(0);
  }

  @Test
  void whatWasNotedBeforeTheHolderDiedStays() throws IOException {
    Holder holder = new Holder(0, 1);
    holder.write(0, 100, 1);
    assertThat(holder.cell.begin()).isTrue();
    holder.copy(100, 50, 2);
    holder.pin.holderGone();
    assertThat(strand.end()).isEqualTo(100);
    strand.flush();
    assertThat(Arrays.copyOf(store.durable(), 100)).containsOnly(1);
  }

  @Test
  void anIdleHolderLosesItsBlocksWithoutQuarantine() throws IOException {
    Holder holder = new Holder(0, 1);
    holder.write(0, 10, 1);
    holder.pin.expire();
    assertThat(holder.pin.isOver()).isTrue();
    assertThat(cache.report().pinnedBytes()).isZero();
    assertThat(cache.report().quarantinedBlocks()).isZero();
    assertThat(holder.write(10, 10, 2)).isFalse();
    assertThat(strand.end()).isEqualTo(10);
    assertThat(read(0, 10)).containsOnly(1);
  }

  @Test
  void aBusyHolderIsRefusedAndDisturbsNobody() throws IOException {
    Holder stalled = new Holder(0, 1);
    Holder other = new Holder(0, 1);
    other.write(0, 10, 1);
    assertThat(stalled.cell.begin()).isTrue();
    stalled.copy(10, 5, 2);
    stalled.pin.expire();
    assertThat(cache.report().quarantinedBlocks()).isEqualTo(1);
    assertThat(other.write(20, 10, 3)).isFalse(); // its memory is the old one
    write(20, 10, 4);
    stalled.copy(10, 10, 2);
    assertThat(stalled.end(10, 10)).isFalse();
    assertThat(stalled.pin.release(true, 0)).isFalse();
    assertThat(read(0, 10)).containsOnly(1);
    assertThat(read(20, 10)).containsOnly(4);
    cache.checkInvariants();
    assertThat(cache.report().pinnedBytes()).isZero();
  }

  @Test
  void blocksAreNotLoadedToBeKeptButTheLastOne() throws IOException {
    write(0, 3 * B + 10, 1);
    strand.detach(false);
    strand = cache.attach(store);
    store.strandEnd = strand::end;
    long reads = cache.report().reads();
    assertThat(strand.keep(List.of(new Pin.Blocks(2, 4, false)), new TestCell(1))).isNull();
    assertThat(cache.report().reads()).isEqualTo(reads);
    Holder last = new Holder(3, 4);
    assertThat(last.write(3L * B + 10, 10, 2)).isTrue();
    assertThat(read(3L * B, 10)).containsOnly(1);
    assertThat(read(0, B)).containsOnly(1);
    Holder here = new Holder(0, 1);
    assertThat(here.write(10, 10, 3)).isTrue();
    assertThat(read(10, 10)).containsOnly(3);
    assertThat(read(20, 10)).containsOnly(1);
  }

  @Test
  void cuttingEndsWhatIsKept() throws IOException {
    Holder holder = new Holder(0, 4);
    holder.write(3L * B, 10, 1);
    strand.resize(5);
    assertThat(strand.end()).isEqualTo(5);
    assertThat(holder.write(3L * B + 10, 10, 1)).isFalse();
    assertThat(strand.end()).isEqualTo(5);
  }

  @Test
  void detachingEndsWhatIsKeptAndLosesNothing() throws IOException {
    Holder holder = new Holder(0, 4);
    holder.write(0, 10, 1);
    strand.detach(false);
    assertThat(holder.write(10, 10, 1)).isFalse();
    assertThat(Arrays.copyOf(store.durable(), 10)).containsOnly(1);
    strand = cache.attach(store);
    store.strandEnd = strand::end;
  }

  @Test
  void writersOfOneBlockDoNotDisturbEachOther() throws IOException {
    Holder one = new Holder(0, 2);
    Holder two = new Holder(1, 2);
    for (int i = 0; i < 20; i++) {
      assertThat((i % 2 == 0 ? one : two).write(B + i * 10L, 10, i)).isTrue();
      write(B + 1000L + i * 10L, 10, i);
    }
    assertThat(strand.end()).isEqualTo(B + 1200L);
    one.pin.expire();
    assertThat(two.write(2L * B, 10, 77)).isTrue();
    two.pin.release(true, 0);
    for (int i = 0; i < 20; i++) {
      assertThat(read(B + i * 10L, 10)).containsOnly(i);
      assertThat(read(B + 1000L + i * 10L, 10)).containsOnly(i);
    }
    assertThat(read(2L * B, 10)).containsOnly(77);
  }
}
