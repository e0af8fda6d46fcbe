package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.cache.SlabMemory;
import org.millrace.env.Env;
import org.millrace.wire.HostMemory;

/**
 * Memory of a cache: shared memory that other processes of the node's user can map where that is
 * available, private memory otherwise. Safe for use by several threads.
 */
final class SharedSlabs implements SlabMemory {

  private final HostMemory host;
  private final SlabMemory own;

  SharedSlabs(Env env, HostMemory host) {
    this.host = host;
    this.own = SlabMemory.own(env);
  }

  /** A piece that others can map. */
  private record Shared(HostMemory.Piece piece) implements Piece {

    @Override
    public MemorySegment memory() {
      return piece.memory();
    }

    @Override
    public String name() {
      return piece.name();
    }

    @Override
    public void giveBack() {
      piece.close();
    }
  }

  @Override
  public Piece take(long bytes) {
    if (host.process().isEmpty()) {
      return own.take(bytes);
    }
    try {
      return new Shared(host.make(bytes));
    } catch (IOException e) {
      return own.take(bytes); // its blocks go by messages
    }
  }
}
