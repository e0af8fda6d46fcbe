package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;

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
