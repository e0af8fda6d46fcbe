package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;

/** A flush and a change of size beside other work. */
class CacheBesideTest extends CacheFixture {

  @Test
  void aRottenBlockDoesNotKeepOthersFromBecomingDurable() throws IOException {
    filled(8);
    store.fault =
        (op, block, count) -> {
          if (op == Op.READ && block <= 2 && 2 < block + count) {
            throw new CorruptBlockException("block 2");
          }
        };
    write(2L * B + 5, 5, 1);
    write(4L * B, B, 1);
    write(6L * B + 5, 5, 1);
    assertThatThrownBy(strand::flush).isInstanceOf(CorruptBlockException.class);
    assertThat(store.durable()[4 * B]).isEqualTo((byte) 1);
    assertThat(store.durable()[6 * B + 5]).isEqualTo((byte) 1);
    write(2L * B, B, 1);
    strand.flush();
  }

  @Test
  void shrinkingWaitsForMemoryThatIsJustTaken() throws Exception {
    cache.close();
    cache = new BlockCache(Env.real(), "big", CacheOptions.of(32768L * B));
    strand = cache.attach(store);
    Thread writer = start(() -> write(0, 1, 1));
    while (cache.report().usedBytes() == 0) {
      Thread.onSpinWait();
    }
    cache.setBytes(2L * B);
    writer.join();
    assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(2L * B);
    cache.checkInvariants();
  }

  @Test
  void aFlushThatAnotherOneCoversDoesNotAskTheStore() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    store.fault =
        (op, block, count) -> {
          if (op == Op.FLUSH) {
            begun.countDown();
            await(end);
          }
        };
    write(0, 10, 1);
    Thread first = start(strand::flush);
    await(begun);
    Thread second = start(strand::flush);
    while (second.getState() != Thread.State.WAITING
        && second.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    end.countDown();
    first.join();
    second.join();
    assertThat(store.calls(Op.FLUSH)).hasSize(1);
  }

  private interface Body {
    void run() throws IOException;
  }

  private static Thread start(Body body) {
    return Env.real()
        .start(
            ThreadKind.RANK,
            "rank",
            () -> {
              try {
                body.run();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
