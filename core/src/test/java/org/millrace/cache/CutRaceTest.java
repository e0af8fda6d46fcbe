package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.disk.BlockSize;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;

/** Cutting a strand while others write, flush and read it. */
class CutRaceTest {

  private static final int B = BlockSize.DEFAULT_BYTES;

  private interface Body {
    void run() throws IOException, InterruptedException;
  }

  private static void together(Env env, Body... bodies) {
    List<Thread> started = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (Body body : bodies) {
      started.add(
          env.start(
              ThreadKind.RANK,
              "rank",
              () -> {
                try {
                  body.run();
                } catch (Throwable e) {
                  failures.add(e);
                }
              }));
    }
    try {
      for (Thread thread : started) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.getFirst());
    }
  }

  private static void pause(Env env, Random chance) throws InterruptedException {
    env.sleep(1 + chance.nextInt(2000));
  }

  @Test
  void aHoleThatIsWrittenWhileItIsCutIsCutInTheStore() {
    CacheModelTest.forSeeds(
        200,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> cutHole(env, seed));
        });
  }

  private static void cutHole(Env env, long seed) {
    MemoryBlockStore store = new MemoryBlockStore();
    Random chance = new Random(seed);
    store.fault =
        (op, block, count) -> {
          try {
            pause(env, chance);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    try (BlockCache cache =
        new BlockCache(
            env, "cut", CacheOptions.of(8L * B).withWriteBehindPercent(0).withDiskThreads(2))) {
      CachedStrand strand = cache.attach(store);
      MemorySegment bytes = CacheFixture.bytes(200, 7);
      for (int round = 0; round < 5; round++) {
        strand.resize(3L * B);
        strand.resize(6L * B);
        strand.write(0, bytes, 0, 1);
        together(
            env,
            () -> {
              strand.flush();
              strand.write(B, bytes, 0, 1); // enough is dirty now to be written behind
              strand.write(2L * B, bytes, 0, 1);
            },
            () -> {
              pause(env, chance);
              strand.resize(3L * B + 100);
            },
            () -> {
              pause(env, chance);
              strand.write(3L * B, bytes, 0, 200);
            });
        store.checkKept();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReadThatMeetsACutIsShortOrOld() {
    CacheModelTest.forSeeds(
        200,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> readDuringCut(env, seed));
        });
  }

  private static void readDuringCut(Env env, long seed) {
    MemoryBlockStore store = new MemoryBlockStore();
    byte[] content = new byte[6 * B];
    Arrays.fill(content, (byte) 5);
    store.fill(content);
    Random chance = new Random(seed);
    store.fault =
        (op, block, count) -> {
          try {
            pause(env, chance);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    try (BlockCache cache =
        new BlockCache(env, "cut", CacheOptions.of(8L * B).withReadAheadBytes(0))) {
      CachedStrand strand = cache.attach(store);
      together(
          env,
          () -> strand.resize(2L * B + 100),
          () -> {
            pause(env, chance);
            byte[] read = new byte[10];
            long count = strand.read(4L * B, MemorySegment.ofArray(read), 0, 10);
            for (int i = 0; i < count; i++) {
              assertThat(read[i]).isEqualTo((byte) 5);
            }
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
