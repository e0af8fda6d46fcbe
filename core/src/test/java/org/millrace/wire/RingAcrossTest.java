package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.testing.Seeds;

/** Rings between two threads and between two processes that sleep as soon as they can. */
final class RingAcrossTest {

  @TempDir private Path base;

  RingAcrossTest() {}

  @Test
  void nobodyOversleepsBetweenThreads() throws Exception {
    for (long seed : Seeds.of(2)) {
      stream(seed, 64, 300_000);
      stream(seed, 4096, 10_000_000);
    }
  }

  /** Two threads that sleep whenever they can; a wake-up that is lost leaves both asleep. */
  private static void stream(long seed, int capacity, long total) throws Exception {
    MemorySegment region = Arena.ofAuto().allocate(Ring.bytesFor(capacity), 128);
    Semaphore readerBell = new Semaphore(0);
    Semaphore writerBell = new Semaphore(0);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    write(new RingWriter(region), seed, total, readerBell, writerBell);
                  } catch (Throwable e) {
                    failure.set(e);
                    readerBell.release(1000);
                  }
                });
    RingReader reader = new RingReader(region);
    Random content = new Random(seed);
    Random sizes = new Random(~seed);
    byte[] target = new byte[capacity];
    byte[] expected = new byte[1];
    for (long done = 0; done < total && failure.get() == null; ) {
      int read = reader.read(MemorySegment.ofArray(target), 0, 1 + sizes.nextInt(capacity));
      if (reader.release()) {
        writerBell.release();
      }
      for (int i = 0; i < read; i++) {
        content.nextBytes(expected);
        if (target[i] != expected[0]) {
          throw new AssertionError("byte " + (done + i) + ", " + Seeds.replay(seed));
        }
      }
      done += read;
      if (read == 0 && reader.park()) {
        readerBell.acquire();
      }
      reader.unpark();
    }
    thread.join();
    assertThat(failure.get()).isNull();
  }

  private static void write(
      RingWriter writer, long seed, long total, Semaphore readerBell, Semaphore writerBell)
      throws Exception {
    Random content = new Random(seed);
    Random sizes = new Random(seed + 1);
    byte[] one = new byte[1];
    for (long done = 0; done < total; ) {
      byte[] bytes = new byte[(int) Math.min(total - done, 1 + sizes.nextInt(writer.capacity()))];
      for (int i = 0; i < bytes.length; i++) {
        content.nextBytes(one);
        bytes[i] = one[0];
      }
      for (int placed = 0; placed < bytes.length; ) {
        placed += writer.write(MemorySegment.ofArray(bytes), placed, bytes.length - placed);
        if (writer.publish()) {
          readerBell.release();
        }
        if (placed < bytes.length && writer.park(1 + sizes.nextInt(bytes.length - placed))) {
          writerBell.acquire();
        }
        writer.unpark();
      }
      done += bytes.length;
    }
  }

  @Test
  void nobodyOversleepsInPingPong() throws Exception {
    MemorySegment there = Arena.ofAuto().allocate(Ring.bytesFor(8), 128);
    MemorySegment back = Arena.ofAuto().allocate(Ring.bytesFor(8), 128);
    Semaphore[] bells = {new Semaphore(0), new Semaphore(0)};
    int rounds = 200_000;
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    pingPong(new RingReader(there), new RingWriter(back), bells, 1, rounds);
                  } catch (Throwable e) {
                    failure.set(e);
                    bells[0].release(1000);
                  }
                });
    RingWriter writer = new RingWriter(there);
    writer.write(MemorySegment.ofArray(new byte[1]), 0, 1);
    if (writer.publish()) {
      bells[1].release();
    }
    pingPong(new RingReader(back), writer, bells, 0, rounds);
    thread.join();
    assertThat(failure.get()).isNull();
  }

  /** Side 0 stops after its last read, side 1 after its last write. */
  private static void pingPong(
      RingReader reader, RingWriter writer, Semaphore[] bells, int side, int rounds)
      throws Exception {
    MemorySegment value = MemorySegment.ofArray(new byte[1]);
    for (int round = 0; round < rounds; round++) {
      while (reader.read(value, 0, 1) == 0) {
        if (reader.park()) {
          bells[side].acquire();
        }
        reader.unpark();
      }
      reader.release();
      if (side == 0 && round == rounds - 1) {
        return;
      }
      assertThat(writer.write(value, 0, 1)).isEqualTo(1);
      if (writer.publish()) {
        bells[1 - side].release();
      }
    }
  }

  /**
   * The moment that counts, many times over: one side is about to sleep while the other gives it a
   * reason not to. Each of many rings is used once, by two threads that run along them side by
   * side.
   */
  @Test
  void whoFallsAsleepIsSeenOrSees() throws Exception {
    for (int round = 0; round < 10 * Seeds.CAMPAIGN; round++) {
      Moment[] moments = new Moment[10_000];
      Arrays.setAll(moments, i -> new Moment());
      AtomicInteger steps = new AtomicInteger();
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      along(moments, steps, Moment::wake);
                    } catch (Throwable e) {
                      failure.set(e);
                    }
                  });
      along(moments, steps, Moment::sleep);
      thread.join();
      assertThat(failure.get()).isNull();
      assertThat(moments).noneMatch(moment -> moment.readerSleeps && !moment.readerIsWoken);
      assertThat(moments).noneMatch(moment -> moment.writerSleeps && !moment.writerIsWoken);
    }
  }

  private interface Step {
    void take(Moment moment) throws IOException;
  }

  private static void along(Moment[] moments, AtomicInteger steps, Step step) throws IOException {
    int batch = 50;
    for (int i = 0; i < moments.length; i++) {
      if (i % batch == 0) {
        steps.incrementAndGet();
        while (steps.get() < 2 * (i / batch + 1)) {
          Thread.onSpinWait();
        }
      }
      step.take(moments[i]);
    }
  }

  /** An empty ring whose reader falls asleep, and a full one whose writer does. */
  private static final class Moment {
    private final MemorySegment one = Arena.ofAuto().allocate(Ring.bytesFor(8), 128);
    private final MemorySegment two = Arena.ofAuto().allocate(Ring.bytesFor(8), 128);
    private final RingReader emptyReader = new RingReader(one);
    private final RingWriter emptyWriter = new RingWriter(one);
    private final RingReader fullReader = new RingReader(two);
    private final RingWriter fullWriter = new RingWriter(two);
    private final MemorySegment eight = MemorySegment.ofArray(new byte[8]);
    private boolean readerSleeps;
    private boolean readerIsWoken;
    private boolean writerSleeps;
    private boolean writerIsWoken;

    Moment() {
      try {
        emptyWriter.write(eight, 0, 1);
        fullWriter.write(eight, 0, 8);
        fullWriter.publish();
        fullReader.read(eight, 0, 8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void sleep() throws IOException {
      readerSleeps = emptyReader.park();
      writerSleeps = fullWriter.park(8);
    }

    void wake() throws IOException {
      readerIsWoken = emptyWriter.publish();
      writerIsWoken = fullReader.release();
    }
  }

  @Test
  void streamsCrossProcesses() throws Exception {
    SharedFolder folder = SharedFolder.open(Env.real(), base);
    int capacity = 1024;
    long half = Ring.bytesFor(capacity);
    try (SharedMemory memory = folder.create(2 * half)) {
      Process child = Child.start("echo", base.toString(), memory.path().toString(), "" + 2 * half);
      try (InputStream bell = child.getInputStream();
          OutputStream peer = child.getOutputStream()) {
        RingWriter writer = new RingWriter(memory.segment().asSlice(0, half));
        RingReader reader = new RingReader(memory.segment().asSlice(half));
        for (long seed : Seeds.of(3)) {
          exchange(seed, reader, writer, bell, peer);
        }
      } finally {
        child.destroyForcibly().waitFor();
      }
    }
  }

  private static void exchange(
      long seed, RingReader reader, RingWriter writer, InputStream bell, OutputStream peer)
      throws IOException {
    Random random = new Random(seed);
    byte[] bytes = new byte[1_000_000];
    random.nextBytes(bytes);
    byte[] echoed = new byte[bytes.length];
    int sent = 0;
    int received = 0;
    while (received < bytes.length) {
      int max = Math.min(bytes.length - sent, random.nextInt(2000));
      int wrote = writer.write(MemorySegment.ofArray(bytes), sent, max);
      Child.ring(writer.publish(), peer);
      sent += wrote;
      max = Math.min(bytes.length - received, 1 + random.nextInt(2000));
      int read = reader.read(MemorySegment.ofArray(echoed), received, max);
      Child.ring(reader.release(), peer);
      received += read;
      boolean idle = wrote == 0 && read == 0 && received < bytes.length;
      if (idle && reader.park() && (sent == bytes.length || writer.park(1))) {
        assertThat(bell.read()).as(Seeds.replay(seed)).isNotNegative();
      }
      reader.unpark();
      writer.unpark();
    }
    for (int i = 0; i < bytes.length; i++) {
      if (echoed[i] != (byte) (bytes[i] + 1)) {
        throw new AssertionError("byte " + i + ", " + Seeds.replay(seed));
      }
    }
  }
}
