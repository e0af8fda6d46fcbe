package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.BoardWord.Fate;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Spin;

/**
 * Memory that the processes of a group's ranks share, in which they meet without the coordinator.
 * Each call has a cell: a word that decides ({@link BoardWord}), and a slot for each rank's
 * request.
 *
 * <pre>
 *   board    8 regions, one for each sequence of calls, of 4 cells
 *   cell     64 bytes with the word at their beginning, then a slot of 1 KiB for each rank
 *   slot     length of what all must say alike, length of what the rank says for itself (4 bytes
 *            each), a result that only the last rank to arrive sets (8 bytes), and the contribution
 * </pre>
 *
 * <p>Nothing that another process wrote is believed: lengths are checked, and readers decode from
 * copies. Whether a call is met is decided by one change of its word; a rank that never came can go
 * to the coordinator freely, one that has arrived only when the word says that all do.
 *
 * <p>Safe for use by several threads. Freed when no process maps it any more.
 */
public final class Board {

  /** Groups of more ranks have no board. */
  public static final int MAX_RANKS = 64;

  /** Sequences of calls that can use a board at a time. */
  public static final int REGIONS = 8;

  /** Calls have lower numbers. */
  public static final long END_OF_CALLS = BoardWord.END_OF_CALLS;

  private static final int CELLS = 4;
  private static final int HEAD_BYTES = 64;
  private static final int SLOT_BYTES = 1024;
  private static final int RESULT = 8;
  private static final int CONTRIBUTION = 16;

  /** For how long at a time a thread naps that cannot sleep on the word. */
  private static final long NAP_NANOS = 100_000;

  private static final long SECOND = 1_000_000_000;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final VarHandle WORD = LONG.varHandle();

  // constant after construction
  private final Env env;
  private final HostMemory host;
  private final MemorySegment memory;
  private final int ranks;
  private final int own;
  private final Spin spin;
  private final ReentrantLock coming = new ReentrantLock(); // guards the rank's own slots
  private final ReentrantLock spinning = new ReentrantLock(); // one thread at a time looks

  private volatile boolean ended;

  Board(Env env, HostMemory host, MemorySegment memory, int ranks, int own) {
    this.env = env;
    this.host = host;
    this.memory = memory;
    this.ranks = ranks;
    this.own = own;
    this.spin = new Spin(env);
  }

  static long bytes(int ranks) {
    return (long) REGIONS * CELLS * cellBytes(ranks);
  }

  private static long cellBytes(int ranks) {
    return HEAD_BYTES + (long) ranks * SLOT_BYTES;
  }

  private long cell(int region, long call) {
    return ((long) region * CELLS + (call & (CELLS - 1))) * cellBytes(ranks);
  }

  private long slot(long cell, int rank) {
    return cell + HEAD_BYTES + (long) rank * SLOT_BYTES;
  }

  private long word(long cell) {
    return (long) WORD.getVolatile(memory, cell);
  }

  /**
   * Changes a word as {@code change} says; returns what it is now, or {@link BoardWord#NO}. Wakes
   * the ranks that waited for another call.
   */
  private long change(long cell, LongUnaryOperator change) {
    while (true) {
      long before = word(cell);
      long after = change.applyAsLong(before);
      if (after == BoardWord.NO || after == before) {
        return after;
      }
      if (WORD.compareAndSet(memory, cell, before, after)) {
        boolean decided = BoardWord.isDecidedBy(before, after);
        if (decided && BoardWord.count(before) > 0) {
          host.wakeAll(memory, cell);
        }
        return after;
      }
    }
  }

  /** How many ranks meet here. */
  public int ranks() {
    return ranks;
  }

  /** This process's rank takes part in no further calls. */
  public void end() {
    ended = true;
  }

  /**
   * Comes to a call; null if that is not possible: then the rank goes to the coordinator, and no
   * rank can meet it here.
   *
   * @param agreed what all ranks must say alike
   * @param contribution this rank's contribution
   */
  public @Nullable Visit arrive(int region, long call, byte[] agreed, byte[] contribution) {
    if (ended || agreed.length + contribution.length > SLOT_BYTES - CONTRIBUTION) {
      part(region, call);
      return null;
    }
    long cell = cell(region, call);
    coming.lock();
    try {
      if (change(cell, word -> BoardWord.open(word, call)) == BoardWord.NO) {
        return null;
      }
      long slot = slot(cell, own);
      memory.set(INT, slot, agreed.length);
      memory.set(INT, slot + Integer.BYTES, contribution.length);
      memory.set(LONG, slot + RESULT, 0);
      MemorySegment.copy(
          agreed, 0, memory, ValueLayout.JAVA_BYTE, slot + CONTRIBUTION, agreed.length);
      long next = slot + CONTRIBUTION + agreed.length;
      MemorySegment.copy(contribution, 0, memory, ValueLayout.JAVA_BYTE, next, contribution.length);
      long after = change(cell, word -> BoardWord.arrive(word, call));
      return after == BoardWord.NO ? null : new Visit(cell, call, BoardWord.count(after) == ranks);
    } finally {
      coming.unlock();
    }
  }

