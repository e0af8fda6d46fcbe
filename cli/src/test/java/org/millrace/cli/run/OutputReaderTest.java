package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;

/** What a process printed is passed on, all of it, and nobody is waited for in vain. */
final class OutputReaderTest {

  private final Env env = Env.real();

  /** With a timeout of zero: the taker is held up until somebody waits for it. */
  @Test
  void linesThatAreTakenSlowlyAreNotLost() throws Exception {
    InputStream printed = new ByteArrayInputStream("a\nb\nc".getBytes(StandardCharsets.UTF_8));
    List<String> taken = new CopyOnWriteArrayList<>();
    CountDownLatch goOn = new CountDownLatch(1);
    OutputReader reader =
        OutputReader.start(
            "output",
            printed,
            line -> {
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              taken.add(line);
            });
    FutureTask<List<String>> end =
        new FutureTask<>(
            () -> {
              assertThat(OutputReader.awaitAll(List.of(reader), env, 0)).isTrue();
              return List.copyOf(taken);
            });
    Thread waiter = Thread.ofPlatform().daemon().start(end);
    while (waiter.getState() != Thread.State.TIMED_WAITING && !end.isDone()) {
      Thread.onSpinWait();
    }
    goOn.countDown();
    assertThat(end.get()).containsExactly("a", "b", "c");
  }

  @Test
  void outputThatOthersHoldOpenIsNotWaitedFor() throws Exception {
    List<String> taken = new CopyOnWriteArrayList<>();
    try (PipedOutputStream held = new PipedOutputStream();
        PipedInputStream printed = new PipedInputStream(held)) {
      OutputReader reader = OutputReader.start("output", printed, taken::add);
      held.write("a\n".getBytes(StandardCharsets.UTF_8));
      held.flush();
      while (taken.isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(OutputReader.awaitAll(List.of(reader), env, 0)).isFalse();
    }
  }
}
