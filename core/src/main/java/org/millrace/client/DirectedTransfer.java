package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
import org.millrace.plan.DirectRounds;
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
 * <p>Where nodes are in other processes this goes in rounds of bounded size, two under way at a
 * time, each by way of memory that the nodes can reach, if there is some.
 *
 * <p>Safe for use by several threads; holds no state.
 */
final class DirectedTransfer {

  /** How long a rank waits before it asks whether all others are still there. */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  private static final int WINDOW = 2;

  // constant after construction
  private final Session session;
  private final Strands strands;
  private final int rank;

  DirectedTransfer(Session session, Strands strands, int rank) {
    this.session = session;
    this.strands = strands;
    this.rank = rank;
  }

  /** One request to the node of a strand. */
  private record Asked(int strand, Pending pending) {}

  /** A round under way. */
  private record Round(
      CollectiveId collective,
      List<Asked> asked,
      List<Share> shares,
      @Nullable MemorySegment staged) {}

  void run(Plan.DiskDirected plan, boolean overlapping, CollectiveId collective, Memory memory)
      throws IOException {
    Access whole = plan.request().accesses().get(rank);
    if (!strands.isRemote()) {
      List<Share> shares = atLeastOne(memory.shares(whole));
      Round only = new Round(collective, start(plan, collective, shares), shares, null);
      throwIfAny(end(plan, only, null));
      return;
    }
    DirectRounds rounds = DirectRounds.of(plan.request(), overlapping);
    ArrayDeque<Round> window = new ArrayDeque<>();
    MillraceException failure = null;
    int next = 0;
    while (next < rounds.count() || !window.isEmpty()) {
      while (next < rounds.count() && window.size() < WINDOW) {
        Access part = rounds.access(next, rank);
        List<Share> shares =
            part.isEmpty()
                ? List.of()
                : memory.shares(part.view(), whole.from(), part.from(), part.to());
        window.add(startRound(plan, collective.inRound(next), part, shares));
        next++;
      }
      failure = end(plan, window.remove(), failure);
    }
    throwIfAny(failure);
  }

  private static void throwIfAny(@Nullable MillraceException failure) throws MillraceException {
    if (failure != null) {
      throw failure;
    }
  }

  /** Sends a round's parts, by way of staged memory if there is some. */
  private Round startRound(
      Plan.DiskDirected plan, CollectiveId collective, Access part, List<Share> shares) {
    MemorySegment staged = part.isEmpty() ? null : session.staging().tryTake(part.size());
    if (staged == null) {
      return new Round(collective, start(plan, collective, atLeastOne(shares)), shares, null);
    }
    if (plan.request().write()) {
      for (Share share : shares) {
        long at = share.access().from() - part.from();
        PlacedCopy.pack(share.segment(), share.places(), share.access().size(), staged, at);
      }
    }
    Share packed = new Share(part, Places.packed(part.size()), staged);
    return new Round(collective, start(plan, collective, List.of(packed)), shares, staged);
  }

  private List<Asked> start(Plan.DiskDirected plan, CollectiveId collective, List<Share> shares) {
    List<Integer> wanted = plan.strands();
    List<Asked> asked = new ArrayList<>(wanted.size() * shares.size());
    for (int i = 0; i < wanted.size(); i++) {
      int strand = wanted.get((i + rank) % wanted.size()); // not all ranks to the first node first
      for (int part = 0; part < shares.size(); part++) {
        Share share = shares.get(part);
        var request =
            new NodeRequest.Direct(
                strands.id(strand),
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
        asked.add(new Asked(strand, strands.startDirect(request, share.segment())));
      }
    }
    return asked;
  }

  /** Waits for a round; returns the first failure of this and earlier rounds. */
  private @Nullable MillraceException end(
      Plan.DiskDirected plan, Round round, @Nullable MillraceException earlier) {
    MillraceException failure = null;
    for (Asked one : round.asked) {
      MillraceException its = outcome(one.strand, round.collective, one.pending);
      failure = failure == null ? its : failure;
    }
    MemorySegment staged = round.staged;
    if (staged != null) {
      if (failure == null && !plan.request().write()) {
        long first = round.shares.getFirst().access().from();
        for (Share share : round.shares) {
          long size = share.access().size();
          MemorySegment from = staged.asSlice(share.access().from() - first, size);
          PlacedCopy.unpack(from, share.segment(), share.places(), size);
        }
      }
      session.staging().give(staged);
    }
    return earlier != null ? earlier : failure;
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
  private static List<Share> atLeastOne(List<Share> shares) {
    return shares.isEmpty()
        ? List.of(new Share(Access.NOTHING, Places.packed(0), Session.NOTHING))
        : shares;
  }
}
