package org.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;

/**
 * Writers of different bytes of the same blocks, through pins and through the cache, while pins
 * expire, holders die, blocks come and go and everything is flushed: each writer finds its own
 * bytes as it left them, and so does the store. So does a writer that reads them without a pin,
 * where they were when it had one.
 */
final class PinModelTest {

  private static final int B = 4096;
  private static final int SHARED = 10;
  private static final int BLOCKS = 14; // the last ones belong to one writer each
  private static final int WRITERS = 4;
  private static final int STEPS = 25;

  @Test
  void writersOfDifferentBytesNeverDisturbEachOther() {
    CacheModelTest.forSeeds(
        150,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> new World(env, seed, new TestSlabs()).run());
        });
  }

  @Test
  void aPlaceThatIsNotWithdrawnIsReadWithBytesOfAnotherBlock() {
    assertThatThrownBy(
            () ->
                CacheModelTest.forSeeds(
                    150,
                    seed -> {
                      SeededEnv env = SeededEnv.of(seed);
                      env.run(() -> new World(env, seed, new TestSlabs(false)).run());
                    }))
        .hasStackTraceContaining("without a pin");
  }

  @Test
  void placesAreReadAgainWithoutAPin() {
    AtomicInteger again = new AtomicInteger();
    CacheModelTest.forSeeds(
        20,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(
              () -> {
                World world = new World(env, seed, new TestSlabs());
                world.run();
                again.addAndGet(world.readAgain);
              });
        });
    assertThat(again).hasPositiveValue();
  }

  private static final class World {
    private final Env env;
    private final Random random;
    private final TestSlabs slabs;
    private final MemoryBlockStore store = new MemoryBlockStore(B);
    private final byte[] model = new byte[BLOCKS * B];
    private final List<Pin> held = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final BlockCache cache;
    private final CachedStrand strand;
    private final TestSlabs.@Nullable Known[] known = new TestSlabs.Known[BLOCKS];
    private int running = WRITERS;
    private int readAgain;

    World(Env env, long seed, TestSlabs slabs) {
      this.slabs = slabs;
      this.env = env;
      this.random = new Random(seed);
      random.nextBytes(model);
      store.fill(model);
      store.fault = (op, block, count) -> pause(300);
      CacheOptions options =
          CacheOptions.of(65536L * (1 + random.nextInt(2)))
              .withDiskThreads(2)
              .withWriteBehindPercent(random.nextInt(60));
      cache = new BlockCache(env, "pins", options, slabs);
      strand = cache.attach(store);
    }

    private void pause(int max) {
      try {
        env.sleep(1 + random.nextInt(max));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private interface Body {
      void run() throws IOException;
    }

    private Thread start(Body body) {
      return env.start(
          ThreadKind.RANK,
          "test",
          () -> {
            try {
              body.run();
            } catch (Throwable e) {
              failures.add(e);
            }
          });
    }

    void run() {
      List<Thread> threads = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        threads.add(start(() -> write(writer)));
      }
      threads.add(start(this::flush));
      threads.add(start(this::expire));
      try {
        for (Thread thread : threads) {
          thread.join();
        }
        for (Throwable failure : failures) {
          throw new AssertionError(failure);
        }
        cache.checkInvariants();
        check(cache.report().pinnedBytes() == 0, "all is given back");
        byte[] all = new byte[model.length];
        strand.read(0, MemorySegment.ofArray(all), 0, all.length);
        check(Arrays.equals(all, model), "read differs at " + Arrays.mismatch(all, model));
        strand.flush();
        check(Arrays.equals(store.durable(), model), "stored differs");
        cache.close();
        store.checkKept();
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private void flush() throws IOException {
      while (running > 0) {
        strand.flush();
        pause(2000);
      }
    }

    private void expire() throws IOException {
      while (running > 0) {
        pause(3000);
        if (!held.isEmpty()) {
          held.get(random.nextInt(held.size())).expire();
        }
        cache.checkInvariants();
      }
    }

    private void write(int writer) throws IOException {
      try {
        for (int i = 0; i < STEPS; i++) {
          boolean own = random.nextInt(5) == 0;
          int block = own ? SHARED + writer : random.nextInt(SHARED);
          switch (random.nextInt(6)) {
            case 0 -> scatter(writer, block, own, change(writer, block, own));
            case 1 -> read(writer, block, own);
            case 2, 3 -> readWithoutPin(writer, block, own);
            default -> writePinned(writer, block, own);
          }
          pause(400);
        }
      } finally {
        running--;
      }
    }

    private static boolean isOwn(int writer, int at, boolean own) {
      return own || at % WRITERS == writer;
    }

    /** The block with other bytes of this writer. */
    private byte[] change(int writer, int block, boolean own) {
      byte[] changed = Arrays.copyOfRange(model, block * B, (block + 1) * B);
      for (int i = 0; i < B; i++) {
        changed[i] = isOwn(writer, i, own) ? (byte) random.nextInt() : changed[i];
      }
      return changed;
    }

    private void keep(int writer, int block, boolean own, byte[] bytes) {
      for (int i = 0; i < B; i++) {
        if (isOwn(writer, i, own)) {
          model[block * B + i] = bytes[i];
        }
      }
    }

    private void scatter(int writer, int block, boolean own, byte[] bytes) throws IOException {
      MemorySegment from = MemorySegment.ofArray(bytes);
      long at = (long) block * B;
      if (own) {
        strand.write(at, from, 0, B);
      } else {
        strand.scatter(at + writer, 1, WRITERS, B / WRITERS, from, writer, WRITERS);
      }
      keep(writer, block, own, bytes);
    }

    private void read(int writer, int block, boolean own) throws IOException {
      Pin pin = strand.pin(List.of(new Pin.Blocks(block, 1, false)), false);
      if (pin == null) {
        return;
      }
      held.add(pin);
      MemorySegment memory = slabs.blocks(cache, pin, B).getFirst();
      known[block] = slabs.known(cache, pin, B);
      pause(2000);
      for (int i = 0; i < B; i++) {
        boolean same = memory.get(JAVA_BYTE, i) == model[block * B + i];
        check(same || !isOwn(writer, i, own), "writer " + writer + " block " + block + " at " + i);
      }
      held.remove(pin);
      check(pin.release(false, 0), "a reader is never refused");
    }

    /** Reads where the block was, slowly; if it was there all the time, that counts. */
    private void readWithoutPin(int writer, int block, boolean own) throws IOException {
      TestSlabs.Known place = known[block];
      if (place == null || !place.isUnchanged()) {
        read(writer, block, own);
        return;
      }
      byte[] copy = new byte[B];
      for (int i = 0; i < B; i++) {
        if (i % 1000 == 0) {
          pause(1000);
        }
        copy[i] = place.memory().get(JAVA_BYTE, i);
      }
      if (place.isUnchanged()) {
        readAgain++;
        for (int i = 0; i < B; i++) {
          boolean same = copy[i] == model[block * B + i];
          check(
              same || !isOwn(writer, i, own),
              "without a pin: writer " + writer + " block " + block + " at " + i);
        }
      }
    }

    private void writePinned(int writer, int block, boolean own) throws IOException {
      byte[] bytes = change(writer, block, own);
      Pin pin = strand.pin(List.of(new Pin.Blocks(block, 1, own)), true);
      if (pin == null) {
        scatter(writer, block, own, bytes);
        return;
      }
      held.add(pin);
      MemorySegment memory = slabs.blocks(cache, pin, B).getFirst();
      int dies = random.nextInt(6) == 0 ? random.nextInt(B) : B;
      for (int i = 0; i < dies; i++) {
        if (i % 1000 == 0) {
          pause(1000);
        }
        if (isOwn(writer, i, own)) {
          memory.set(JAVA_BYTE, i, bytes[i]);
        }
      }
      held.remove(pin);
      if (dies < B) {
        pin.holderGone();
        oldOrNew(writer, block, own, bytes);
      } else if (pin.release(true, 0)) {
        keep(writer, block, own, bytes);
      } else {
        scatter(writer, block, own, bytes);
      }
    }

    /** After the death of a writer each of its bytes is what it was or what it should be. */
    private void oldOrNew(int writer, int block, boolean own, byte[] bytes) throws IOException {
      byte[] now = new byte[B];
      strand.read((long) block * B, MemorySegment.ofArray(now), 0, B);
      for (int i = 0; i < B; i++) {
        boolean known = now[i] == bytes[i] || now[i] == model[block * B + i];
        check(known || !isOwn(writer, i, own), "neither old nor new: block " + block + " at " + i);
      }
      keep(writer, block, own, now);
    }

    private static void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(what);
      }
    }
  }
}
