package org.millrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/** Starting other programs, and getting rid of them. */
class LaunchTest {

  private static final long LONG = 60_000_000_000L;

  @TempDir Path dir;

  @Test
  void linesAndStatusAndErrorsComeBack() throws Exception {
    Launch launch = new Launch(Env.real(), dir.resolve("errors"), LONG);
    List<String> lines = new ArrayList<>();
    Launch.End end =
        launch.run(List.of("sh", "-c", "echo one; echo two; echo bad >&2; exit 5"), lines::add);
    assertThat(lines).containsExactly("one", "two");
    assertThat(end).isEqualTo(new Launch.End(5, false));
    assertThat(launch.errors()).isEqualTo("bad");
  }

  /** The clock goes on only while nobody prints: after the second line, and then by the hour. */
  @Test
  void silentProgramIsKilledWithItsChildren() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Env hasty = new HastyEnv(() -> lines.size() == 2);
    Launch launch = new Launch(hasty, dir.resolve("errors"), LONG);
    String script = "trap '' TERM; sleep 1000 & echo $!; sleep 1000 & echo $!; wait; wait";
    Launch.End end = launch.run(List.of("sh", "-c", script), lines::add);
    assertThat(end.timedOut()).isTrue();
    assertThat(lines).hasSize(2);
    for (String pid : lines) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(child -> child.onExit().join());
    }
  }

  /** Real threads, but an hour passes with each look at the clock once the silence has begun. */
  private record HastyEnv(BooleanSupplier silent, AtomicLong now) implements Env {

    HastyEnv(BooleanSupplier silent) {
      this(silent, new AtomicLong());
    }

    @Override
    public long threadNumber() {
      return Env.real().threadNumber();
    }

    @Override
    public long nanoTime() {
      return silent.getAsBoolean() ? now.addAndGet(60 * LONG) : now.get();
    }

    @Override
    public void sleep(long nanos) {
      Thread.yield();
    }

    @Override
    public Thread start(ThreadKind kind, String name, Runnable body) {
      return Env.real().start(kind, name, body);
    }

    @Override
    public long wallMillis() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RandomGenerator random(String purpose) {
      throw new UnsupportedOperationException();
    }

    @Override
    public byte[] secretBytes(int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Signal signal(Lock lock) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void charge(Work work, long amount) {
      throw new UnsupportedOperationException();
    }
  }
}
