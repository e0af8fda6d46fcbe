package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.plan.collective.DirectRounds;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeRequest;
import org.millrace.transfer.MemorySlices.Share;

/**
 * Disk-directed I/O on the side of a rank: it sends its request and the place of its memory to
 * every node that holds bytes for any rank, and waits until all nodes have served all ranks. Every
 * rank gets the result of every node, so all ranks end alike without another meeting.
 *
 * <p>Where the plan is sparse a rank speaks only to nodes that have something of its own, and the
 * nodes count bytes to know that all have arrived. Then a failure reaches some ranks only, so the
 * call must end with a meeting.
 *
 * <p>Where a node is in another process than any of the ranks, all ranks go in rounds of bounded
 * size, because a node may have to keep what travels until all ranks have arrived; two rounds are
 * under way at a time. The ranks exchange whether there is such a node: a rank that has all strands
 * in its own process must make as many rounds as the others.
 *
 * <p>A rank whose round failed gives all later rounds up, at all nodes it can reach, so that nobody
 * waits for it there.
 *
 * <p>Safe for use by several threads; holds no state.
 */
public final class DirectedTransfer {

  /** How long a rank waits before it asks whether all others are still there. */
  private static final long TIMEOUT_NANOS = 2_000_000_000L;

  /** Rounds under way at a time: while the nodes serve one, the ranks send the next. */
  private static final int ROUNDS = 2;

  /** The share of a rank that wants nothing and takes part all the same. */
  private static final List<Share> NOTHING = List.of(new Share(Access.NOTHING, Payload.NONE));

  // constant after construction
  private final TransferContext carrier;
  private final OtherRanks others;
  private final Strands strands;
  private final int rank;

  /** The calls of rank number {@code rank}. */
  public DirectedTransfer(TransferContext carrier, OtherRanks others, Strands strands, int rank) {
    this.carrier = carrier;
    this.others = others;
    this.strands = strands;
    this.rank = rank;
  }

  /** One request to the node of a strand. */
  private record SentRequest(int strand, Pending pending) {}

  /** A round under way. */
  private record Round(CollectiveId collective, List<SentRequest> requests) {}

  /**
   * Carries a plan out.
   *
   * @param remote whether any rank reaches any strand in another process; the same on all ranks
   */
  public void run(
      Planned planned,
      Plan.DiskDirected plan,
      boolean remote,
      CollectiveId collective,
      MemorySlices memory)
      throws IOException {
    Access whole = plan.request().accesses().get(rank);
    if (!remote) {
      Extent span = plan.request().span();
      throwIfAny(end(start(plan, collective, span, memory.of(whole))));
      return;
    }
    DirectRounds rounds = DirectRounds.of(plan.request(), planned.overlapping(), plan.sparse());
    ArrayDeque<Round> window = new ArrayDeque<>();
    MillraceException failure = null;
    long number = 0;
    while ((failure == null && rounds.hasNext()) || !window.isEmpty()) {
      int max = rounds.isOrdered() ? 1 : ROUNDS;
      while (failure == null && rounds.hasNext() && window.size() < max) {
        Access part = rounds.next().get(rank);
        List<Share> shares =
            part.isEmpty()
                ? List.of()
                : memory.of(part.view(), whole.from(), part.from(), part.to());
        window.add(start(plan, collective.inRound(number), rounds.extent(), shares));
        number++;
      }
      Round round = window.remove();
      MillraceException its = end(round);
      if (failure == null && its != null) {
        failure = its;
        withdraw(plan, round.collective.inRound(round.collective.round() + 1));
      }
    }
    throwIfAny(failure);
  }

  /** Whether {@link #flush} may follow a plan: it is sparse, and all is moved in one round. */
  public static boolean mayFlush(Planned planned, boolean remote) {
    if (!(planned.plan() instanceof Plan.DiskDirected plan) || !plan.sparse()) {
      return false;
    }
    if (!remote) {
      return true;
    }
    DirectRounds rounds = DirectRounds.of(plan.request(), planned.overlapping(), true);
    rounds.next();
    return !rounds.hasNext();
  }

  /**
   * Makes strands durable that a sparse write of one round has written: those of which this rank
   * wrote the first byte. Each strand has one such rank, and its node has answered that rank only
   * after the pieces of all were written.
   */
  public void flush(Plan.DiskDirected plan) throws IOException {
    Access own = plan.request().accesses().get(rank);
    Extent span = plan.request().span();
    Layout layout = strands.layout();
    boolean[] touched = layout.touches(own.view(), own.from(), own.to());
    strands.flush(
        IntStream.range(0, touched.length)
            .filter(s -> touched[s])
            .filter(s -> has(own, layout.fileOffset(s, layout.strandSize(s, span.offset()))))
            .toArray());
  }

  private static boolean has(Access access, long fileOffset) {
    return access.below(fileOffset + 1) > access.below(fileOffset);
  }

