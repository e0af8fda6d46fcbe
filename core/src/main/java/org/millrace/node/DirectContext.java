package org.millrace.node;

import org.millrace.env.Env;

/**
 * What a node needs for its disk-directed calls. Immutable; its parts are safe for use by several
 * threads.
 *
 * @param strands the strands it serves
 * @param turns whose schedule its disk serves
 * @param scratchBuffers memory of its workers
 * @param workers the most threads that copy for one call between the cache and ranks
 * @param bufferBytes the most bytes of a buffer
 */
record DirectContext(
    OpenStrands strands,
    DiskTurns turns,
    ScratchBuffers scratchBuffers,
    int workers,
    long bufferBytes) {

  /** Bounds the threads and the memory that a request may ask for. */
  private static final int MAX_BUFFERS = 64;

  static DirectContext of(Env env, OpenStrands strands, NodeOptions options) {
    return new DirectContext(
        strands,
        new DiskTurns(env),
        new ScratchBuffers(),
        options.workers(),
        options.bufferBytes());
  }

  /** The buffers of a call that asked for {@code depth} of them. */
  int buffers(int depth) {
    return Math.clamp(depth, 1, MAX_BUFFERS);
  }
}
