package org.millrace.client;

import java.io.IOException;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Whether a session still holds its locks, according to the coordinator's last answer. The
 * coordinator passes the locks of a session on only after it has not heard from it for longer than
 * this lease. So a session that is cut off from the coordinator stops writing under its locks
 * before others get them, even if it can still reach the nodes.
 *
 * <p>For one thread.
 */
final class LockLease {

  /** Far less than the time after which a silent session ends. */
  static final long LIFETIME_NANOS = 1_000_000_000L;

  /** How long an answer may take: longer than a coordinator that is restarted is away. */
  private static final long ANSWER_NANOS = 10_000_000_000L;

  // constant after construction
  private final Session session;
  private final long group;
  private final long lifetimeNanos;

  private long renewedNanos;

  /**
   * A lease that begins now, with an answer of the coordinator still to come.
   *
   * @param rank a rank that is the session's own, in a group that ends with the session
   */
  LockLease(Rank rank, long lifetimeNanos) {
    this.session = rank.session();
    this.group = rank.group();
    this.lifetimeNanos = lifetimeNanos;
    this.renewedNanos = session.env().nanoTime();
  }

  /** Asks the coordinator again if half of the time is over; throws if it does not answer well. */
  void check() throws IOException {
    long now = session.env().nanoTime();
    if (now - renewedNanos < lifetimeNanos / 2) {
      return;
    }
    var request = new CoordinatorRequest.AskMembers(group);
    // nothing is written meanwhile, and the answer is true when it is given
    session.coordinator().call(request, Session.NOTHING, session.env().deadlineAfter(ANSWER_NANOS));
    renewedNanos = now;
  }
}
