package org.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.env.Env;

/** Blocks that are lent to other processes, against all that a cache does with its blocks. */
final class PinTest extends CacheFixture {

  private final TestSlabs slabs = new TestSlabs();

  private void open(int blocks) throws IOException {
    cache.close();
    new Random(1).nextBytes(content);
    store.fill(content);
    CacheOptions options =
        CacheOptions.of((long) blocks * B).withReadAheadBytes(0).withWriteBehindPercent(100);
    cache = new BlockCache(Env.real(), "pins", options.withDiskThreads(1), slabs);
    strand = cache.attach(store);
    store.strandEnd = strand::end;
    store.forgetCalls();
  }

  private Pin pin(boolean write, long first, int count) throws IOException {
    return pin(write, first, count, false);
  }

  private Pin pin(boolean write, long first, int count, boolean whole) throws IOException {
    return Objects.requireNonNull(
        strand.pin(List.of(new Pin.Blocks(first, count, whole)), write), "there is room");
  }

  private MemorySegment only(Pin pin) {
    return slabs.blocks(cache, pin, B).getFirst();
  }

  private static byte[] bytesOf(MemorySegment memory) {
    return memory.toArray(JAVA_BYTE);
  }

  /** What a crash would leave of a block. */
  private byte[] kept(int block) {
    return Arrays.copyOf(Arrays.copyOfRange(store.durable(), block * B, (block + 1) * B), B);
  }

  private byte[] stored(int block) {
    return Arrays.copyOfRange(content, block * B, (block + 1) * B);
  }

  @Test
  void pinnedBlocksAreReadWhereTheyLie() throws IOException {
    open(256);
    Pin pin = pin(false, 2, 3);
    List<MemorySegment> blocks = slabs.blocks(cache, pin, B);
    assertThat(pin.places()).hasSize(1); // neighbours lie side by side
    for (int i = 0; i < 3; i++) {
      assertThat(bytesOf(blocks.get(i))).isEqualTo(stored(2 + i));
    }
    assertThat(pin.end()).isEqualTo(20L * B);
    assertThat(pin.release(false, 0)).isTrue();
  }

  @Test
  void whatHasNoMemoryIsAHole() throws IOException {
    open(40);
    strand.extend(30L * B);
    Pin pin = pin(false, 18, 6);
    assertThat(pin.places().getLast()).isEqualTo(new Pin.Place(-1, 0, 0, 4));
    List<MemorySegment> blocks = slabs.blocks(cache, pin, B);
    assertThat(blocks).hasSize(6);
    assertThat(bytesOf(blocks.get(1))).isEqualTo(stored(19));
    pin.release(false, 0);
  }

  @Test
  void aPinnedBlockStaysWhileOthersComeAndGo() throws IOException {
    open(8);
    Pin pin = pin(false, 0, 1);
    for (int i = 1; i < 20; i++) {
      touch(i);
    }
    assertThat(bytesOf(only(pin))).isEqualTo(stored(0));
    store.forgetCalls();
    touch(0);
    assertThat(store.calls()).isEmpty();
    pin.release(false, 0);
    for (int i = 1; i < 20; i++) {
      touch(i);
    }
    store.forgetCalls();
    touch(0);
    assertThat(store.calls()).hasSize(1); // it could go again
  }

  private TestSlabs.Known known(int block) throws IOException {
    Pin pin = pin(false, block, 1);
    TestSlabs.Known known = slabs.known(cache, pin, B);
    pin.release(false, 0);
    return known;
  }

  @Test
  void aBlockThatOthersReadWithoutAskingStaysAsIfItHadBeenAskedFor() throws IOException {
    open(8);
    TestSlabs.Known read = known(0);
    TestSlabs.Known unread = known(1);
    for (int i = 2; i < 20; i++) {
      read.mark();
      touch(i);
      assertThat(read.isUnchanged()).isTrue();
    }
    assertThat(unread.isUnchanged()).isFalse();
    for (int i = 1; i < 20; i++) {
      touch(i);
    }
    assertThat(read.isUnchanged()).as("nobody reads it any more").isFalse();
  }

