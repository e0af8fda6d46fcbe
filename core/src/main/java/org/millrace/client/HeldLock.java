package org.millrace.client;

import java.io.IOException;
import org.millrace.access.View;
import org.millrace.error.DeadlineException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.FileLockName;

/** A lock that this rank holds until it closes it. Closing is idempotent. For one thread. */
public final class HeldLock implements AutoCloseable {

  private final Session session;
  private final long lock;
  private final boolean unfinished;
  private boolean held = true;

  private HeldLock(Session session, CoordinatorReply.Locked granted) {
    this.session = session;
    this.lock = granted.lock();
    this.unfinished = granted.unfinished();
  }

  /**
   * Waits for a lock of a range of a file, and finishes what transactions have left to do there.
   *
   * @param bytes which bytes of the range
   * @param brief its holder does not wait before releasing it, and any thread may request it
   */
  static HeldLock ofFile(
      Rank rank, FileLockName bytes, long from, long to, boolean shared, boolean brief)
      throws IOException {
    boolean alone = !brief && rank.session().operations().isIdle();
    var request =
        new CoordinatorRequest.Lock(
            rank.group(), rank.number(), bytes.text(), from, to, shared, alone, brief);
    HeldLock lock = acquire(rank.session(), request);
    if (lock.unfinished) {
      try {
        UnfinishedTransactions.finish(rank.session(), bytes.file());
      } catch (IOException | RuntimeException e) {
        try (lock) {
          throw e;
        }
      }
    }
    return lock;
  }

  /**
   * Waits for the lock of a file's end. It keeps nobody from writing; but all who write where they
   * find the end of the file, of whatever group, take it to look at the size and make it larger,
   * and then write there without it. Its holder must not wait.
   */
  static HeldLock ofEnd(OpenFile open) throws IOException {
    open.checkOpen();
    long last = Long.MAX_VALUE - 1; // a byte that no file has, so that no access is in the way
    FileLockName all = FileLockName.all(open.opened().file());
    return ofFile(open.rank(), all, last, Long.MAX_VALUE, false, true);
  }

  /**
   * Waits for the lock that an access in atomic mode takes, for several accesses that are to be
   * one: they must not be atomic themselves. Unlike that one it may be part of a circle.
   *
   * @param shared whether others may read the same bytes meanwhile
   */
  public static HeldLock ofAccess(SharedFile file, View view, long from, long to, boolean shared)
      throws IOException {
    OpenFile open = file.file();
    open.checkOpen();
    return open.mover().lock(view, from, to, shared, false);
  }

  static HeldLock acquire(Session session, CoordinatorRequest.Lock request) throws IOException {
    Pending pending = session.coordinator().start(request, Session.NOTHING);
    long deadline = session.meetingDeadline();
    try {
      Message granted =
          request.alone() || request.brief()
              ? pending.await(deadline)
              : DeclaredWait.await(
                  pending,
                  session,
                  request.group(),
                  request.rank(),
                  "lock, with operations under way",
                  deadline);
      return new HeldLock(session, (CoordinatorReply.Locked) granted);
    } catch (DeadlineException e) {
      var cancel =
          new CoordinatorRequest.CancelLock(
              request.group(), request.rank(), request.name(), request.from(), request.to());
      do { // again if it met the same words of another thread
        session.ask(cancel);
      } while (!pending.isDone());
      // unless it was granted at the last moment, this throws
      long late = ((CoordinatorReply.Locked) pending.await(deadline)).lock();
      session.ask(new CoordinatorRequest.Unlock(late));
      throw e;
    }
  }

  /** Gives the lock back. */
  @Override
  public void close() throws IOException {
    if (held) {
      held = false;
      session.ask(new CoordinatorRequest.Unlock(lock));
    }
  }
}
