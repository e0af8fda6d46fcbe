package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Real life keeps the contract. */
final class RealEnvTest extends EnvContractTest {

  private static final long PAGE = 4096;
  private static final long MIB = 1 << 20;

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

  @Test
  void largeMemoryIsZeroAlignedAndGoneWhenItIsClosed() {
    for (long bytes : new long[] {1, PAGE, MIB, 2 * MIB, 5 * MIB + PAGE}) {
      MemorySegment memory;
      try (Arena arena = Env.real().largeArena()) {
        memory = arena.allocate(bytes, PAGE);
        assertThat(memory.byteSize()).isEqualTo(bytes);
        assertThat(memory.address() % (bytes < 2 * MIB ? PAGE : 2 * MIB)).isZero();
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) bytes]))).isEqualTo(-1);
        memory.fill((byte) 7);
        MemorySegment other = arena.allocate(bytes, PAGE).fill((byte) 8);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
        assertThat(other.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 8);
      }
      assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void largeMemoryIsGivenOutUntouchedAndGivenBack() throws IOException {
    assumeThat(LargePages.isPossible()).isTrue();
    long before = residentBytes();
    try (Arena arena = Env.real().largeArena()) {
      MemorySegment memory = arena.allocate(256 * MIB, PAGE);
      assertThat(residentBytes() - before).isLessThan(128 * MIB);
      memory.fill((byte) 1);
      assertThat(residentBytes() - before).isGreaterThan(128 * MIB);
    }
    assertThat(residentBytes() - before).isLessThan(128 * MIB);
  }

  private static long residentBytes() throws IOException {
    String pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1];
    return Long.parseLong(pages) * PAGE;
  }
}