  @Test
  void marksKeepNoBlockWhereAllBlocksAreMarked() throws IOException {
    open(8);
    for (int i = 0; i < 20; i++) {
      known(i).mark();
    }
    store.forgetCalls();
    touch(0);
    assertThat(store.calls()).as("it could go").hasSize(1);
  }

  /** Once, the end of a pin cleared what a thread of the node was just writing behind the end. */
  @Test
  void theEndOfAPinSparesWhatIsJustBeingWritten() throws IOException {
    open(64);
    strand.extend(30L * B);
    long start = 30L * B; // the file's end
    Pin pin = pin(true, 30, 1);
    only(pin).asSlice(0, 10).fill((byte) 1);
    only(pin).asSlice(9000, 10).fill((byte) 3);
    BlockPinner lease = strand.pinner();
    lease.write(30, 10, 8000, false);
    lease.memory().asSlice(10, 7990).fill((byte) 2);
    assertThat(pin.release(true, start + 10)).isTrue();
    lease.release(true, 7990, 1);
    assertThat(read(start + 10, 7990)).containsOnly(2);
    strand.extend(start + 10_000);
    assertThat(read(start + 8000, 2000)).containsOnly(0); // what was not to be written is cleared
  }

  @Test
  void noMoreThanAQuarterIsPinned() throws IOException {
    open(8);
    assertThat(strand.pin(List.of(new Pin.Blocks(0, 3, false)), false)).isNull();
    Pin two = pin(false, 0, 2);
    Pin again = pin(false, 0, 1); // the same block, by another
    assertThat(strand.pin(List.of(new Pin.Blocks(2, 1, false)), true)).isNull();
    two.release(false, 0);
    again.release(false, 0);
    pin(true, 2, 1).release(true, 0);
  }

  /** A glance takes place where requests arrive: what fails there ends the connection. */
  @Test
  void aGlanceAtBlocksThatCannotBePinnedFailsNeverAndTakesNoMemory() throws IOException {
    open(16);
    Pin.Blocks beyond = new Pin.Blocks(Long.MAX_VALUE / B, 1, false);
    assertThat(strand.isReadyToPin(List.of(beyond), false)).isFalse();
    assertThatThrownBy(() -> strand.pin(List.of(beyond), false))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining(beyond.toString());
    int many = Integer.MAX_VALUE;
    List<Pin.Blocks> all = List.of(new Pin.Blocks(0, many, false));
    List<Pin.Blocks> more = List.of(all.getFirst(), new Pin.Blocks(many, many, false));
    for (List<Pin.Blocks> wanted : List.of(all, more)) {
      assertThat(strand.isReadyToPin(wanted, false)).as("it is refused at once").isTrue();
      assertThat(strand.pin(wanted, false)).isNull();
    }
  }

  @Test
  void quarantineCountsAsPinned() throws IOException {
    open(8);
    Pin two = pin(false, 0, 2);
    two.expire();
    assertThat(strand.pin(List.of(new Pin.Blocks(5, 1, false)), false)).isNull();
    cache.checkInvariants();
    assertThat(cache.report().quarantinedBlocks()).isEqualTo(2);
    two.holderGone();
    assertThat(cache.report().quarantinedBlocks()).isZero();
    assertThat(cache.report().pinnedBytes()).isZero();
    pin(false, 5, 1).release(false, 0);
  }

  @Test
  void bytesWrittenIntoAPinAreSeenAndStored() throws IOException {
    open(40);
    Pin pin = pin(true, 3, 1);
    only(pin).asSlice(100, 50).fill((byte) 7);
    assertThat(read(3L * B + 100, 50)).containsOnly(7);
    assertThat(pin.release(true, 0)).isTrue();
    strand.flush();
    byte[] expected = stored(3);
    Arrays.fill(expected, 100, 150, (byte) 7);
    assertThat(kept(3)).isEqualTo(expected);
  }

