package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.SharedFile;

/**
 * Reads a file piece by piece, with several pieces in flight before they are requested. After a
 * skip it begins again with one piece, so that little is read of a hole.
 *
 * <p>Used by one thread. Closing waits for what is under way.
 */
final class ReadAhead implements AutoCloseable {

  private static final int PIECES = 4;

  /** A piece under way. */
  private record Piece(long at, MemorySegment memory, CompletableFuture<Long> read) {}

  // constant after construction
  private final SharedFile file;
  private final long pieceBytes;
  private final Arena arena = Arena.ofShared();

  // owned by the thread that uses it
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
  private int window = 1;
  private long next;

  /** Reads {@code file} in pieces of so many bytes. */
  ReadAhead(SharedFile file, long pieceBytes) {
    this.file = file;
    this.pieceBytes = pieceBytes;
  }

  /** The bytes from {@code at} on, valid until the next call; none at the end of the file. */
  MemorySegment read(long at) throws IOException {
    Piece first = underWay.peek();
    if (first == null || first.at != at) {
      drop();
      window = 1;
      next = at;
    }
    start();
    Piece piece = underWay.remove();
    try {
      long count = Transfers.await(piece.read);
      window = Math.min(PIECES, 2 * window);
      start(); // goes on while the caller uses this one
      return piece.memory.asSlice(0, count);
    } finally {
      free.addLast(piece.memory);
    }
  }

  private void start() throws IOException {
    while (underWay.size() < window) {
      MemorySegment memory = free.isEmpty() ? arena.allocate(pieceBytes, 64) : free.remove();
      underWay.add(new Piece(next, memory, file.at(next).readAsync(memory)));
      next += memory.byteSize();
    }
  }

  private void drop() {
    for (Piece one : underWay) {
      Transfers.settle(one.read);
      free.addLast(one.memory);
    }
    underWay.clear();
  }

  @Override
  public void close() {
    drop();
    arena.close();
  }
}
