package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cache.MemoryBlockStore.Call;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.disk.BlockSize;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;

/** Strands with blocks of different sizes in one cache, and transfers that are counted in bytes. */
final class CacheSizesTest {

  private static final int[] SIZES = {4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20};
  private static final int K = 1 << 10;
  private static final int M = 1 << 20;

  private static BlockCache cache(long bytes) {
    CacheOptions options = CacheOptions.of(bytes).withReadAheadBytes(0).withWriteBehindPercent(100);
    return new BlockCache(Env.real(), "sizes", options.withDiskThreads(1));
  }

  /** A store whose bytes are drawn from its block size. */
  private static MemoryBlockStore filled(int blockBytes, int bytes) {
    MemoryBlockStore store = new MemoryBlockStore(blockBytes);
    byte[] content = new byte[bytes];
    new Random(blockBytes).nextBytes(content);
    store.fill(content);
    return store;
  }

  private static void touch(CachedStrand strand, long offset) throws IOException {
    assertThat(strand.read(offset, MemorySegment.ofArray(new byte[1]), 0, 1)).isEqualTo(1);
  }

  /** Which blocks have to be read again, found by touching them: what is absent comes in. */
  private static List<Long> absent(MemoryBlockStore store, CachedStrand strand, int blocks)
      throws IOException {
    List<Long> absent = new ArrayList<>();
    for (long block = 0; block < blocks; block++) {
      if (!strand.isReady(block * store.blockBytes(), 1)) {
        absent.add(block);
      }
    }
    return absent;
  }

  @Test
  void theLeastRecentlyUsedBlocksGoWhateverTheirSize() throws IOException {
    try (BlockCache cache = cache(M)) {
      MemoryBlockStore middle = filled(64 * K, 16 * 64 * K);
      MemoryBlockStore small = filled(4 * K, 64 * 4 * K);
      CachedStrand middles = cache.attach(middle);
      CachedStrand smalls = cache.attach(small);
      for (int block = 0; block < 16; block++) {
        touch(middles, block * 64L * K);
      }
      assertThat(absent(middle, middles, 16)).isEmpty();
      touch(middles, 0); // now the second is the oldest
      for (int block = 0; block < 16; block++) {
        touch(smalls, block * 4L * K);
      }
      assertThat(absent(middle, middles, 16)).containsExactly(1L);
      assertThat(absent(small, smalls, 16)).isEmpty();
      touch(smalls, 16 * 4L * K); // sixteen small ones filled the room of one
      assertThat(absent(middle, middles, 16)).containsExactly(1L, 2L);
      for (int block = 15; block >= 3; block--) {
        touch(middles, block * 64L * K);
      }
      touch(middles, 0);
      for (int block = 1; block < 17; block++) {
        touch(smalls, block * 4L * K);
      }
      touch(middles, 64L * K); // the oldest is one small block: more must go to make room for this
      assertThat(absent(small, smalls, 17)).contains(0L);
      cache.checkInvariants();
      assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(M);
    }
  }

  @Test
  void aBlockAsLargeAsTheCacheTakesThePlaceOfAllOthers() throws IOException {
    try (BlockCache cache = cache(4 * M)) {
      MemoryBlockStore small = filled(4 * K, 2 * M);
      MemoryBlockStore large = filled(4 * M, 8 * M);
      CachedStrand smalls = cache.attach(small);
      CachedStrand larges = cache.attach(large);
      for (int block = 0; block < 512; block++) {
        touch(smalls, block * 4L * K);
      }
      smalls.write(0, MemorySegment.ofArray(new byte[] {7}), 0, 1);
      touch(larges, 0);
      cache.checkInvariants();
      assertThat(cache.report().usedBytes()).isEqualTo(4 * M);
      assertThat(absent(small, smalls, 512)).hasSize(512);
      assertThat(small.calls(Op.WRITE)).containsExactly(new Call(Op.WRITE, 0, 1));
      touch(smalls, 0);
      assertThat(absent(large, larges, 2)).containsExactly(0L, 1L);
      byte[] first = new byte[1];
      smalls.read(0, MemorySegment.ofArray(first), 0, 1);
      assertThat(first[0]).isEqualTo((byte) 7);
    }
  }