  /** Lets a round and all later ones fail for all others, at all nodes within reach. */
  private void withdraw(Plan.DiskDirected plan, CollectiveId from) {
    List<Pending> withdrawals = new ArrayList<>();
    for (int strand : plan.strands()) {
      withdrawals.add(strands.startWithdrawal(strand, from));
    }
    for (Pending one : withdrawals) {
      try {
        one.await(carrier.deadline());
      } catch (IOException e) {
        // a node that cannot be reached has lost this rank, and fails what it sent by itself
      }
    }
  }

  private static void throwIfAny(@Nullable MillraceException failure) throws MillraceException {
    if (failure != null) {
      throw failure;
    }
  }

  /** Sends a round's parts, which are about an extent of the file. */
  private Round start(
      Plan.DiskDirected plan, CollectiveId collective, Extent extent, List<Share> some) {
    List<Share> shares = some.isEmpty() && !plan.sparse() ? NOTHING : some;
    List<boolean[]> touched = touched(plan, shares);
    List<SentRequest> requests = new ArrayList<>();
    for (int strand : StrandOrder.of(any(touched), rank)) {
      for (int part = 0; part < shares.size(); part++) {
        if (touched.get(part)[strand]) {
          Share share = shares.get(part);
          var request =
              new NodeRequest.Direct(
                  strands.id(strand),
                  collective,
                  plan.request().write(),
                  rank,
                  plan.request().ranks(),
                  plan.sparse() ? strandBytes(strand, extent) : 0,
                  part,
                  shares.size(),
                  plan.depth(),
                  strands.layout(),
                  share.access());
          requests.add(new SentRequest(strand, strands.startDirect(request, share.payload())));
        }
      }
    }
    return new Round(collective, requests);
  }

  /** The strands that hear of each share: those that have something of it, or all of the plan. */
  private List<boolean[]> touched(Plan.DiskDirected plan, List<Share> shares) {
    List<boolean[]> touched = new ArrayList<>(shares.size());
    for (Share share : shares) {
      Access access = share.access();
      boolean[] hear;
      if (plan.sparse()) {
        hear = strands.layout().touches(access.view(), access.from(), access.to());
      } else {
        hear = new boolean[strands.layout().strands()];
        plan.strands().forEach(strand -> hear[strand] = true);
      }
      touched.add(hear);
    }
    return touched;
  }

  private boolean[] any(List<boolean[]> some) {
    boolean[] any = new boolean[strands.layout().strands()];
    for (boolean[] one : some) {
      for (int s = 0; s < any.length; s++) {
        any[s] |= one[s];
      }
    }
    return any;
  }

  private long strandBytes(int strand, Extent extent) {
    return strands.layout().strandSize(strand, extent.end())
        - strands.layout().strandSize(strand, extent.offset());
  }

  /** Waits for a round; returns its first failure. */
  private @Nullable MillraceException end(Round round) {
    MillraceException failure = null;
    for (SentRequest one : round.requests) {
      MillraceException its = outcome(one.strand, round.collective, one.pending);
      failure = failure == null ? its : failure;
    }
    return failure;
  }

  private @Nullable MillraceException outcome(
      int strand, CollectiveId collective, Pending pending) {
    try {
      await(strand, collective, pending);
      return null;
    } catch (IOException e) {
      pending.abandon(); // the memory is this rank's again, whatever becomes of the request
      return MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  /** Waits like a meeting: the answer comes when all ranks have sent their parts. */
  private void await(int strand, CollectiveId collective, Pending pending) throws IOException {
    if (pending.isDone()) {
      pending.await(Env.NEVER);
      return;
    }
    others.beginWait();
    try {
      long deadline = others.deadline();
      while (!isDoneBy(pending, deadline)) {
        IOException lost = null;
        boolean over = carrier.env().nanoTime() >= deadline;
        try {
          over |= others.isSomebodyGone();
        } catch (IOException e) { // without a coordinator it is unknown whether all will come
          lost = e;
        }
        if (over || lost != null) {
          giveUp(strand, collective, pending, lost);
          return;
        }
      }
      pending.await(Env.NEVER);
    } finally {
      others.endWait();
    }
  }

  /** Withdraws this rank's part; when it returns or throws the memory is this rank's again. */
  private void giveUp(
      int strand, CollectiveId collective, Pending pending, @Nullable IOException reason)
      throws IOException {
    strands.withdraw(strand, collective);
    try {
      pending.await(carrier.deadline());
    } catch (IOException e) {
      if (reason != null) {
        reason.addSuppressed(e);
        throw reason;
      }
      throw e;
    }
  }

  /** Waits for a while. */
  private boolean isDoneBy(Pending pending, long deadlineNanos) throws IOException {
    long waitUntilNanos = Math.min(deadlineNanos, carrier.env().deadlineAfter(TIMEOUT_NANOS));
    try {
      pending.await(waitUntilNanos);
      return true;
    } catch (DeadlineException e) {
      return pending.isDone();
    }
  }
}
