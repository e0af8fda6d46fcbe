package org.millrace.client;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.Declare;

/**
 * A wait that is declared to the coordinator after it has lasted for a while, so that the
 * coordinator can show it and detect deadlocks. Short waits cost nothing. Closing withdraws it
 * without waiting for an answer, because the coordinator gets the requests of a thread in order.
 * For one thread.
 */
final class DeclaredWait implements AutoCloseable {

  /** How long a thread waits before it says so, and between looks at what has changed. */
  static final long DECLARE_AFTER_NANOS = 50_000_000;

  // constant after construction
  private final Session session;
  private final long group;
  private final int rank;
  private final String call;
  private final int on;
  private final long number;

  private boolean declared;
  private int others = -1;

  private DeclaredWait(Session session, long group, int rank, String call, int on) {
    this.session = session;
    this.group = group;
    this.rank = rank;
    this.call = call;
    this.on = on;
    this.number = session.waits().incrementAndGet();
  }

  /** A wait for a message of rank {@code from}, or of any; not yet declared. */
  static DeclaredWait forMessage(Rank rank, String call, int from) {
    int on = from == Rank.ANY ? Declare.ANYBODY : from;
    return new DeclaredWait(rank.session(), rank.group(), rank.number(), call, on);
  }

  /** A wait of the rank's own thread for requests of the rank; not yet declared. */
  static DeclaredWait forOwn(Session session, long group, int rank, String call) {
    return new DeclaredWait(session, group, rank, call, Declare.NOBODY);
  }

  /** Says that it still lasts, and how many requests of the rank are under way. */
  void declare(int underWay) {
    if (!declared || others != underWay) {
      declared = true;
      others = underWay;
      var request = new Declare(group, rank, number, call, on, underWay);
      session.coordinator().start(request, Session.NOTHING);
    }
  }

  /**
   * Waits for the answer to a request of the rank's own thread, until {@code deadlineNanos}, and
   * declares it when that takes long while operations of the rank are under way.
   */
  static Message await(
      Pending pending, Session session, long group, int rank, String call, long deadlineNanos)
      throws IOException {
    Env env = session.env();
    try (DeclaredWait wait = forOwn(session, group, rank, call)) {
      while (true) {
        try {
          long waitUntilNanos = env.deadlineAfter(DECLARE_AFTER_NANOS);
          return pending.await(Math.min(deadlineNanos, waitUntilNanos));
        } catch (DeadlineException e) {
          if (pending.isDone()) {
            return pending.await(deadlineNanos); // it failed so, or came at the last moment
          }
          if (env.nanoTime() >= deadlineNanos) {
            throw e;
          }
        }
        wait.declare(1 + session.operations().underWay());
      }
    }
  }

  @Override
  public void close() {
    if (declared) {
      declared = false;
      var request = new CoordinatorRequest.Undeclare(group, rank, number);
      session.coordinator().start(request, Session.NOTHING);
    }
  }
}
