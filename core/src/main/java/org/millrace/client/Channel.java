package org.millrace.client;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.Span;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Board;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.BoardEntry;
import org.millrace.protocol.CallNumbers;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Met;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.GatheredParts;
import org.millrace.protocol.RankRequest;

/**
 * A sequence of synchronizing calls of a group: the group's own, or that of an open file. The n-th
 * calls of all ranks meet on a board of their host, if there is one and all arrive in time ({@link
 * BoardCall}). Otherwise they meet at the coordinator, in large groups through other ranks ({@link
 * MeetingTree}).
 *
 * <p>Calls are numbered in the order in which they are started; a lock makes numbering and sending
 * one step, so that asynchronous calls from several threads of a rank cannot overtake each other.
 * Every call has two numbers, an even one for its begin and the odd one behind it for its end,
 * whether it needs an end or not: so ranks that called different things are in step again at their
 * next call, and the ends of asynchronous calls keep their places.
 */
final class Channel {

  static final Effect NO_EFFECT = new Effect.None();

  /**
   * How much later a rank gives up that came by way of others: all who came before the deadline are
   * at the coordinator then, and are not taken for missing.
   */
  private static final long GRACE_NANOS = 2 * DeclaredWait.DECLARE_AFTER_NANOS;

  // constant after construction
  private final Session session;
  private final long group;
  private final int rank;
  private final long channel;
  private final ReentrantLock lock = new ReentrantLock();

  private final Signal settled;
  private final NavigableMap<Long, TreeCall> byTree =
      new ConcurrentSkipListMap<>(CallNumbers.ORDER); // not over

  // guarded by lock
  private long calls;
  private long together; // calls since then that needed no number
  private boolean gathering;
  private @Nullable Tree tree;
  private @Nullable BoardPlace board;

  /** Where a rank is in the tree of its group, and how it reaches the place above. */
  private record Tree(TreeShape place, @Nullable Link above) {}

  Channel(Session session, long group, int rank, long channel) {
    this.session = session;
    this.group = group;
    this.rank = rank;
    this.channel = channel;
    this.settled = session.env().signal(lock);
  }

  /** From now on the ranks come by way of each other, where they are many. */
  Channel among(List<Integer> participants) {
    TreeShape place = TreeShape.of(rank, participants.size(), session.limits().fanOut());
    lock.lock();
    try {
      tree = place.isAlone() ? null : new Tree(place, above(place, participants));
    } finally {
      lock.unlock();
    }
    return this;
  }

  /** From now on the ranks meet on a board, where they can. */
  Channel on(@Nullable BoardPlace place) {
    lock.lock();
    try {
      board = place;
    } finally {
      lock.unlock();
    }
    return this;
  }

  /** Whether the ranks meet on a board, where they can. */
  boolean isOnBoard() {
    lock.lock();
    try {
      return board != null;
    } finally {
      lock.unlock();
    }
  }

  /** The link to the place above; made now, since the last to arrive must not wait for it. */
  private @Nullable Link above(TreeShape place, List<Integer> participants) {
    return place.parent() == TreeShape.COORDINATOR
        ? null
        : session.participant(participants.get(place.parent()));
  }

