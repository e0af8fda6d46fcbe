package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.SharedFile;

/**
 * Writes pieces of a file, several of them in flight while the next is filled.
 *
 * <p>Used by one thread. Closing waits for what is under way.
 */
final class WriteBehind implements AutoCloseable {

  private static final int PIECES = 4;

  /** A run of bytes on its way. */
  private record Sent(FileCopier.Run run, CompletableFuture<Long> write) {}

  /** A piece of memory and what of it is on its way. */
  private record Piece(MemorySegment memory, List<Sent> sent) {}

  // constant after construction
  private final SharedFile file;
  private final long pieceBytes;
  private final FlushAndSum trail;
  private final Arena arena = Arena.ofShared();

  // owned by the thread that uses it
  private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();

  /** Writes pieces of so many bytes to {@code file}; {@code trail} hears what has been written. */
  WriteBehind(SharedFile file, long pieceBytes, FlushAndSum trail) {
    this.file = file;
    this.pieceBytes = pieceBytes;
    this.trail = trail;
  }

  /** Memory to fill, which the next {@link #write} is about. */
  MemorySegment memory() throws IOException {
    if (free.isEmpty() && underWay.size() == PIECES) {
      finishFirst();
    } else if (free.isEmpty()) {
      free.add(arena.allocate(pieceBytes, 64));
    }
    return free.element();
  }

  /** Writes runs of what was filled, to {@code at} on. */
  void write(long at, List<FileCopier.Run> runs) throws IOException {
    Piece piece = new Piece(free.remove(), new ArrayList<>());
    underWay.add(piece);
    for (FileCopier.Run run : runs) {
      MemorySegment bytes = piece.memory.asSlice(run.from(), run.length());
      FileCopier.Run there = new FileCopier.Run(at + run.from(), at + run.to());
      piece.sent.add(new Sent(there, file.at(there.from()).writeAsync(bytes)));
    }
  }

  /** Returns when all has been written. */
  void finish() throws IOException {
    while (!underWay.isEmpty()) {
      finishFirst();
    }
  }

  private void finishFirst() throws IOException {
    for (Sent one : underWay.element().sent) {
      long _ = Transfers.await(one.write);
      trail.wrote(one.run);
    }
    free.addLast(underWay.remove().memory);
  }

  @Override
  public void close() {
    underWay.forEach(piece -> piece.sent.forEach(one -> Transfers.settle(one.write)));
    arena.close();
  }
}
