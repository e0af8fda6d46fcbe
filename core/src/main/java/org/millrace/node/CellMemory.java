package org.millrace.node;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply;
import org.millrace.wire.HostMemory;

/**
 * Memory for {@link KeptCells} that processes of the node's user can map, allocated on first use.
 * Owned by the lock of {@link ClientPins}. Closing frees it.
 */
final class CellMemory implements AutoCloseable {

  private static final int CELLS = 1024;
  private static final long BYTES = (long) CELLS * KeptCells.CELL_BYTES;

  private final HostMemory host;
  private final Deque<Integer> free = new ArrayDeque<>(); // the longest free first
  private HostMemory.@Nullable Piece piece;
  private boolean useless;

  CellMemory(HostMemory host) {
    this.host = host;
  }

  /** A cell for a pin of so many blocks, null if there is none. */
  @Nullable KeptCell tryOpen(long pin, int blocks) {
    HostMemory.Piece memory = memory();
    Integer number = memory == null ? null : free.poll();
    if (memory == null || number == null) {
      return null;
    }
    KeptCells.open(memory.memory(), number, pin);
    return new KeptCell(memory.memory(), number, blocks);
  }

  private HostMemory.@Nullable Piece memory() {
    if (piece == null && !useless) {
      try {
        piece = host.make(BYTES);
        for (int i = 0; i < CELLS; i++) {
          free.add(i);
        }
      } catch (IOException e) {
        useless = true; // every write is a message then
      }
    }
    return piece;
  }

  /** Takes a cell back whose pin is over. */
  void giveBack(KeptCell cell) {
    if (piece != null) {
      KeptCells.free(cell.cells(), cell.number());
      free.add(cell.number());
    }
  }

  /** What others map it by. */
  NodeReply.SlabAt place() {
    HostMemory.Piece memory = piece;
    return memory == null
        ? new NodeReply.SlabAt("", 0)
        : new NodeReply.SlabAt(memory.name(), BYTES);
  }

  @Override
  public void close() {
    useless = true;
    free.clear();
    HostMemory.Piece memory = piece;
    if (memory != null) {
      piece = null;
      memory.close();
    }
  }
}
