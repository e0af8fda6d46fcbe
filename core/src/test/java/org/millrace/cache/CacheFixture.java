package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.millrace.cache.MemoryBlockStore.Call;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.disk.BlockSize;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

/** A small cache over a strict store, for tests of what it asks of the store and when. */
abstract class CacheFixture {

  static final int B = BlockSize.DEFAULT_BYTES;

  final MemoryBlockStore store = new MemoryBlockStore();
  final byte[] content = new byte[20 * B];
  BlockCache cache = make(8);
  CachedStrand strand = cache.attach(store);

  static BlockCache make(int blocks) {
    return make(
        CacheOptions.of((long) blocks * B).withReadAheadBytes(0).withWriteBehindPercent(100));
  }

  /** With one disk thread, so that the order of calls is the order of asking. */
  static BlockCache make(CacheOptions options) {
    return new BlockCache(Env.real(), "test", options.withDiskThreads(1));
  }

  /** Starts again over a store with content, through a cache of so many blocks. */
  void filled(int blocks) throws IOException {
    filled(CacheOptions.of((long) blocks * B).withReadAheadBytes(0).withWriteBehindPercent(100));
  }

  void filled(CacheOptions options) throws IOException {
    cache.close();
    new Random(1).nextBytes(content);
    store.fill(content);
    cache = make(options);
    strand = cache.attach(store);
    store.forgetCalls();
  }

  @AfterEach
  void endsWell() throws IOException {
    cache.checkInvariants();
    store.fault = (op, block, count) -> {};
    cache.close();
    store.checkKept();
  }

  static MemorySegment bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return MemorySegment.ofArray(bytes);
  }

  void write(long offset, int length, int value) throws IOException {
    strand.write(offset, bytes(length, value), 0, length);
  }

  byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    assertThat(strand.read(offset, MemorySegment.ofArray(bytes), 0, length)).isEqualTo(length);
    return bytes;
  }

  void touch(long... blocks) throws IOException {
    for (long block : blocks) {
      read(block * B, 1);
    }
  }

  List<Long> readBlocks() {
    return store.calls(Op.READ).stream().map(Call::block).toList();
  }

  void failing(Op which, MillraceException error) {
    store.fault =
        (op, block, count) -> {
          if (op == which) {
            throw error;
          }
        };
  }
}
