package org.millrace.client;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.client.Mover.Job;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.TransactionLogs;

/**
 * Several accesses of one rank to one or several files, all or nothing. After {@link #commit} all
 * its writes are durable; a crash before that leaves none or all of them. Reads see the
 * transaction's own writes; other ranks see them when it has been committed.
 *
 * <pre>{@code
 * try (Transaction transaction = rank.begin()) {
 *   accounts.at(8 * from).in(transaction).write(less);
 *   accounts.at(8 * to).in(transaction).write(more);
 *   transaction.commit();
 * }
 * }</pre>
 *
 * <p>Every access locks the range of the file from its first to its last byte, on the strands that
 * it touches, until the transaction ends, against other transactions and against all accesses in
 * atomic mode. Accesses of different strands never wait for each other. Accesses that are not
 * atomic are not kept apart. If transactions wait for each other in a circle the last of them fails
 * with {@link org.millrace.error.DeadlockException} and the others go on; a transaction that could
 * not get a lock is aborted, and may be tried again from its begin. While it is open its rank must
 * not access the same bytes in atomic mode in other ways: it would wait for itself, and gets an
 * IllegalStateException.
 *
 * <p>Writes are kept in memory until the commit, so that a transaction is bounded: see {@link
 * #MAX_BYTES}, which counts whole pages, and {@link #MAX_FILES}.
 *
 * <p>How it works: {@code docs/decisions/0019-transactions.md}.
 *
 * <p>Belongs to the rank's thread. Closing aborts it unless it was committed; idempotent.
 */
public final class Transaction implements AutoCloseable {

  /** The maximum number of bytes that a transaction can write. */
  public static final long MAX_BYTES = 64 << 20;

  private static final long MAX_PAGES = MAX_BYTES / WrittenBytes.PAGE;

  /** The maximum number of files that a transaction can write. */
  public static final int MAX_FILES = TransactionLogs.MAX_FILES;

  /** What a transaction has of one file. */
  record Touched(OpenFile file, LockedRanges locks, WrittenBytes written) {}

  // constant after construction
  private final Rank rank;
  private final Commitment.Steps steps;
  private final Thread owner = Thread.currentThread();

  // owned by the rank's thread
  private final Map<Long, Touched> files = new LinkedHashMap<>();
  private boolean ended;

  private Transaction(Rank rank, Commitment.Steps steps) {
    this.rank = rank;
    this.steps = steps;
  }

  /** Begins one. {@code steps} is told how far its commit has come. */
  static Transaction begin(Rank rank, Commitment.Steps steps) {
    Transaction begun = new Transaction(rank, steps);
    rank.session().transactions().add(begun);
    return begun;
  }

  /** Whether it was committed, aborted or has failed. */
  public boolean isEnded() {
    return ended;
  }

  /** Reads; returns how many bytes there were, counting those that this transaction has written. */
  long read(FileAccess access, Memory into) throws IOException {
    OpenFile open = check(access.file());
    access.checkAlone(false, into, false);
    long position = access.position();
    long length = into.length();
    if (length == 0) {
      return 0;
    }
    Job asked = access.job(false);
    View view = asked.view();
    Touched touched = lock(open, view, position, length, false);
    long size = Math.max(open.strands().size(), touched.written.end());
    long count = Math.clamp(Mover.endPosition(view, size) - position, 0, length);
    // The locks are held already. A view that does not ascend may leave the file, as far as it is
    // written, and come back: what is not there yet counts as a hole.
    Job job = new Job(false, view, _ -> Long.MAX_VALUE, false, asked.hints());
    long moved = open.mover().move(job, position, into, count);
    into.forEachRun(
        moved, count, (segment, place, _, bytes) -> segment.asSlice(place, bytes).fill((byte) 0));
    forEachRun(
        view,
        position,
        count,
        (offset, at, bytes) ->
            into.forEachRun(
                at,
                at + bytes,
                (segment, place, first, some) ->
                    touched.written.overlay(offset + first - at, segment, place, some)));
    return count;
  }

  /** Keeps what is to be written until the commit; returns how many bytes that are. */
  long write(FileAccess access, Memory from) throws IOException {
    OpenFile open = check(access.file());
    access.checkAlone(true, from, false);
    long position = access.position();
    long length = from.length();
    if (length == 0) {
      return 0;
    }
    View view = access.job(true).view();
    if (length > MAX_BYTES || pagesAfter(open, view, position, length) > MAX_PAGES) {
      throw tooLarge(length);
    }
    Touched touched = lock(open, view, position, length, true);
    forEachRun(
        view,
        position,
        length,
        (offset, at, bytes) ->
            from.forEachRun(
                at,
                at + bytes,
                (segment, place, first, some) ->
                    touched.written.write(offset + first - at, segment, place, some)));
    return length;
  }