  @Test
  void writeBackOfABlockThatIsBeingWrittenLosesNothing() throws IOException {
    open(40);
    Pin one = pin(true, 3, 1);
    Pin other = pin(true, 3, 1);
    write(3L * B, 10, 1);
    only(one).asSlice(100, 10).fill((byte) 2);
    strand.flush(); // marks it clean, with half of what comes
    only(other).asSlice(200, 10).fill((byte) 3);
    only(one).asSlice(110, 10).fill((byte) 2);
    assertThat(other.release(true, 0)).isTrue();
    strand.flush();
    assertThat(one.release(true, 0)).isTrue();
    strand.flush();
    byte[] kept = kept(3);
    assertThat(Arrays.copyOfRange(kept, 0, 10)).containsOnly(1);
    assertThat(Arrays.copyOfRange(kept, 100, 120)).containsOnly(2);
    assertThat(Arrays.copyOfRange(kept, 200, 210)).containsOnly(3);
  }

  @Test
  void bytesBeyondTheEndAreNotStoredBeforeTheyAreThere() throws IOException {
    open(40);
    strand.extend(20L * B + 10);
    write(20L * B, 10, 1);
    Pin pin = pin(true, 20, 1);
    only(pin).asSlice(10, 20).fill((byte) 2);
    strand.flush(); // the store insists on zeros beyond the end
    assertThat(strand.end()).isEqualTo(20L * B + 10);
    assertThat(pin.release(true, 20L * B + 30)).isTrue();
    assertThat(strand.end()).isEqualTo(20L * B + 30);
    strand.flush();
    assertThat(Arrays.copyOfRange(kept(20), 10, 30)).containsOnly(2);
  }

  @Test
  void aWriterThatDiesLeavesZerosBeyondTheEnd() throws IOException {
    open(40);
    Pin pin = pin(true, 19, 3);
    slabs.blocks(cache, pin, B).forEach(block -> block.fill((byte) 9));
    pin.holderGone();
    cache.checkInvariants();
    assertThat(strand.end()).isEqualTo(20L * B);
    assertThat(read(19L * B, B)).containsOnly(9);
    strand.extend(22L * B);
    assertThat(read(20L * B, 2 * B)).containsOnly(0);
  }

  @Test
  void aBlockThatIsOverwrittenWhollyIsNotLoaded() throws IOException {
    open(40);
    Pin pin = pin(true, 4, 2, true);
    assertThat(store.calls()).isEmpty();
    slabs.blocks(cache, pin, B).forEach(block -> block.fill((byte) 5));
    assertThat(pin.release(true, 6L * B)).isTrue();
    assertThat(store.calls()).isEmpty();
    strand.flush();
    assertThat(kept(5)).containsOnly(5);
  }

  @Test
  void aWriterOfWholeBlocksThatDiesLeavesTheOldOnes() throws IOException {
    open(40);
    Pin pin = pin(true, 4, 1, true);
    only(pin).asSlice(0, 1000).fill((byte) 5);
    pin.holderGone();
    assertThat(read(4L * B, B)).isEqualTo(stored(4));
  }

  @Test
  void othersWaitForAWriterOfAWholeBlock() throws Exception {
    open(40);
    Pin pin = pin(true, 4, 1, true);
    CompletableFuture<byte[]> reading =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return read(4L * B, B);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    only(pin).fill((byte) 5);
    assertThat(pin.release(true, 0)).isTrue();
    assertThat(reading.get()).containsOnly(5);
  }

  @Test
  void aReaderThatStallsKeepsItsBytesAndTheBlockGoesOn() throws IOException {
    open(8);
    Pin clean = pin(false, 0, 1);
    write(B, 10, 1);
    Pin dirty = pin(false, 1, 1);
    MemorySegment first = only(clean);
    MemorySegment second = only(dirty);
    byte[] before = bytesOf(second);
    clean.expire();
    dirty.expire();
    write(0, B, 3);
    write(B, B, 4);
    for (int i = 2; i < 20; i++) {
      touch(i);
    }
    assertThat(bytesOf(first)).isEqualTo(stored(0));
    assertThat(bytesOf(second)).isEqualTo(before);
    assertThat(read(0, B)).containsOnly(3);
    assertThat(read(B, B)).containsOnly(4);
    cache.checkInvariants();
    assertThat(clean.release(false, 0)).isTrue();
    assertThat(dirty.release(false, 0)).isTrue();
    assertThat(cache.report().pinnedBytes()).isZero();
  }

