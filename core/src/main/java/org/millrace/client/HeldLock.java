package org.millrace.client;

import java.io.IOException;
import org.millrace.error.DeadlineException;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/** A lock that this rank holds until it closes it. Closing is idempotent. For one thread. */
public final class HeldLock implements AutoCloseable {

  private final Session session;
  private final long lock;
  private boolean held = true;

  private HeldLock(Session session, long lock) {
    this.session = session;
    this.lock = lock;
  }

  static HeldLock acquire(Session session, CoordinatorRequest.Lock request) throws IOException {
    Pending pending = session.coordinator().start(request, Session.NOTHING);
    long deadline = session.meetingDeadline();
    try {
      return new HeldLock(session, ((CoordinatorReply.Value) pending.await(deadline)).value());
    } catch (DeadlineException e) {
      var cancel =
          new CoordinatorRequest.CancelLock(
              request.group(), request.rank(), request.name(), request.from(), request.to());
      do { // again if it met the same words of another thread
        session.ask(cancel);
      } while (!pending.isDone());
      // unless it was granted at the last moment, this throws
      long late = ((CoordinatorReply.Value) pending.await(deadline)).value();
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
