package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.millrace.cache.MemoryBlockStore.Call;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/** Long hints, of more than one transfer, are loaded in the order of the file. */
class SweepTest extends CacheFixture {

  private static final int RUN = 2; // blocks of a transfer

  private final CountDownLatch disk = new CountDownLatch(1);

  /** Blocks in the cache, and a disk that does nothing until it is released. */
  private void held(int blocks) throws IOException {
    filled(
        CacheOptions.of((long) blocks * B)
            .withReadAheadBytes(0)
            .withRunBytes((long) RUN * B)
            .withWriteBehindPercent(100));
    store.fault = (op, block, count) -> await(disk);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void hint(long from, long to) {
    strand.hint(from * B, (to - from) * B);
  }

  private FutureTask<byte[]> reading(long block) {
    FutureTask<byte[]> task = new FutureTask<>(() -> read(block * B, B));
    Thread.ofPlatform().start(task);
    return task;
  }

  private List<Call> reads(long... firsts) {
    List<Call> calls = new ArrayList<>();
    for (long first : firsts) {
      calls.add(new Call(Op.READ, first, RUN));
    }
    return calls;
  }

  private void checkContent(long from, long to) throws IOException {
    for (long block = from; block < to; block++) {
      assertThat(read(block * B, 1)).containsExactly(content[(int) block * B]);
    }
  }

  @Test
  void whatManyAnnounceIsReadInTheOrderOfTheFile() throws Exception {
    held(64);
    hint(8, 12);
    hint(4, 8);
    hint(0, 4);
    hint(12, 16);
    disk.countDown();
    Eventually.holds("all is read", () -> store.calls().size() == 8);
    assertThat(store.calls()).isEqualTo(reads(8, 10, 12, 14, 0, 2, 4, 6));
    checkContent(0, 16);
    assertThat(cache.report().misses()).isZero();
  }

  @Test
  void whoeverNeedsABlockThatIsComingDoesNotReadItHimself() throws Exception {
    held(64);
    hint(0, 16);
    FutureTask<byte[]> far = reading(13);
    FutureTask<byte[]> near = reading(3);
    disk.countDown();
    assertThat(far.get()[0]).isEqualTo(content[13 * B]);
    assertThat(near.get()[0]).isEqualTo(content[3 * B]);
    checkContent(0, 16);
    assertThat(store.calls()).isEqualTo(reads(0, 2, 4, 6, 8, 10, 12, 14));
    assertThat(cache.report().misses()).isZero();
  }

  @Test
  void withoutRoomEverybodyGoesOnByHimself() throws Exception {
    held(6);
    hint(0, 4);
    hint(4, 8);
    hint(12, 16);
    FutureTask<byte[]> far = reading(15);
    disk.countDown();
    assertThat(far.get()[0]).isEqualTo(content[15 * B]);
    checkContent(0, 20);
  }

  @Test
  void itGoesOnWhenThereIsRoomAgain() throws Exception {
    held(8);
    disk.countDown();
    hint(0, 4);
    hint(4, 8);
    hint(8, 12);
    Eventually.holds("the cache is full", () -> store.calls().size() == 4);
    assertThat(cache.report().misses()).isZero();
    checkContent(0, 12);
    assertThat(store.calls()).as("nothing twice").doesNotHaveDuplicates();
  }

  @Test
  void aBlockThatCannotBeReadFailsOnlyThoseWhoNeedIt() throws Exception {
    held(64);
    store.fault =
        (op, block, count) -> {
          await(disk);
          if (op == Op.READ && block <= 5 && 5 < block + count) {
            throw new MillraceException(ErrorCode.DISK, "block 5");
          }
        };
    hint(0, 16);
    FutureTask<byte[]> wanted = reading(5);
    disk.countDown();
    assertThatThrownBy(wanted::get).hasMessageContaining("block 5");
    checkContent(0, 5);
    checkContent(6, 16);
  }

  @Test
  void whatIsCutOffIsNotReadAnyMore() throws Exception {
    held(64);
    hint(0, 16);
    FutureTask<byte[]> reader = reading(1);
    FutureTask<Void> cutter =
        new FutureTask<>(
            () -> {
              strand.resize(6L * B);
              return null;
            });
    Thread.ofPlatform().start(cutter);
    disk.countDown();
    cutter.get();
    assertThat(reader.get()[0]).isEqualTo(content[B]);
    strand.resize(16L * B);
    checkContent(0, 6);
    for (int block = 6; block < 16; block++) {
      assertThat(read((long) block * B, B)).containsOnly(0);
    }
  }

  @Test
  void aStrandIsDetachedWhileItIsSwept() throws Exception {
    held(64);
    hint(0, 16);
    FutureTask<byte[]> reader = reading(15);
    FutureTask<Void> detacher =
        new FutureTask<>(
            () -> {
              strand.detach(true);
              return null;
            });
    Thread.ofPlatform().start(detacher);
    disk.countDown();
    detacher.get();
    try {
      assertThat(reader.get()[0]).isEqualTo(content[15 * B]);
    } catch (java.util.concurrent.ExecutionException e) {
      assertThat(e).hasMessageContaining("detached");
    }
  }
}
