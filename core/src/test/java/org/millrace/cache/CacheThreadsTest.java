package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.millrace.disk.BlockSize;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;

/**
 * Several threads on one strand: neighbours never disturb each other, and accesses are atomic as
 * promised.
 */
class CacheThreadsTest {

  private static final int B = BlockSize.DEFAULT_BYTES;
  private static final int THREADS = 4;
  private static final int SIZE = 6 * B;

  @Test
  void neighbouringBytesOfRealThreadsDoNotDisturbEachOther() {
    CacheModelTest.forSeeds(6, seed -> new Neighbours(Env.real(), seed).run(300));
  }

  @Test
  void neighbouringBytesDoNotDisturbEachOtherUnderTheSeededScheduler() {
    CacheModelTest.forSeeds(
        60,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> new Neighbours(env, seed).run(40));
        });
  }

  @Test
  void accessesAreAtomicAmongRealThreads() {
    CacheModelTest.forSeeds(6, seed -> atomic(Env.real(), seed, 300));
  }

  @Test
  void accessesAreAtomicUnderTheSeededScheduler() {
    CacheModelTest.forSeeds(
        40,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> atomic(env, seed, 30));
        });
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    CacheModelTest.forSeeds(
        3,
        seed -> {
          long[] traces = new long[2];
          for (int i = 0; i < 2; i++) {
            SeededEnv env = SeededEnv.of(seed);
            env.run(() -> new Neighbours(env, seed).run(40));
            traces[i] = env.traceHash();
          }
          assertThat(traces[0]).isEqualTo(traces[1]);
        });
  }

  private interface Body {
    void run(int thread) throws Exception;
  }

  private static void inThreads(Env env, int threads, Body body) {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      started.add(
          env.start(
              ThreadKind.RANK,
              "rank-" + i,
              () -> {
                try {
                  body.run(number);
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
      throw new AssertionError(failures.peek().toString(), failures.peek());
    }
  }

  private static BlockCache cache(Env env, Random random) {
    return new BlockCache(
        env,
        "threads",
        CacheOptions.of((1 + random.nextInt(8)) * (long) B)
            .withReadAheadBytes((long) random.nextInt(5) * B)
            .withRunBytes((1 + random.nextInt(4)) * (long) B)
            .withWriteBehindPercent(random.nextInt(101)));
  }

  private static void delays(Env env, long seed, MemoryBlockStore store) {
    Random chance = new Random(seed + 1);
    store.fault =
        (op, block, count) -> {
          if (chance.nextInt(3) == 0) {
            try {
              env.sleep(1 + chance.nextInt(50_000));
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        };
  }

  /** Each thread owns every THREADS-th byte of the first half, and a stretch of the second. */
  private static final class Neighbours {
    private final Env env;
    private final long seed;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final byte[] bytes = new byte[SIZE];
    private final BlockCache cache;
    private final CachedStrand strand;

    Neighbours(Env env, long seed) {
      this.env = env;
      this.seed = seed;
      Random random = new Random(seed);
      if (random.nextBoolean()) {
        random.nextBytes(bytes);
        store.fill(bytes);
      }
      delays(env, seed, store);
      cache = cache(env, random);
      strand = cache.attach(store);
      store.strandEnd = strand::end;
    }

    void run(int steps) {
      try {
        strand.resize(SIZE);
        inThreads(
            env,
            THREADS + 1,
            thread -> {
              Random random = new Random(seed + 100 + thread);
              for (int i = 0; i < steps; i++) {
                if (thread == THREADS) {
                  disturb(random);
                } else if (random.nextBoolean()) {
                  interleaved(thread, random);
                } else {
                  stretch(thread, random);
                }
              }
            });
        strand.checkInvariants();
        byte[] all = new byte[SIZE];
        assertThat(strand.read(0, MemorySegment.ofArray(all), 0, SIZE)).isEqualTo(SIZE);
        assertThat(Arrays.mismatch(all, bytes)).isEqualTo(-1);
        cache.close();
        assertThat(Arrays.mismatch(store.durable(), bytes)).isEqualTo(-1);
        store.checkKept();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void disturb(Random random) throws IOException {
      switch (random.nextInt(6)) {
        case 0 -> strand.flush();
        case 1 -> strand.hint(random.nextInt(SIZE), random.nextInt(SIZE));
        case 2 -> strand.preload((long) random.nextInt(4) * B);
        case 3 -> {
          long size = (1 + random.nextInt(8)) * (long) B;
          cache.setBytes(size);
          assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(size);
        }
        case 4 -> strand.resize(SIZE + random.nextInt(B));
        default -> strand.checkInvariants();
      }
      // Grows and cuts only beyond what the others use.
      strand.resize(SIZE);
    }

    private void interleaved(int thread, Random random) throws IOException {
      int count = 1 + random.nextInt(random.nextBoolean() ? 4 : 20_000);
      int first = random.nextInt(SIZE / 2 / THREADS - count) * THREADS + thread;
      byte[] part = new byte[count];
      if (random.nextBoolean()) {
        random.nextBytes(part);
        for (int i = 0; i < count; i++) {
          bytes[first + i * THREADS] = part[i];
        }
        if (count == 1) {
          strand.write(first, MemorySegment.ofArray(part), 0, 1);
        } else {
          strand.scatter(first, 1, THREADS, count, MemorySegment.ofArray(part), 0, 1);
        }
      } else {
        strand.gather(first, 1, THREADS, count, MemorySegment.ofArray(part), 0, 1);
        for (int i = 0; i < count; i++) {
          assertThat(part[i]).isEqualTo(bytes[first + i * THREADS]);
        }
      }
    }

    private void stretch(int thread, Random random) throws IOException {
      int share = SIZE / 2 / THREADS + 1;
      int low = SIZE / 2 + thread * share;
      int high = Math.min(SIZE, low + share);
      int length = random.nextInt(random.nextBoolean() ? 10 : high - low) + 1;
      int offset = low + random.nextInt(high - low - length + 1);
      byte[] part = new byte[length];
      if (random.nextBoolean()) {
        random.nextBytes(part);
        System.arraycopy(part, 0, bytes, offset, length);
        strand.write(offset, MemorySegment.ofArray(part), 0, length);
      } else {
        assertThat(strand.read(offset, MemorySegment.ofArray(part), 0, length)).isEqualTo(length);
        assertThat(Arrays.mismatch(part, 0, length, bytes, offset, offset + length)).isEqualTo(-1);
      }
    }
  }

  /** Writers fill whole places with one value; readers must never see two values in one. */
  private static void atomic(Env env, long seed, int steps) {
    Random setup = new Random(seed);
    MemoryBlockStore store = new MemoryBlockStore();
    delays(env, seed, store);
    BlockCache cache = cache(env, setup);
    CachedStrand strand = cache.attach(store);
    int[][] places = {{100, 2 * B}, {3 * B + 5, 3000}, {4 * B + 1, 30_000}, {5 * B - 9, 18}};
    try {
      strand.resize(SIZE);
      inThreads(
          env,
          THREADS,
          thread -> {
            Random random = new Random(seed + thread);
            for (int i = 0; i < steps; i++) {
              int[] place = places[random.nextInt(places.length)];
              byte[] part = new byte[place[1]];
              if (random.nextBoolean()) {
                Arrays.fill(part, (byte) random.nextInt());
                strand.write(place[0], MemorySegment.ofArray(part), 0, part.length);
              } else {
                strand.read(place[0], MemorySegment.ofArray(part), 0, part.length);
                byte[] same = new byte[part.length];
                Arrays.fill(same, part[0]);
                if (!Arrays.equals(part, same)) {
                  throw new AssertionError("two writes seen in " + Arrays.toString(place));
                }
              }
              if (i % 8 == 0) {
                strand.checkInvariants();
              }
            }
          });
      cache.close();
      store.checkKept();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
