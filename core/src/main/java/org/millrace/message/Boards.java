package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.wire.HostMemory;
import org.millrace.wire.MemoryName;

/**
 * Makes and finds {@link Board}s, of which a process has a bounded number. If there is none, the
 * ranks meet at the coordinator; that is not an error.
 *
 * <p>Safe for use by several threads. Nothing to close.
 */
public final class Boards {

  /** Boards in use by this process. */
  private static final int MAX = 64;

  // constant after construction
  private final Env env;
  private final HostMemory host;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<WeakReference<MemorySegment>> used = new ArrayList<>();

  /** Boards in memory of {@code host}. */
  public Boards(Env env, HostMemory host) {
    this.env = env;
    this.host = host;
  }

  /**
   * Memory for a board, until all have found it.
   *
   * @param place what others find it by, with {@code chance}; 0 if there is none
   * @param chance the rest of its name
   * @param piece the memory; null if there is none
   */
  public record Offer(long place, long chance, HostMemory.@Nullable Piece piece)
      implements AutoCloseable {

    /** No memory. */
    public static final Offer NONE = new Offer(0, 0, null);

    /** The caller that has found it keeps it. */
    @Override
    public void close() {
      if (piece != null) {
        piece.letGo();
      }
    }
  }

  /** Makes memory for a board of a group. */
  public Offer offer(int ranks) {
    try {
      HostMemory.Piece piece = host.make(Board.bytes(ranks));
      var name = MemoryName.parse(piece.name());
      if (name.isPresent()) {
        return new Offer(name.get().place(), name.get().chance(), piece);
      }
      piece.close();
      return Offer.NONE;
    } catch (IOException e) {
      return Offer.NONE;
    }
  }

  /** Finds the board that a rank of the group has made; null if this process does not reach it. */
  public @Nullable Board find(long place, long chance, int ranks, int own) {
    if (place == 0 || !hasRoom()) {
      return null;
    }
    try {
      String name = MemoryName.of(place, chance).toString();
      MemorySegment memory = host.attach(name, Board.bytes(ranks));
      lock.lock();
      try {
        used.add(new WeakReference<>(memory));
      } finally {
        lock.unlock();
      }
      return new Board(env, host, memory, ranks, own);
    } catch (IOException e) {
      return null;
    }
  }

  private boolean hasRoom() {
    lock.lock();
    try {
      used.removeIf(one -> one.get() == null);
      return used.size() < MAX;
    } finally {
      lock.unlock();
    }
  }
}