  @Test
  void aWriterThatStallsIsRefusedAndWhatItWritesLateIsNowhere() throws IOException {
    open(40);
    Pin pin = pin(true, 3, 1);
    MemorySegment memory = only(pin);
    memory.asSlice(0, 100).fill((byte) 1);
    pin.expire();
    memory.asSlice(100, 100).fill((byte) 2);
    assertThat(read(3L * B, 100)).containsOnly(1);
    assertThat(read(3L * B + 100, 100)).isEqualTo(Arrays.copyOfRange(stored(3), 100, 200));
    cache.checkInvariants();
    assertThat(pin.release(true, 0)).isFalse();
    strand.flush();
    assertThat(kept(3)[0]).isEqualTo((byte) 1); // old or new, each byte
    assertThat(cache.report().quarantinedBlocks()).isZero();
  }

  @Test
  void aWriterBesideOneThatStallsIsRefusedToo() throws IOException {
    open(40);
    Pin stalls = pin(true, 3, 1);
    Pin lives = pin(true, 3, 1);
    only(lives).asSlice(50, 10).fill((byte) 4);
    stalls.expire();
    only(lives); // its memory is the old one, so that later bytes would be lost
    assertThat(lives.release(true, 0)).isFalse();
    assertThat(read(3L * B + 50, 10)).containsOnly(4);
    stalls.holderGone();
    assertThat(cache.report().quarantinedBlocks()).isZero();
  }

  @Test
  void aStalledWriterOfAWholeBlockLeavesTheOldOne() throws IOException {
    open(40);
    Pin pin = pin(true, 3, 1, true);
    MemorySegment memory = only(pin);
    memory.fill((byte) 1);
    pin.expire();
    assertThat(read(3L * B, B)).isEqualTo(stored(3));
    memory.fill((byte) 2);
    assertThat(pin.release(true, 0)).isFalse();
    assertThat(read(3L * B, B)).isEqualTo(stored(3));
  }

  @Test
  void anExpiredPinFindsRoomInAFullCache() throws IOException {
    open(8);
    Pin pin = pin(true, 0, 2);
    for (int i = 2; i < 8; i++) {
      write((long) i * B, B, i); // all dirty
    }
    pin.expire();
    pin.holderGone();
    strand.flush();
    assertThat(kept(7)).containsOnly(7);
    assertThat(store.calls()).extracting(MemoryBlockStore.Call::op).contains(Op.WRITE);
  }

  @Test
  void aCutWaitsForPins() throws Exception {
    open(40);
    Pin pin = pin(true, 10, 1);
    CompletableFuture<Void> cut =
        CompletableFuture.runAsync(
            () -> {
              try {
                strand.resize(5L * B);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    only(pin).fill((byte) 1);
    assertThat(pin.release(true, 11L * B)).isTrue();
    cut.get();
    assertThat(strand.end()).isEqualTo(5L * B);
  }

  @Test
  void aDetachedStrandLeavesQuarantineBehind() throws IOException {
    open(40);
    Pin pin = pin(false, 0, 2);
    MemorySegment memory = only(pin);
    pin.expire();
    strand.detach(false);
    assertThat(bytesOf(memory)).isEqualTo(stored(0));
    pin.holderGone();
    strand = cache.attach(store);
    assertThat(cache.report().pinnedBytes()).isZero();
  }

  @Test
  void aCacheThatShrinksKeepsTheSlabsInQuarantine() throws IOException {
    open(256);
    Pin pin = pin(false, 0, 2);
    MemorySegment memory = only(pin);
    for (int i = 0; i < 20; i++) {
      touch(i);
    }
    pin.expire();
    cache.setBytes(2L * B);
    cache.checkInvariants();
    assertThat(bytesOf(memory)).isEqualTo(stored(0));
    pin.holderGone();
    assertThat(cache.setBytes(2L * B)).isEqualTo(2L * B);
    assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(2L * B);
  }

  @Test
  void aCacheThatIsClosedDoesNotTakeMemoryFromAReader() throws IOException {
    open(40);
    Pin pin = pin(false, 0, 1);
    MemorySegment memory = only(pin);
    pin.expire();
    cache.close();
    assertThat(bytesOf(memory)).isEqualTo(stored(0));
    cache = make(8);
    strand = cache.attach(store);
  }
}
