package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Real life keeps the contract. */
final class RealEnvTest extends EnvContractTest {

  @Override
  void run(Body body) throws Exception {
    Throwable[] thrown = {null};
    Thread thread =
        Env.real()
            .start(
                ThreadKind.RANK,
                "test",
                () -> {
                  try {
                    body.in(Env.real());
                  } catch (Throwable e) {
                    thrown[0] = e;
                  }
                });
    thread.join();
    if (thrown[0] != null) {
      throw new AssertionError(thrown[0]);
    }
  }

  @Test
  void memoryOfAnySizeIsAlignedZeroAndGoneWhenItsArenaIsClosed() {
    long large = LargePages.BYTES;
    for (long bytes : new long[] {1, 4096, large - 1, large, large + 1, 3 * large + 4096}) {
      MemorySegment memory;
      try (Arena arena = Env.real().arena()) {
        memory = arena.allocate(bytes, 4096);
        MemorySegment other = arena.allocate(bytes, 4096).fill((byte) 7);
        assertThat(memory.byteSize()).isEqualTo(bytes);
        assertThat(memory.address() % 4096).isZero();
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) bytes]))).isEqualTo(-1);
        memory.fill((byte) 1);
        assertThat(other.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
      }
      assertThat(memory.scope().isAlive()).isFalse();
    }
  }

  @Test
  void anInterruptOfWorkThatHasEndedDoesNotReachTheNext() throws Exception {
    Env env = Env.real();
    for (int i = 0; i < 20; i++) {
      var ended = new CountDownLatch(1);
      Thread worker = env.start(ThreadKind.SERVICE, "first", ended::countDown);
      ended.await();
      worker.interrupt();
      var interrupted = new CompletableFuture<Boolean>();
      env.start(
          ThreadKind.SERVICE,
          "second",
          () -> interrupted.complete(Thread.currentThread().isInterrupted()));
      assertThat(interrupted.get()).isFalse();
    }
  }
}
