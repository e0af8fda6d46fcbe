package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.message.Board;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Posted;

/**
 * A meeting that a rank has come to on a board. It is met there, or all ranks go to the coordinator
 * with the request that they always sent: because somebody has waited for 50 ms, said something
 * else, or does not come this way. Decision 0046 says how it works.
 *
 * <p>One thread at a time waits for it, from the moment at which it was made: nobody else sends the
 * request if it comes apart.
 */
final class BoardCall implements Pending {

  // constant after construction
  private final Env env;
  private final BoardPlace place;
  private final Meet meet;
  private final Supplier<Pending> apart;
  private final long patienceNanos;

  // owned by the waiting thread
  private Board.@Nullable Visit visit;
  private boolean asked;

  private volatile @Nullable CoordinatorReply answer;
  private volatile @Nullable Pending next;

  /**
   * A meeting that was come to.
   *
   * @param apart sends the request on its way to the coordinator
   */
  BoardCall(Env env, BoardPlace place, Board.Visit visit, Meet meet, Supplier<Pending> apart) {
    this.env = env;
    this.place = place;
    this.visit = visit;
    this.meet = meet;
    this.apart = apart;
    this.patienceNanos = env.deadlineAfter(DeclaredWait.PATIENCE_NANOS);
  }

  @Override
  public boolean isDone() {
    Pending other = next;
    return answer != null || other != null && other.isDone();
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    Board.Visit undecided = visit;
    if (undecided != null) {
      decide(undecided, deadlineNanos);
    }
    CoordinatorReply here = answer;
    Pending other = next;
    if (here != null) {
      return here;
    }
    if (other == null) {
      throw new IllegalStateException("what ranks said on the board could not be read");
    }
    return other.await(deadlineNanos);
  }

  /** Waits until the call is met or apart. */
  private void decide(Board.Visit undecided, long deadlineNanos) throws IOException {
    if (undecided.isLast() && !asked) {
      asked = true;
      endGathering(undecided);
    }
    if (!undecided.await(Math.min(deadlineNanos, patienceNanos))) {
      if (env.nanoTime() < patienceNanos) {
        throw new DeadlineException("not all ranks came in time to " + meet.call());
      }
      undecided.part();
    }
    visit = null;
    if (undecided.isMet()) {
      try {
        answer = answer(undecided);
      } finally {
        undecided.leave();
      }
    } else {
      next = apart.get();
    }
  }

  /** All are there, and this rank came last: it looks whether they agree. */
  private void endGathering(Board.Visit all) {
    boolean agree = false;
    try {
      if (all.agrees()) {
        place.check().run();
        agree = true;
      }
    } catch (IOException e) {
      // each goes to the coordinator, which says what is wrong
    } finally {
      if (agree) {
        all.meet(0);
      } else {
        all.part();
      }
    }
  }

  private CoordinatorReply answer(Board.Visit met) throws MillraceException {
    List<byte[]> said = new ArrayList<>();
    for (int rank = 0; rank < place.board().ranks(); rank++) {
      said.add(met.said(rank));
    }
    return meet.effect() instanceof Effect.Exchange
        ? CoordinatorReply.Exchanged.of(Posted.exchanged(said))
        : Posted.met(said);
  }
}
