package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.cache.SlabMemory;
import org.millrace.env.Env;
import org.millrace.protocol.BlockVersions;
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

  /** A piece that others can map, with the versions of its blocks behind them. */
  private record Shared(HostMemory.Piece piece, MemorySegment memory) implements Piece {

    @Override
    public long mappedBytes() {
      return piece.memory().byteSize();
    }

    @Override
    public void publish(int frame) {
      BlockVersions.publish(piece.memory(), frame);
    }

    @Override
    public void withdraw(int frame) {
      BlockVersions.withdraw(piece.memory(), frame);
    }

    @Override
    public boolean takeMark(int frame) {
      return BlockVersions.takeMark(piece.memory(), frame);
    }

    @Override
    public boolean isPublished(int frame) {
      MemorySegment all = piece.memory();
      return BlockVersions.isPublished(BlockVersions.get(all, BlockVersions.at(all, frame)));
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
  public Piece take(long bytes, int frames) {
    if (host.process().isEmpty()) {
      return own.take(bytes, frames);
    }
    try {
      HostMemory.Piece made = host.make(bytes + BlockVersions.bytes(frames));
      return new Shared(made, made.memory().asSlice(0, bytes));
    } catch (IOException e) {
      return own.take(bytes, frames); // its blocks go by messages
    }
  }
}
