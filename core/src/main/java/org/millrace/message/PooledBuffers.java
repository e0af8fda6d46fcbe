package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.wire.Pool;
import org.millrace.wire.SharedFolder;

/** {@link SharedBuffers} in a pool of shared memory; closing removes its files. */
final class PooledBuffers implements SharedBuffers, AutoCloseable {

  private final SharedFolder folder;
  private final Pool pool;

  private PooledBuffers(SharedFolder folder, Pool pool) {
    this.folder = folder;
    this.pool = pool;
  }

  /** Staging of at most so many bytes; null where there is no memory to share. */
  static @Nullable PooledBuffers open(Env env, long bytes) {
    try {
      SharedFolder folder = SharedFolder.open(env);
      return new PooledBuffers(folder, new Pool(folder, bytes));
    } catch (IOException e) {
      return null; // payloads go through sockets
    }
  }

  SharedFolder folder() {
    return folder;
  }

  Pool pool() {
    return pool;
  }

  @Override
  public long maxBytes() {
    return pool.maxBytes();
  }

  @Override
  public @Nullable MemorySegment tryTake(long bytes) {
    return pool.tryTake(bytes);
  }

  @Override
  public long locate(MemorySegment segment) {
    return pool.locate(segment);
  }

  @Override
  public void give(MemorySegment segment) {
    pool.give(segment);
  }

  @Override
  public void close() {
    try {
      pool.close();
    } catch (IOException e) {
      // the next process of this user removes what is left
    }
  }
}
