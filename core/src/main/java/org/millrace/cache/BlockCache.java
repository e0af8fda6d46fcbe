package org.millrace.cache;

import java.io.IOException;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;

/** The block cache of one node (signatures first). */
public final class BlockCache implements AutoCloseable {

  /** Starts a cache and its disk threads; {@code name} is used in thread names and messages. */
  public BlockCache(Env env, String name, CacheOptions options) {}

  /** A strand through this cache. The store stays the caller's: it is closed after {@link CachedStrand#detach}. */
  public CachedStrand attach(BlockStore store) {
    throw new UnsupportedOperationException();
  }

  /** Changes the memory for blocks and returns what it is now: {@code bytes} rounded down to whole blocks. */
  public long setBytes(long bytes) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** What the cache holds and did. */
  public CacheReport report() {
    throw new UnsupportedOperationException();
  }

  /** Throws if the books do not balance. For tests. */
  public void checkInvariants() {}

  /** Flushes every strand, stops the threads, frees the memory. Idempotent. */
  @Override
  public void close() throws IOException {}
}
