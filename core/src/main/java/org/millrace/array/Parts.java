package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * Iterates over the parts of an array: while the program works on one, the next is read and the
 * previous one is written back, as far as there are buffers. Stateless.
 */
final class Parts {

  /** A part that is computed on, one that is being read, one that is being written. */
  static final int MAX_BUFFERS = 3;

  /** How parts are found, read and written. */
  interface Source {
    long count() throws IOException;

    long bytes(long part);

    CompletableFuture<Long> read(long part, MemorySegment into) throws IOException;

    CompletableFuture<Long> write(long part, MemorySegment from) throws IOException;
  }

  /** What is done with a part. */
  interface Work {
    void run(long part, MemorySegment memory) throws IOException;
  }

  private Parts() {}

  static void checkBuffers(int buffers) {
    if (buffers < 1 || buffers > MAX_BUFFERS) {
      throw new IllegalArgumentException(buffers + " buffers, must be 1 to " + MAX_BUFFERS);
    }
  }

  /**
   * Goes over all parts.
   *
   * @param max how many buffers there may be: with one nothing overlaps, with two reading and
   *     computing do, with three writing does, too
   */
  static void forEach(Source source, int max, boolean write, Work work) throws IOException {
    long count = source.count();
    // all are like the first but those at the end of a dimension, which are like the last
    long bytes = count == 0 ? 0 : Math.max(source.bytes(0), source.bytes(count - 1));
    MemorySegment[] buffers = new MemorySegment[Math.min(max, write ? MAX_BUFFERS : 2)];
    CompletableFuture<?>[] busy = new CompletableFuture<?>[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = Arena.ofAuto().allocate(bytes, Long.BYTES);
      busy[i] = CompletableFuture.completedFuture(0L);
    }
    try {
      for (long part = 0; part < count; part++) {
        int here = (int) (part % buffers.length);
        if (part == 0 || buffers.length == 1) {
          await(busy[here]);
          busy[here] = source.read(part, buffers[here].asSlice(0, source.bytes(part)));
        }
        await(busy[here]);
        if (buffers.length > 1 && part + 1 < count) {
          int next = (int) ((part + 1) % buffers.length);
          await(busy[next]);
          busy[next] = source.read(part + 1, buffers[next].asSlice(0, source.bytes(part + 1)));
        }
        MemorySegment memory = buffers[here].asSlice(0, source.bytes(part));
        work.run(part, memory);
        if (write) {
          busy[here] = source.write(part, memory);
        }
      }
      for (CompletableFuture<?> one : busy) {
        await(one);
      }
    } finally {
      for (CompletableFuture<?> one : busy) { // nothing touches the buffers any more
        one.exceptionally(_ -> null).join();
      }
    }
  }

  private static void await(CompletableFuture<?> one) throws IOException {
    Transfer.await(one.thenApply(_ -> 0L));
  }
}