  /** The end of the file in positions of its view, including this transaction's writes. */
  public long endPosition(SharedFile file) throws IOException {
    OpenFile open = check(file.file());
    Touched touched = files.get(open.opened().file());
    long own = touched == null ? 0 : touched.written.end();
    return Mover.endPosition(open.view(), Math.max(own, open.strands().size()));
  }

  private OpenFile check(OpenFile open) {
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
    if (open.rank().session() != rank.session()) {
      throw new IllegalArgumentException(open.path() + " was opened by another rank");
    }
    if (open.options().has(OpenFlag.DATA_CACHE)) {
      throw new IllegalArgumentException(
          open.path() + " was opened with a data cache, which may show a transaction old bytes");
    }
    return open;
  }

  /** How many pages this transaction would have after a write. */
  private long pagesAfter(OpenFile open, View view, long position, long length) {
    long[] pages = {0};
    for (Touched one : files.values()) {
      pages[0] += one.written.pages();
    }
    Touched known = files.get(open.opened().file());
    WrittenBytes written = known == null ? new WrittenBytes() : known.written;
    long[] last = {-1};
    forEachRun(
        view,
        position,
        length,
        (offset, _, bytes) -> {
          boolean ascends = WrittenBytes.page(offset) >= last[0];
          pages[0] += written.pagesMore(offset, bytes, ascends ? last[0] : -1);
          last[0] = WrittenBytes.page(offset + bytes - 1);
        });
    return pages[0];
  }

  private static MillraceException tooLarge(long length) {
    return new MillraceException(
        ErrorCode.INVALID,
        "%s bytes more would make a transaction of more than %s".formatted(length, MAX_BYTES));
  }

  private interface RunTaker {
    void run(long offset, long at, long bytes);
  }

  private static void forEachRun(View view, long position, long count, RunTaker taker) {
    Runs runs = view.runs(position, position + count);
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long at = runs.position() - position + i * runs.length();
        taker.run(runs.offset() + i * runs.stride(), at, runs.length());
      }
    }
  }

  private Touched lock(OpenFile open, View view, long position, long length, boolean write)
      throws IOException {
    long id = open.opened().file();
    Touched touched = files.get(id);
    if (touched == null) {
      touched = new Touched(open, new LockedRanges(open.rank()), new WrittenBytes());
      files.put(id, touched);
    } else if (write && touched.file != open) { // the commit goes through what may be written
      touched = new Touched(open, touched.locks, touched.written);
      files.put(id, touched);
    }
    try {
      touched.locks.lock(
          LockScope.of(id, open.strands().layout(), view, position, position + length));
    } catch (IOException e) {
      endAfter(e);
      throw e;
    }
    return touched;
  }

  /**
   * Locks what an access through a view would lock, before it: for those who must look at something
   * else first, the ends of strands, that must not change until the access.
   */
  public void lock(SharedFile file, View view, long from, long to) throws IOException {
    OpenFile open = check(file.file());
    open.checkOpen();
    if (from < to) {
      lock(open, view, from, to - from, false);
    }
  }

  /** Whether this transaction, of the calling thread, has locked any of these bytes. */
  boolean isInTheWayOf(LockScope scope) {
    if (Thread.currentThread() != owner) {
      return false; // an operation that may wait for the end
    }
    Touched touched = files.get(scope.file());
    return touched != null && touched.locks.touches(scope);
  }

  /**
   * Applies all writes durably and ends the transaction. If it throws, no write has been applied,
   * unless the message says that it is committed: then the next rank that opens or locks one of the
   * files applies the rest. With the codes DEADLINE and UNKNOWN the outcome is unknown.
   */
  public void commit() throws IOException {
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
    try {
      new Commitment(rank, steps).commit(files.values());
    } catch (IOException e) {
      endAfter(e);
      throw e;
    }
    end();
  }

  /** Discards all writes and ends the transaction. */
  public void abort() throws IOException {
    if (!ended) {
      end();
    }
  }

  @Override
  public void close() throws IOException {
    abort();
  }

  private void endAfter(IOException e) {
    try {
      end();
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }

  private void end() throws IOException {
    ended = true;
    rank.session().transactions().remove(this);
    IOException failure = null;
    for (Touched touched : files.values()) {
      try {
        touched.locks.release();
      } catch (IOException e) {
        failure = e;
      }
    }
    files.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
