package org.millrace.client;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Places;
import org.millrace.client.Memory.Share;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Pending;
import org.millrace.plan.Plan;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;

/**
 * Disk-directed I/O, seen from a rank: it tells every node that has something for anybody what it
 * wants and where its memory is, and waits until all have served all. Every rank hears every node's
 * outcome, so all ranks end alike without meeting again.
 *
 * <p>Safe for use by several threads; holds no state.
 */
final class DirectedTransfer {

  /** How long a rank waits before it asks whether all others are still there. */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  // constant after construction
  private final Session session;
  private final Strands strands;
  private final int rank;

  DirectedTransfer(Session session, Strands strands, int rank) {
    this.session = session;
    this.strands = strands;
    this.rank = rank;
  }

  void run(Plan.DiskDirected plan, CollectiveId collective, Memory memory) throws IOException {
    List<Share> shares = shares(plan.request().accesses().get(rank), memory);
    List<Integer> wanted = plan.strands();
    Pending[][] pending = new Pending[wanted.size()][shares.size()];
    for (int i = 0; i < pending.length; i++) {
      int turn = (i + rank) % pending.length; // not all ranks to the first node first
      for (int part = 0; part < shares.size(); part++) {
        Share share = shares.get(part);
        var request =
            new NodeRequest.Direct(
                strands.id(wanted.get(turn)),
                collective,
                plan.request().write(),
                rank,
                plan.request().ranks(),
                part,
                shares.size(),
                plan.depth(),
                strands.layout(),
                share.access(),
                share.places());
        pending[turn][part] = strands.startDirect(request, share.segment());
      }
    }
    MillraceException failure = null;
    for (int i = 0; i < pending.length; i++) {
      for (Pending one : pending[i]) {
        MillraceException its = outcome(wanted.get(i), collective, one);
        failure = failure == null ? its : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable MillraceException outcome(
      int strand, CollectiveId collective, Pending pending) {
    try {
      await(strand, collective, pending);
      return null;
    } catch (IOException e) {
      return MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  /** Waits like a meeting: the answer comes when all ranks have sent their parts. */
  private void await(int strand, CollectiveId collective, Pending pending) throws IOException {
    if (pending.isDone()) {
      pending.await(Env.NEVER);
      return;
    }
    session.operations().beginMeeting();
    try {
      long deadline = session.meetingDeadline();
      while (!isDoneBy(pending, deadline)) {
        if (session.env().nanoTime() >= deadline || isSomebodyGone(collective)) {
          strands.withdraw(strand, collective); // when it returns the memory is this rank's again
          break;
        }
      }
      pending.await(Env.NEVER);
    } finally {
      session.operations().endMeeting();
    }
  }

  /** Waits for a while. */
  private boolean isDoneBy(Pending pending, long deadlineNanos) throws IOException {
    long patience = Math.min(deadlineNanos, session.env().deadlineAfter(PATIENCE_NANOS));
    try {
      pending.await(patience);
      return true;
    } catch (DeadlineException e) {
      return pending.isDone();
    }
  }

  /** Whether a rank has left that may not have sent its part. */
  private boolean isSomebodyGone(CollectiveId collective) throws IOException {
    var request = new CoordinatorRequest.AskMembers(collective.group());
    return !((CoordinatorReply.Members) session.ask(request)).gone().isEmpty();
  }

  /** At least one, empty perhaps: a rank that wants nothing takes part all the same. */
  private static List<Share> shares(Access access, Memory memory) {
    List<Share> shares = memory.shares(access);
    return shares.isEmpty()
        ? List.of(new Share(Access.NOTHING, Places.packed(0), Session.NOTHING))
        : shares;
  }
}