  @Test
  void aStrandWhoseBlocksAreLargerThanTheCacheIsRefused() throws IOException {
    try (BlockCache cache = cache(M)) {
      assertThatThrownBy(() -> cache.attach(new MemoryBlockStore(4 * M)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a cache of 1048576 bytes cannot hold a block of 4194304");
      CachedStrand strand = cache.attach(filled(M, 3 * M));
      touch(strand, 2 * M);
      assertThatThrownBy(() -> cache.setBytes(512 * K))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot hold a block of 1048576");
      assertThat(cache.report().limitBytes()).isEqualTo(M);
      strand.detach(false);
      assertThat(cache.setBytes(512 * K)).isEqualTo(512 * K);
      assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(512 * K);
    }
  }

  @Test
  void shrinkingKeepsToTheNewBoundWithBlocksOfAllSizes() throws IOException {
    try (BlockCache cache = cache(16 * M)) {
      List<CachedStrand> strands = new ArrayList<>();
      for (int size : SIZES) {
        CachedStrand strand = cache.attach(filled(size, 4 * M));
        strands.add(strand);
        for (long at = 0; at < 4 * M; at += size) {
          touch(strand, at);
        }
      }
      for (long bytes = 12L * M; bytes >= 4 * M; bytes -= 2 * M) {
        assertThat(cache.setBytes(bytes)).isEqualTo(bytes);
        assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(bytes);
        cache.checkInvariants();
        for (int i = 0; i < SIZES.length; i++) {
          byte[] content = new byte[4 * M];
          new Random(SIZES[i]).nextBytes(content);
          byte[] read = new byte[9000];
          strands.get(i).read(bytes % M + 77, MemorySegment.ofArray(read), 0, read.length);
          int from = (int) (bytes % M) + 77;
          assertThat(read).isEqualTo(Arrays.copyOfRange(content, from, from + read.length));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20})
  void transfersAreCountedInBytesNotInBlocks(int size) throws IOException {
    CacheOptions options = CacheOptions.of(64L * M).withDiskThreads(1).withWriteBehindPercent(100);
    try (BlockCache cache = new BlockCache(Env.real(), "bytes", options.withReadAheadBytes(0))) {
      MemoryBlockStore store = filled(size, 8 * M);
      CachedStrand strand = cache.attach(store);
      byte[] all = new byte[8 * M];
      assertThat(strand.read(0, MemorySegment.ofArray(all), 0, all.length)).isEqualTo(all.length);
      int each = Math.max(1, M / size);
      assertThat(store.calls(Op.READ))
          .hasSize(8 * M / size / each)
          .allMatch(call -> call.blocks() == each);
      strand.write(0, MemorySegment.ofArray(all), 0, all.length);
      strand.flush();
      assertThat(store.calls(Op.WRITE))
          .hasSize(8 * M / size / each)
          .allMatch(call -> call.blocks() == each);
      long staging = cache.report().stagingBytes();
      assertThat(staging).isEqualTo(4 * M); // one disk thread, a sixteenth of the cache
      store.checkKept();
    }
  }

  @Test
  void diskThreadsOfSmallCachesHaveOneStagingBufferAndThoseOfLargeOnesHaveSeveral()
      throws IOException {
    assertThat(stagingAfterWrites(8L * M)).isEqualTo(M);
    assertThat(stagingAfterWrites(48L * M)).isEqualTo(3 * M);
    assertThat(stagingAfterWrites(512L * M)).as("no more than 8 MiB").isEqualTo(8 * M);
  }

  @Test
  void loadsIntoEmptyFramesTakeNoStagingMemory() throws IOException {
    CacheOptions options = CacheOptions.of(8L * M).withDiskThreads(1);
    try (BlockCache cache = new BlockCache(Env.real(), "loads", options)) {
      MemoryBlockStore store = filled(64 * K, 4 * M);
      CachedStrand strand = cache.attach(store);
      byte[] piece = new byte[M];
      assertThat(strand.read(0, MemorySegment.ofArray(piece), 0, M)).isEqualTo(M);
      assertThat(store.calls(Op.READ)).isNotEmpty();
      assertThat(cache.report().stagingBytes()).isZero();
      strand.write(0, MemorySegment.ofArray(piece), 0, M);
      strand.flush();
      assertThat(cache.report().stagingBytes()).as("for writes").isEqualTo(M);
    }
  }

  private static long stagingAfterWrites(long bytes) throws IOException {
    CacheOptions options = CacheOptions.of(bytes).withDiskThreads(1).withWriteBehindPercent(100);
    try (BlockCache cache = new BlockCache(Env.real(), "staging", options)) {
      MemoryBlockStore store = filled(64 * K, 16 * M);
      CachedStrand strand = cache.attach(store);
      byte[] piece = new byte[M];
      for (long at = 0; at < 16L * M; at += piece.length) {
        strand.write(at, MemorySegment.ofArray(piece), 0, piece.length);
        strand.flush();
      }
      store.checkKept();
      return cache.report().stagingBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 64 << 10, 1 << 20})
  void readAheadIsCountedInBytesNotInBlocks(int size) throws IOException {
    CacheOptions options = CacheOptions.of(64L * M).withDiskThreads(1).withReadAheadBytes(2 * M);
    try (BlockCache cache = new BlockCache(Env.real(), "ahead", options)) {
      MemoryBlockStore store = filled(size, 16 * M);
      CachedStrand strand = cache.attach(store);
      byte[] piece = new byte[16 * K];
      for (long at = 0; at < 8 * M; at += piece.length) {
        strand.read(at, MemorySegment.ofArray(piece), 0, piece.length);
      }
      long read = store.calls(Op.READ).stream().mapToLong(Call::blocks).sum() * size;
      assertThat(read).isBetween(8L * M, 8L * M + 4 * M);
      assertThat(store.calls(Op.READ)).allMatch(call -> (long) call.blocks() * size <= M);
    }
  }

  /** Several threads, each with its own strand of another size, in a cache of one large block. */
  @Test
  void blocksOfAllSizesGetTheirTurnInTheSmallestCache() {
    CacheModelTest.forSeeds(
        5,
        seed -> {
          SeededEnv env = SeededEnv.of(seed);
          env.run(() -> new Crowd(env, seed).run());
        });
  }

  private static final class Crowd {
    private final Env env;
    private final long seed;
    private final BlockCache cache;
    private final List<Throwable> failures = new ArrayList<>();

    Crowd(Env env, long seed) {
      this.env = env;
      this.seed = seed;
      cache =
          new BlockCache(
              env,
              "crowd",
              CacheOptions.of(BlockSize.MAX_BYTES)
                  .withWriteBehindPercent((int) (seed & 1) * 50)
                  .withReadAheadBytes((seed & 2) * 64 * K));
    }

    void run() {
      List<Thread> threads = new ArrayList<>();
      for (int size : SIZES) {
        threads.add(env.start(ThreadKind.RANK, "size " + size, () -> steps(size)));
      }
      try {
        for (Thread thread : threads) {
          thread.join();
        }
        cache.close();
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
      if (!failures.isEmpty()) {
        throw new AssertionError(failures.getFirst());
      }
    }

    private void steps(int size) {
      try {
        Random random = new Random(seed + size);
        int max = size == BlockSize.MAX_BYTES ? 5 * M : 2 * M;
        MemoryBlockStore store = new MemoryBlockStore(size);
        CachedStrand strand = cache.attach(store);
        byte[] model = new byte[max];
        for (int i = 0; i < 40; i++) {
          int at = random.nextInt(max);
          byte[] piece = new byte[Math.min(max - at, 1 + random.nextInt(100_000))];
          if (random.nextBoolean()) {
            random.nextBytes(piece);
            strand.write(at, MemorySegment.ofArray(piece), 0, piece.length);
            System.arraycopy(piece, 0, model, at, piece.length);
          } else {
            int got = (int) strand.read(at, MemorySegment.ofArray(piece), 0, piece.length);
            assertThat(Arrays.mismatch(piece, 0, got, model, at, at + got)).isEqualTo(-1);
          }
          assertThat(cache.report().usedBytes()).isLessThanOrEqualTo(BlockSize.MAX_BYTES);
        }
        cache.checkInvariants();
        strand.detach(false);
        byte[] durable = store.durable();
        assertThat(Arrays.mismatch(durable, Arrays.copyOf(model, durable.length))).isEqualTo(-1);
        store.checkKept();
      } catch (IOException | RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }
  }
}
