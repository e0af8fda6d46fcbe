package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.message.Board;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.BoardEntry;
import org.millrace.protocol.CallNumbers;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect;

/**
 * A rank's part in a meeting on a board. Either all ranks meet on the board, or all send their
 * usual request to the coordinator, because one of them has waited for 50 ms, made another call, or
 * cannot use the board. Decision 0046 describes the protocol.
 *
 * <p>One thread at a time waits for it, from the moment at which it was made: nobody else sends the
 * request if it comes apart.
 */
final class BoardCall implements Pending {

  // constant after construction
  private final Session session;
  private final BoardPlace place;
  private final Meet meet;
  private final @Nullable Late late;
  private final Supplier<Pending> apart;
  private final long waitUntilNanos;

  // owned by the waiting thread
  private Board.@Nullable Visit visit;
  private boolean checkStarted;

  private volatile @Nullable CoordinatorReply answer;
  private volatile @Nullable Pending next;

  /**
   * A meeting that a rank comes to.
   *
   * @param visit its coming to the board; null if it could not, so that all go to the coordinator
   * @param apart sends the request on its way to the coordinator
   */
  BoardCall(
      Session session,
      BoardPlace place,
      Board.@Nullable Visit visit,
      Meet meet,
      @Nullable Late late,
      Supplier<Pending> apart) {
    this.session = session;
    this.place = place;
    this.visit = visit;
    this.meet = meet;
    this.late = late;
    this.apart = apart;
    this.waitUntilNanos = session.env().deadlineAfter(DeclaredWait.DECLARE_AFTER_NANOS);
  }

  /** What a rank need not know itself of a meeting that is met on a board. */
  interface Late {
    /**
     * Computed by the last rank to arrive, after all have arrived, from all contributions; passed
     * to all.
     */
    long size(List<Effect.Exchange> all) throws IOException;

    /** The rank's part as it goes to the coordinator. */
    Meet complete(Meet meet);
  }

  @Override
  public boolean isDone() {
    Pending other = next;
    return answer != null || other != null && other.isDone();
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    Board.Visit here = visit;
    if (here != null) {
      decide(here, deadlineNanos);
    }
    CoordinatorReply met = answer;
    if (met != null) {
      return met;
    }
    Pending other = next;
    if (other == null) {
      other = apart.get();
      next = other;
    }
    return other.await(deadlineNanos);
  }

  /** Waits until the call is met or apart. */
  private void decide(Board.Visit here, long deadlineNanos) throws IOException {
    if (here.isLast() && !checkStarted) {
      checkStarted = true;
      endGathering(here);
    }
    if (!here.await(Math.min(deadlineNanos, waitUntilNanos))) {
      if (session.env().nanoTime() < waitUntilNanos) {
        throw new DeadlineException("not all ranks arrived in time at " + meet.call());
      }
      here.part();
    }
    visit = null;
    if (here.isMet()) {
      try {
        answer = answer(here);
      } finally {
        here.leave();
      }
    }
  }

  /** All are there, and this rank came last: it looks whether they agree. */
  private void endGathering(Board.Visit all) {
    try {
      if (all.agrees()) {
        BoardPlace.Check check = place.check();
        boolean ends = CallNumbers.begin(meet.sequence()) != meet.sequence();
        Pending checked = check == null || ends ? null : check.start();
        long size = late == null ? 0 : late.size(BoardEntry.exchanged(contributions(all)));
        if (checked != null) {
          checked.await(session.deadline());
        }
        all.meet(size);
      }
    } catch (IOException | RuntimeException e) {
      // each goes to the coordinator, which says what is wrong; also if it is a mistake of ours
    } finally {
      all.part(); // unless it is met
    }
  }

  private List<byte[]> contributions(Board.Visit all) throws MillraceException {
    List<byte[]> contributions = new ArrayList<>();
    for (int rank = 0; rank < place.board().ranks(); rank++) {
      contributions.add(all.contribution(rank));
    }
    return contributions;
  }

  private CoordinatorReply answer(Board.Visit met) throws MillraceException {
    return meet.effect() instanceof Effect.Exchange
        ? CoordinatorReply.Exchanged.of(BoardEntry.exchanged(contributions(met)))
            .atLeast(met.result())
        : BoardEntry.met(contributions(met));
  }
}