  /** A meeting on its way, and how to give it up. */
  record Meeting(
      Channel channel,
      long sequence,
      String call,
      boolean async,
      boolean alone,
      long deadlineNanos,
      Pending pending) {

    CoordinatorReply await() throws IOException {
      Span span = channel.session.env().span(Span.Kind.MEETING);
      if (!span.isWatched()) {
        return awaitOthers();
      }
      try {
        return awaitOthers();
      } finally {
        span.end(new Span.Facts(channel.group, channel.rank, call, "", "", "", 0));
      }
    }

    private CoordinatorReply awaitOthers() throws IOException {
      if (alone || pending.isDone()) {
        return awaitAnswer();
      }
      Operations operations = channel.session.operations();
      operations.beginMeeting();
      try {
        return awaitAnswer();
      } finally {
        operations.endMeeting();
      }
    }

    private CoordinatorReply awaitAnswer() throws IOException {
      try {
        long limit = Math.min(deadlineNanos, channel.session.meetingDeadline());
        boolean byOthers = pending instanceof TreeCall || pending instanceof BoardCall;
        boolean late = byOthers && limit < Env.NEVER - GRACE_NANOS;
        long deadline = late ? limit + GRACE_NANOS : limit;
        return (CoordinatorReply)
            (alone || async || pending.isDone()
                ? pending.await(deadline)
                : DeclaredWait.await(
                    pending,
                    channel.session,
                    channel.group,
                    channel.rank,
                    call + ", with operations under way",
                    deadline));
      } catch (DeadlineException e) {
        if (!pending.isDone()) {
          channel.withdraw(sequence);
        }
        return (CoordinatorReply) awaitCoordinator(pending, channel.session);
      }
    }

    Met met() throws IOException {
      return (Met) await();
    }
  }

  /** Waits for what the coordinator answers by itself, no other rank being awaited any more. */
  static Message awaitCoordinator(Pending pending, Session session) throws IOException {
    try {
      return pending.await(session.deadline());
    } catch (DeadlineException e) {
      throw new DeadlineException("the coordinator is silent: " + e.getMessage());
    }
  }

  private void withdraw(long number) throws IOException {
    session.ask(new CoordinatorRequest.Withdraw(group, rank, channel, number));
  }

  /**
   * Comes to a call with arguments that are wrong on this rank, or the others would wait for it;
   * they learn that the calls differ, and why. Returns what this rank throws.
   */
  RuntimeException refuse(String call, RuntimeException wrong) {
    return refuse(call, wrong, false);
  }

  /** As {@link #refuse(String, RuntimeException)}; without waiting if the call does not wait. */
  RuntimeException refuse(String call, RuntimeException wrong, boolean async) {
    Meeting coming =
        start(new Call(call, 0, "refused: " + wrong.getMessage(), 0, NO_EFFECT), async);
    if (!async) {
      try {
        coming.await();
      } catch (IOException e) {
        wrong.addSuppressed(e);
      }
    }
    return wrong;
  }

  /** What a rank brings to a meeting; see {@link CoordinatorRequest.Meet}. */
  record Call(
      String call, long argument, String detail, long value, Effect effect, Failure failure) {

    Call(String call, long argument, String detail, long value, Effect effect) {
      this(call, argument, detail, value, effect, Failure.NONE);
    }

    Call(String call, Effect effect) {
      this(call, 0, "", 0, effect, Failure.NONE);
    }

    Call(String call, Failure failure) {
      this(call, 0, "", 0, NO_EFFECT, failure);
    }
  }

  /**
   * Comes to the next meeting without waiting.
   *
   * @param async the rank goes on with something else meanwhile
   */
  Meeting start(Call call, boolean async) {
    return start(call, async, Env.NEVER, (_, _) -> {}, null);
  }

  /**
   * Arrives at the next meeting without waiting for the others or the outcome; returns when the
   * coordinator has recorded that.
   */
  void note(Call call) throws IOException {
    Pending noted;
    lock.lock();
    try {
      awaitSettled();
      var meet = request(2 * calls++, call, false);
      together = 0;
      if (board != null) {
        board.passBy(meet);
      }
      noted = session.coordinator().start(new CoordinatorRequest.Note(meet), Session.NOTHING);
    } finally {
      lock.unlock();
    }
    awaitCoordinator(noted, session);
  }

  /** Told of a call before anybody can come to it. */
  interface Before {
    void begins(CollectiveId gathering, long number);
  }

