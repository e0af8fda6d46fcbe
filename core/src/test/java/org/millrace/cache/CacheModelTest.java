package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.disk.BlockSize;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

/**
 * The cache beside a plain byte array, with random calls, tiny sizes and a disk that fails now and
 * then.
 */
class CacheModelTest {

  /**
   * Large blocks take long: fewer seeds, fewer of them in a strand, fewer steps. What a cache does
   * depends on blocks and not on bytes; that the bytes of large ones are right shows in a few
   * steps.
   */
  @ParameterizedTest
  @CsvSource({"4096, 12, 250", "8192, 3, 250", "65536, 2, 250"})
  void agreesWithAByteArray(int blockBytes, int seeds, int steps) {
    forSeeds(seeds, seed -> new Model(Env.real(), blockBytes, seed, false).run(steps));
  }

  @ParameterizedTest
  @CsvSource({"4096, 12, 250", "8192, 3, 250", "65536, 2, 250"})
  void agreesWithAByteArrayWhenTheDiskFails(int blockBytes, int seeds, int steps) {
    forSeeds(seeds, seed -> new Model(Env.real(), blockBytes, seed, true).run(steps));
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"1048576, 1, 250", "4194304, 1, 60"})
  void agreesInLargeBlocksWithAByteArray(int blockBytes, int seeds, int steps) {
    agreesWithAByteArray(blockBytes, seeds, steps);
    agreesWithAByteArrayWhenTheDiskFails(blockBytes, seeds, steps);
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 20, 120",
    "8192, 5, 120",
    "65536, 5, 120",
    "1048576, 1, 120",
    "4194304, 1, 40"
  })
  void agreesWithAByteArrayUnderTheSeededScheduler(int blockBytes, int seeds, int steps) {
    forSeeds(
        seeds,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> new Model(env, blockBytes, seed, seed % 2 == 0).run(steps));
        });
  }

  static void forSeeds(int howMany, LongConsumer test) {
    for (long seed : Seeds.of(howMany)) {
      try {
        test.accept(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(e.getMessage() + "; " + Seeds.replay(seed), e);
      }
    }
  }

  private static final class Model {
    private final Env env;
    private final Random random;
    private final boolean failing;
    private final int block;
    private final int max;
    private final MemoryBlockStore store;
    private final BlockCache cache;
    private CachedStrand strand;
    private final byte[] bytes;
    private int end;
    private volatile boolean faults;

    Model(Env env, int blockBytes, long seed, boolean failing) {
      this.block = blockBytes;
      this.max = (blockBytes <= BlockSize.DEFAULT_BYTES ? 12 : 4) * blockBytes;
      this.store = new MemoryBlockStore(blockBytes);
      this.bytes = new byte[max];
      this.env = env;
      this.failing = failing;
      random = new Random(seed);
      if (random.nextBoolean()) {
        end = random.nextInt(max);
        byte[] content = new byte[end];
        random.nextBytes(content);
        System.arraycopy(content, 0, bytes, 0, end);
        store.fill(content);
      }
      Random chance = new Random(seed + 1);
      store.fault =
          (op, first, count) -> {
            int draw;
            boolean fail;
            synchronized (chance) {
              draw = chance.nextInt(8);
              fail = chance.nextInt(3) == 0;
            }
            if (draw == 0) {
              sleep(1000);
            }
            if (faults && fail) {
              throw draw < 4
                  ? new DiskFullException("full")
                  : new MillraceException(ErrorCode.DISK, "broken");
            }
          };
      cache =
          new BlockCache(
              env,
              "model",
              CacheOptions.of(cacheBytes())
                  .withReadAheadBytes((long) random.nextInt(5) * block)
                  .withRunBytes((1 + random.nextInt(5)) * (long) block)
                  .withWriteBehindPercent(random.nextInt(101))
                  .withDiskThreads(1 + random.nextInt(3)));
      attach();
    }

    private long cacheBytes() {
      return (1 + random.nextInt(8)) * (long) Math.max(block, BlockSize.DEFAULT_BYTES);
    }

    private void sleep(long nanos) {
      try {
        env.sleep(nanos);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private void attach() {
      strand = cache.attach(store);
      CachedStrand attached = strand;
      store.strandEnd = attached::end;
    }

    void run(int steps) {
      try {
        for (int i = 0; i < steps; i++) {
          step();
          strand.checkInvariants();
          assertThat(strand.end()).isEqualTo(end);
          store.checkKept();
        }
        tried(strand::flush);
        cache.close();
        cache.close();
        checkDurable();
        store.checkKept();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void checkDurable() {
      byte[] durable = store.durable();
      assertThat(durable).hasSize(end);
      assertThat(Arrays.mismatch(durable, Arrays.copyOf(bytes, end))).isEqualTo(-1);
    }

    private interface Step {
      void run() throws IOException;
    }

    /**
     * Tries with faults, then without; a load or write-back that failed before may still be waited
     * for then.
     */
    private void tried(Step step) throws IOException {
      faults = failing;
      for (int i = 0; ; i++) {
        try {
          step.run();
          break;
        } catch (MillraceException e) {
          assertThat(e.code()).isIn(ErrorCode.DISK, ErrorCode.DISK_FULL);
          faults = false;
          strand.checkInvariants();
          if (i == 50) {
            throw e;
          }
        }
      }
      faults = false;
    }

    private void step() throws IOException {
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> read();
        case 4, 5, 6, 7, 8 -> write();
        case 9, 10 -> gather();
        case 11, 12, 13 -> scatter();
        case 14 -> resize();
        case 15 -> {
          tried(strand::flush);
          checkDurable();
        }
        case 16 -> tried(() -> strand.preload((long) random.nextInt(12) * block));
        case 17 -> strand.hint(random.nextInt(max), random.nextInt(4 * block));
        case 18 -> {
          long size = cacheBytes();
          tried(() -> assertThat(cache.setBytes(size)).isEqualTo(size));
          assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(size);
        }
        default -> {
          if (random.nextInt(4) == 0) {
            tried(() -> strand.detach(false));
            checkDurable();
            attach();
          } else {
            tried(() -> strand.preallocate(random.nextInt(max)));
          }
        }
      }
    }

    private int length() {
      return switch (random.nextInt(4)) {
        case 0 -> random.nextInt(20);
        case 1 -> random.nextInt(5000);
        case 2 -> random.nextInt(block + 2);
        default -> random.nextInt(5 * block);
      };
    }

    private int offset() {
      int offset = random.nextInt(max);
      return random.nextInt(3) == 0 ? offset / block * block : offset;
    }

    private void read() throws IOException {
      int offset = offset();
      int length = length();
      byte[] into = new byte[length + 7];
      Arrays.fill(into, (byte) 99);
      int expected = Math.clamp(end - offset, 0, length);
      tried(
          () ->
              assertThat(strand.read(offset, MemorySegment.ofArray(into), 3, length))
                  .isEqualTo(expected));
      assertThat(Arrays.mismatch(into, 3, 3 + expected, bytes, offset, offset + expected))
          .as("read %d + %d, first difference", offset, length)
          .isEqualTo(-1);
      for (int i = 3 + expected; i < into.length; i++) {
        assertThat(into[i]).isEqualTo((byte) 99);
      }
    }

    private void write() throws IOException {
      int offset = offset();
      int length = Math.min(length(), max - offset);
      byte[] from = new byte[length + 3];
      random.nextBytes(from);
      tried(() -> strand.write(offset, MemorySegment.ofArray(from), 2, length));
      System.arraycopy(from, 2, bytes, offset, length);
      end = length == 0 ? end : Math.max(end, offset + length);
    }

    private record Runs(int offset, int length, int stride, int count) {
      int at(int run) {
        return offset + run * stride;
      }
    }

    private Runs runs() {
      while (true) {
        int[] lengths = {1, 4, 8, 8, 13, 300, 6000, block + 9};
        int length = lengths[random.nextInt(lengths.length)];
        int stride =
            switch (random.nextInt(5)) {
              case 0 -> length;
              case 1 -> length + random.nextInt(30);
              case 2 -> -length - random.nextInt(5000);
              case 3 -> random.nextInt(2 * length + 1) - length;
              default -> random.nextInt(3 * block);
            };
        int offset = offset();
        int count = 1 + random.nextInt(400);
        int room = stride >= 0 ? max - length - offset : offset;
        if (room >= 0 && offset + length <= max) {
          int fits = stride == 0 ? 3 : room / Math.abs(stride) + 1;
          return new Runs(offset, length, stride, Math.min(count, fits));
        }
      }
    }

    private void gather() throws IOException {
      Runs r = runs();
      byte[] into = new byte[r.length * r.count + 1];
      Arrays.fill(into, (byte) 99);
      tried(
          () ->
              strand.gather(
                  r.offset, r.length, r.stride, r.count, MemorySegment.ofArray(into), 1, r.length));
      assertThat(into[0]).isEqualTo((byte) 99);
      for (int i = 0; i < r.count; i++) {
        byte[] expected = Arrays.copyOfRange(bytes, r.at(i), r.at(i) + r.length);
        int at = 1 + i * r.length;
        if (!Arrays.equals(into, at, at + r.length, expected, 0, r.length)) {
          throw new AssertionError("gather " + r + " run " + i);
        }
      }
    }

    private void scatter() throws IOException {
      Runs r = runs();
      byte[] from = new byte[r.length * r.count + 1];
      random.nextBytes(from);
      tried(
          () ->
              strand.scatter(
                  r.offset, r.length, r.stride, r.count, MemorySegment.ofArray(from), 1, r.length));
      for (int i = 0; i < r.count; i++) {
        System.arraycopy(from, 1 + i * r.length, bytes, r.at(i), r.length);
        end = Math.max(end, r.at(i) + r.length);
      }
    }

    private void resize() throws IOException {
      int to = offset();
      tried(() -> strand.resize(to));
      Arrays.fill(bytes, Math.min(to, end), max, (byte) 0);
      end = to;
    }
  }
}