  /** The rank comes to a call in another way: all do. */
  public void part(int region, long call) {
    part(cell(region, call), call);
  }

  private void part(long cell, long call) {
    change(cell, word -> BoardWord.part(word, call));
  }

  /** A rank's coming to one call. For one thread at a time. */
  public final class Visit {

    // constant after construction
    private final long cell;
    private final long call;
    private final boolean last;

    private Visit(long cell, long call, boolean last) {
      this.cell = cell;
      this.call = call;
      this.last = last;
    }

    /** Whether all others came before: then this one has to {@link #meet}, or to {@link #part}. */
    public boolean isLast() {
      return last;
    }

    private Fate fate() {
      return BoardWord.fate(word(cell), call);
    }

    /** Whether it is met, so that the rank has to {@link #leave} it. */
    public boolean isMet() {
      return fate() == Fate.MET;
    }

    /** Whether all go to the coordinator. */
    public boolean isApart() {
      return fate() == Fate.APART;
    }

    /** Whether all ranks agree where they must. */
    public boolean agrees() {
      long mine = slot(cell, own);
      int length = memory.get(INT, mine);
      if (length < 0 || length > SLOT_BYTES - CONTRIBUTION) {
        return false;
      }
      for (int rank = 0; rank < ranks; rank++) {
        long slot = slot(cell, rank);
        if (memory.get(INT, slot) != length
            || MemorySegment.mismatch(
                    memory,
                    slot + CONTRIBUTION,
                    slot + CONTRIBUTION + length,
                    memory,
                    mine + CONTRIBUTION,
                    mine + CONTRIBUTION + length)
                >= 0) {
          return false;
        }
      }
      return true;
    }

    /** Lets all ranks go on, unless another rank has parted them before. */
    public void meet(long result) {
      coming.lock();
      try {
        if (fate() != Fate.OPEN) {
          return; // another call of this rank may have the slot
        }
        memory.set(LONG, slot(cell, own) + RESULT, result);
        change(cell, word -> BoardWord.meet(word, call, ranks));
      } finally {
        coming.unlock();
      }
    }

    /** Lets all ranks go to the coordinator, unless they have met. */
    public void part() {
      Board.this.part(cell, call);
    }

    /** Waits until it is met or apart; false if it is neither at that instant. */
    public boolean await(long deadlineNanos) throws IOException {
      if (fate() != Fate.OPEN) {
        return true;
      }
      boolean virtual = Thread.currentThread().isVirtual(); // it must not hold on to its carrier
      boolean looked = !virtual && spinning.tryLock();
      try {
        if (looked && spin.await(() -> fate() != Fate.OPEN)) {
          return true;
        }
        boolean decided = sleep(deadlineNanos, virtual || !host.canSleep());
        if (looked) {
          spin.woke();
        }
        return decided;
      } finally {
        if (looked) {
          spinning.unlock();
        }
      }
    }

    private boolean sleep(long deadlineNanos, boolean naps) {
      while (true) {
        long seen = word(cell);
        if (BoardWord.fate(seen, call) != Fate.OPEN) {
          return true;
        }
        long now = env.nanoTime();
        if (now >= deadlineNanos) {
          return false;
        }
        long left = deadlineNanos == Env.NEVER ? SECOND : Math.min(deadlineNanos - now, SECOND);
        if (naps) {
          env.parker().park(now + Math.min(left, NAP_NANOS));
        } else {
          host.sleepWhile(memory, cell, (int) seen, left);
        }
      }
    }

    /** The result, as the last rank to arrive set it. */
    public long result() {
      long result = 0;
      for (int rank = 0; rank < ranks; rank++) {
        result = Math.max(result, memory.get(LONG, slot(cell, rank) + RESULT));
      }
      return result;
    }

    /** A rank's contribution. */
    public byte[] contribution(int rank) throws MillraceException {
      long slot = slot(cell, rank);
      int agreed = memory.get(INT, slot);
      int length = memory.get(INT, slot + Integer.BYTES);
      if (agreed < 0 || length < 0 || (long) agreed + length > SLOT_BYTES - CONTRIBUTION) {
        throw new MillraceException(
            ErrorCode.PROTOCOL,
            "rank %s claims a contribution of %s and %s bytes".formatted(rank, agreed, length));
      }
      byte[] contribution = new byte[length];
      MemorySegment.copy(
          memory, ValueLayout.JAVA_BYTE, slot + CONTRIBUTION + agreed, contribution, 0, length);
      return contribution;
    }

    /** The rank is done with it. Called once, if it is met. */
    public void leave() {
      change(cell, word -> BoardWord.leave(word, call));
    }
  }
}