  /**
   * As {@link #start(Call, boolean)}, to be waited for until {@code deadlineNanos} at most.
   *
   * @param late what is not yet known of the call; null if all is, and where there is no board
   */
  Meeting start(
      Call call, boolean async, long deadlineNanos, Before before, BoardCall.@Nullable Late late) {
    lock.lock();
    try {
      awaitSettled();
      CollectiveId gathering = gatheringId();
      long number = 2 * calls++;
      together = 0;
      before.begins(gathering, number);
      return start(number, call, async, deadlineNanos, late);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Comes to a call that may need no number, because ranks of one JVM do it together; returns what
   * they find each other by. The next call of this rank waits until it is known.
   */
  CollectiveId beginGathering() {
    lock.lock();
    try {
      awaitSettled();
      gathering = true;
      return gatheringId();
    } finally {
      lock.unlock();
    }
  }

  /** It is known whether the call was done without a number: on all ranks the same. */
  void endGathering(boolean done) {
    lock.lock();
    try {
      gathering = false;
      together += done ? 1 : 0;
      settled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** All ranks that use up the same numbers have the same. */
  private CollectiveId gatheringId() {
    return new CollectiveId(group, channel, -1 - calls, together);
  }

  private void awaitSettled() {
    while (gathering) {
      settled.await(Env.NEVER); // ends: gathering has a timeout, and the work has deadlines
    }
  }

  private Meeting start(
      long number, Call c, boolean async, long deadlineNanos, BoardCall.@Nullable Late late) {
    boolean alone = !async && session.operations().isIdle();
    return new Meeting(
        this,
        number,
        c.call,
        async,
        alone,
        deadlineNanos,
        arrive(request(number, c, alone), async, late));
  }

  private CoordinatorRequest.Meet request(long number, Call c, boolean alone) {
    return new CoordinatorRequest.Meet(
        group,
        rank,
        channel,
        number,
        c.call,
        c.argument,
        c.detail,
        c.value,
        c.effect,
        c.failure,
        alone);
  }

  /** Arrives at a meeting: on the board, if there is one and the rank waits. The lock is held. */
  private Pending arrive(
      CoordinatorRequest.Meet request, boolean async, BoardCall.@Nullable Late late) {
    BoardPlace place = board;
    if (place == null) {
      return send(request);
    }
    Board.Visit visit = null;
    if (!async && BoardEntry.mayBePosted(request)) {
      visit = place.arrive(request);
    } else {
      place.passBy(request);
    }
    return visit == null && late == null
        ? send(request)
        : new BoardCall(
            session,
            place,
            visit,
            request,
            late,
            () -> sendLocked(late == null ? request : late.complete(request)));
  }

  private Pending sendLocked(CoordinatorRequest.Meet request) {
    lock.lock();
    try {
      return send(request);
    } finally {
      lock.unlock();
    }
  }

  /** Sends a rank's part on its way. Called with the lock held. */
  private Pending send(CoordinatorRequest.Meet request) {
    Tree way = tree;
    if (way == null || !GatheredParts.mayGather(request.effect())) {
      return direct(request);
    }
    CollectiveId id = new CollectiveId(group, channel, request.sequence());
    long forgotten = 2 * calls - 2 - CoordinatorRequest.MeetCombined.REMEMBERED;
    byTree.headMap(forgotten, true).values().forEach(TreeCall::goDirectly);
    if (CallNumbers.begin(request.sequence()) <= forgotten
        || !byTree.headMap(forgotten, true).isEmpty()) {
      session.tree().passBy(id, way.place);
      return direct(request);
    }
    TreeCall call =
        session.tree().arrive(id, way.place, GatheredParts.of(request), ways(way, request));
    byTree.put(request.sequence(), call);
    if (call.isDone()) {
      byTree.remove(request.sequence());
    }
    return call;
  }

  private Pending direct(CoordinatorRequest.Meet request) {
    return session.coordinator().start(request, Session.NOTHING);
  }

  private TreeCall.Ways ways(Tree way, CoordinatorRequest.Meet request) {
    return new TreeCall.Ways() {
      @Override
      public Pending up(GatheredParts gathered) {
        Link above = way.above;
        long number = request.sequence();
        return above == null
            ? session
                .coordinator()
                .start(
                    new CoordinatorRequest.MeetCombined(group, channel, number, gathered),
                    Session.NOTHING)
            : above.start(
                new RankRequest.Arrive(new CollectiveId(group, channel, number), gathered),
                Session.NOTHING);
      }

      @Override
      public Pending direct() {
        return Channel.this.direct(request);
      }

      @Override
      public void onOver() {
        byTree.remove(request.sequence());
      }
    };
  }

  /**
   * Comes to the end of the collective call that {@code begin} began: it fails on all ranks if the
   * failure of any rank says so.
   */
  Meeting startEnd(Meeting begin, Call call) {
    return startLocked(begin.sequence + 1, call);
  }

  /** Meets to compare {@code argument} and {@code detail} and to exchange {@code value}. */
  Met meet(String call, long argument, String detail, long value) throws IOException {
    return start(new Call(call, argument, detail, value, NO_EFFECT), false).met();
  }

  CoordinatorReply meet(String call, String detail, Effect effect) throws IOException {
    return start(new Call(call, 0, detail, 0, effect), false).await();
  }

  /** What a rank does between the begin and the end of a collective call. */
  interface Part {
    long run() throws IOException;
  }

  /**
   * A collective call from begin to end: all ranks come and are compared, each does its part, and
   * if any part failed the call fails on all ranks with the same error.
   */
  long together(String call, long argument, String detail, Part part) throws IOException {
    Meeting begin = start(new Call(call, argument, detail, 0, NO_EFFECT), false);
    return finish(begin, call, part);
  }

  /** The rest of a collective call that {@code begin} began. */
  long finish(Meeting begin, String call, Part part) throws IOException {
    begin.await(); // if it fails, it fails on all ranks, and there is no end
    return finishBegun(begin, call, part);
  }

  /** The rest of a collective call at whose begin all have arrived. */
  long finishBegun(Meeting begin, String call, Part part) throws IOException {
    return agree(part, failure -> startEnd(begin, new Call(call + ": end", failure)).await());
  }

  /**
   * A part of a collective call that all ranks must have done before any goes on; if it failed
   * anywhere the call fails on all, and there is no end.
   */
  void finishFirst(Meeting begin, String call, Part part) throws IOException {
    long number = CallNumbers.middle(begin.sequence);
    agree(part, failure -> startLocked(number, new Call(call + ": middle", failure)).await());
  }

  /** As {@link #finishBegun}, of writes; {@code flush} begins when all ranks' parts have ended. */
  long finishWritten(Meeting begin, String call, Part part, Part flush) throws IOException {
    long number = CallNumbers.written(begin.sequence);
    long result =
        agree(part, failure -> startLocked(number, new Call(call + ": written", failure)).await());
    finishBegun(begin, call, flush);
    return result;
  }

  private Meeting startLocked(long number, Call call) {
    lock.lock();
    try {
      return start(number, call, false, Env.NEVER, null);
    } finally {
      lock.unlock();
    }
  }

  /** Tells the others what came of a part, and hears what came of theirs. */
  private interface Telling {
    CoordinatorReply tell(Failure failure) throws IOException;
  }

  private static long agree(Part part, Telling others) throws IOException {
    long result = 0;
    Failure failure = Failure.NONE;
    Exception own = null;
    try {
      result = part.run();
    } catch (IOException e) {
      failure = Failure.of(MillraceException.wrap(ErrorCode.DISK, e));
      own = e;
    } catch (RuntimeException e) {
      failure = new Failure(ErrorCode.INVALID, e.toString());
      own = e;
    }
    try {
      var _ = others.tell(failure);
    } catch (IOException e) {
      if (own != null) {
        e.addSuppressed(own); // where it happened is known on this rank only
      }
      throw e;
    }
    return result;
  }
}
