package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Sizes;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;

/**
 * A cluster with one file that is all in its caches, and a copy of the file in plain memory: the
 * working set of the limits and at the same time what the file must hold.
 *
 * <p>Closing ends the cluster and frees the memory.
 */
final class CachedFile implements AutoCloseable {

  static final String NAME = "cached";

  private final Arena arena;
  private final Cluster cluster;
  private final MemorySegment memory;
  private final int transferBytes;

  CachedFile(Bench bench, String name) throws IOException {
    Sizes sizes = bench.sizes();
    transferBytes = sizes.transferBytes();
    cluster = bench.cluster(name, Bench.cacheFor(sizes.fileBytes()));
    arena = bench.env().largeArena(); // as the blocks have it
    memory = arena.allocate(sizes.fileBytes(), 64);
    Content.fill(memory, 0, 0);
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open(NAME, OpenOptions.create())) {
            for (long at = 0; at < memory.byteSize(); at += transferBytes) {
              file.at(at).write(memory.asSlice(at, transferBytes));
            }
          }
        });
  }

  Cluster cluster() {
    return cluster;
  }

  MemorySegment memory() {
    return memory;
  }

  /** A buffer for a rank. */
  MemorySegment buffer(long bytes) {
    return arena.allocate(bytes, 64);
  }

  /** Throws unless all of the file is what memory says. */
  void check() throws IOException {
    cluster.run(
        1,
        rank -> {
          MemorySegment buffer = buffer(transferBytes);
          try (SharedFile file = rank.open(NAME, OpenOptions.read())) {
            Content.checkEqual("size", 0, file.size(), memory.byteSize());
            for (long at = 0; at < memory.byteSize(); at += transferBytes) {
              file.at(at).read(buffer);
              Content.checkSame(buffer, memory.asSlice(at, transferBytes), at);
            }
          }
        });
  }

  @Override
  public void close() throws IOException {
    try {
      cluster.close();
    } finally {
      arena.close();
    }
  }
}
