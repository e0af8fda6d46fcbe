package org.millrace.client;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.group.Digest;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.Mover.Job;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.env.Env;
import org.millrace.env.Span;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Digested;
import org.millrace.protocol.CoordinatorReply.Exchanged;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.transfer.Announcement;
import org.millrace.transfer.DirectedTransfer;
import org.millrace.transfer.ExchangeTransfer;
import org.millrace.transfer.MemorySlices;
import org.millrace.transfer.OwnTransfer;
import org.millrace.transfer.Partners;
import org.millrace.transfer.ReceiveBuffer;
import org.millrace.transfer.Strands;

/**
 * Collective reads and writes of an open file, from the exchange of requests to the end of the
 * call.
 *
 * <pre>
 *   all ranks: exchange (one meeting) -- plan (each the same) -- carry out -- end (a meeting,
 *                                                                unless every rank saw it all)
 * </pre>
 *
 * <p>Reads see what every rank had written before it came: each brings the size it knows, and all
 * are cut at the largest.
 *
 * <p>Calls of ranks of one JVM that are not large go another way: they gather first, and some carry
 * the call out for all ({@link LocalMeetings}).
 *
 * <p>Safe for use by several threads. It only counts its calls, for those who look at the cluster.
 */
final class CollectiveCalls {

  /** Told where the access of a blocking call by pointer ended. */
  interface Moved {
    void by(long count);
  }

  /** One rank's call. */
  record Call(
      String name,
      Job job,
      Range range,
      Memory memory,
      Optional<Geometry> array,
      Moved moved,
      CallNote note) {

    HintsInUse hints() {
      return job.hints();
    }

    /** Whether it ends only when what all have written is durable; the same on all ranks. */
    boolean isDurable() {
      return job.write() && hints().hints().durable();
    }

    /** Whether the coordinator would take both for the same call. */
    boolean agrees(Call other) {
      return job.write() == other.job.write()
          && name.equals(other.name)
          && hints().key() == other.hints().key()
          && hints().shown().equals(other.hints().shown());
    }
  }

  // constant after construction
  private final OpenFile file;
  private final Session session;
  private final Strands strands;
  private final CollectivePlans plans;
  private final boolean told;
  private final CallNote.OpenName openName;
  private final Gatherings large = new Gatherings();
  private final AtomicLong made = new AtomicLong(); // how many calls; the same on all ranks

  CollectiveCalls(OpenFile file) {
    this.file = file;
    this.session = file.rank().session();
    this.strands = file.strands();
    this.plans = new CollectivePlans(file);
    this.told = strands.isRemote() && file.rank().calls().isTold();
    this.openName = new CallNote.OpenName(file.opened().open(), file.path());
  }

  /** Comes to the call now; the result carries it out, on any thread. */
  Operations.Body start(
      String name, Job job, Range range, Memory memory, boolean async, Moved moved) {
    CallNote note = note(name, range);
    return start(new Call(name, job, range, memory, Optional.empty(), moved, note), async);
  }

  /** As {@link #start}, of a part of an array. */
  Operations.Body startOfArray(
      String name, Job job, Range range, Memory memory, boolean async, Optional<Geometry> array) {
    return start(new Call(name, job, range, memory, array, _ -> {}, note(name, range)), async);
  }

  /** Calls of a cluster in this JVM are not told: they are short, and nobody could ask for them. */
  private CallNote note(String name, Range range) {
    return told
        ? new CallNote(file.rank().calls(), openName, name, range.count(), made.getAndIncrement())
        : CallNote.NONE;
  }

  private Operations.Body start(Call call, boolean async) {
    Span whole = session.env().span(Span.Kind.COLLECTIVE);
    Operations.Body body = come(call, async);
    Operations.Body noted = told ? noted(call, body) : body;
    return whole.isWatched() ? watched(whole, call, noted) : noted;
  }

  private static Operations.Body noted(Call call, Operations.Body body) {
    return () -> {
      boolean well = false;
      try {
        long count = body.run();
        well = true;
        return count;
      } finally {
        call.note.ended(well);
      }
    };
  }

  private Operations.Body watched(Span whole, Call call, Operations.Body body) {
    return () -> {
      try {
        return body.run();
      } finally {
        whole.end(facts(call.name, "", "", call.range.count()));
      }
    };
  }

  private Span.Facts facts(String call, String strategy, String plan, long bytes) {
    Rank rank = file.rank();
    return new Span.Facts(rank.group(), rank.number(), call, file.path(), strategy, plan, bytes);
  }

  private Operations.Body come(Call call, boolean async) {
    Job job = call.job;
    if (job.atomic() && !job.write()) { // what others want is of no concern
      var begin = file.channel().start(new Channel.Call(call.name, new Effect.None()), async);
      return () -> {
        begin.await(); // if it fails, it fails on all ranks, and there is no end
        long count = end(call, begin, () -> moveAtomically(call));
        call.moved.by(count);
        return count;
      };
    }
    Access access = Access.NOTHING;
    MillraceException own = null;
    try {
      access = CollectivePlans.wanted(job.view(), call.range);
      if (!async && !job.atomic() && mayGather(call, access)) {
        return gather(call, access);
      }
    } catch (RuntimeException e) { // comes all the same: others wait for this rank
      own = withContext(call, wrap(e));
    }
    return ask(call, access, own, async, Env.NEVER);
  }

  /** Comes to the call by itself, with the size that this rank knows. */
  private Operations.Body ask(
      Call call, Access access, @Nullable MillraceException own, boolean async, long deadline) {
    MillraceException wrong = own;
    long size = 0;
    boolean late = !async && !call.job.write() && file.channel().isOnBoard();
    if (wrong == null) {
      try {
        announce(call, access);
        size = late ? 0 : plans.knownSize(call.job.write(), access);
      } catch (IOException | RuntimeException e) { // comes all the same
        wrong = withContext(call, wrap(e));
      }
    }
    Begin begin = new Begin(wrong == null ? access : Access.NOTHING, size, wrong, late);
    return begin(call, begin, async, deadline);
  }

  /**
   * What a rank brings to a call.
   *
   * @param access what it wants
   * @param size how large it knows the file to be
   * @param own why it cannot take part; null if it can
   * @param late whether the size is asked only when all have arrived, or when they come apart
   */
  private record Begin(Access access, long size, @Nullable MillraceException own, boolean late) {}

  /**
   * The size that a read needs, asked by the last to arrive; or by each rank if they come apart.
   */
  private BoardCall.Late lateSize(Call call, Access access) {
    return new BoardCall.Late() {
      @Override
      public long size(List<Effect.Exchange> all) throws IOException {
        return plans.knownSize(all);
      }

      @Override
      public CoordinatorRequest.Meet complete(CoordinatorRequest.Meet meet) {
        try {
          long size = plans.knownSize(false, access);
          return meet.with(plans.effect(call, access, size), meet.failure());
        } catch (IOException | RuntimeException e) { // comes all the same
          Failure failure = Failure.of(withContext(call, wrap(e)));
          return meet.with(plans.effect(call, Access.NOTHING, 0), failure);
        }
      }
    };
  }

  /** Lets disks begin with what some rank will read in any case, before all have arrived. */
  private void announce(Call call, Access access) {
    if (call.job.write()) {
      return;
    }
    int rank = file.rank().number();
    switch (call.hints().hints().read()) {
      case DIRECT, SIEVED -> Announcement.inOrder(strands, access, rank);
      case TWO_PHASE, EXTENDED_TWO_PHASE -> Announcement.inTurns(strands, access, rank);
      case DISK_DIRECTED, AUTO -> {} // nobody may ask for the blocks
    }
  }

  /** Whether a call may be one that the last rank to arrive carries out for all. */
  private boolean mayGather(Call call, Access access) {
    return session.localMeetings() != null
        && !strands.isRemote()
        && !call.isDurable()
        && call.memory.isReachable()
        && (!isLarge(access) || (plans.mayBeJoint(call, access) && large.isWorthIt()));
  }

  /** Whether it is more than the last to arrive should move by itself. */
  private boolean isLarge(Access access) {
    return access.size() > 2 * LocalMeetingPart.MAX_BYTES / file.rank().size();
  }

  /** Gathers with the other ranks of this JVM; if that leads to nothing, comes by itself. */
  private Operations.Body gather(Call call, Access access) {
    LocalMeetings localMeetings = Objects.requireNonNull(session.localMeetings());
    LocalMeetingPart own = new LocalMeetingPart(this, call, access, session.env());
    return () -> {
      long deadline = session.meetingDeadline();
      CollectiveId id = file.channel().beginGathering();
      boolean done = false;
      Span wait = session.env().span(Span.Kind.MEETING);
      try {
        done = localMeetings.arrive(session.env(), id, file.rank().ranks(), own, deadline);
      } finally {
        file.channel().endGathering(done);
        if (wait.isWatched()) {
          wait.end(facts(call.name, "", "", 0));
        }
      }
      if (isLarge(access)) {
        large.onEnd(done);
      }
      if (!done) {
        return ask(call, access, null, false, deadline).run();
      }
      long count = own.result();
      call.moved.by(count);
      return count;
    };
  }

  /** Comes to the call as a rank that cannot take part: it fails on all. */
  Operations.Body refuse(String name, Job job, MillraceException reason, boolean async) {
    Call call =
        new Call(
            name,
            job,
            new Range(0, 0),
            Memory.of(List.of()),
            Optional.empty(),
            _ -> {},
            CallNote.NONE);
    if (job.atomic() && !job.write()) {
      var begin = file.channel().start(new Channel.Call(name, Failure.of(reason)), async);
      return () -> {
        begin.await();
        throw reason;
      };
    }
    Begin nothing = new Begin(Access.NOTHING, 0, reason, false);
    Operations.Body begun = begin(call, nothing, async, Env.NEVER);
    return () -> {
      begun.run();
      throw reason;
    };
  }

  /** Exchanges what all ranks would want and plans it, without moving anything. */
  Planned explain(boolean write, long position, long bytes) throws IOException {
    Access access = Access.NOTHING;
    long size = 0;
    Failure failure = Failure.NONE;
    try {
      OpenFile.checkRange(position, bytes);
      access = CollectivePlans.wanted(file.view(), new Range(position, bytes));
      size = plans.knownSize(write, access);
    } catch (IOException | RuntimeException e) { // comes all the same: others wait for this rank
      failure = Failure.of(wrap(e));
      access = Access.NOTHING;
    }
    HintsInUse hints = file.hints();
    var effect =
        new Effect.Exchange(
            access, true, strands.isRemote(), plans.reach(write, access), size, Optional.empty());
    var question = new Channel.Call("planAtAll", write ? 1 : 0, hints.shown(), 0, effect, failure);
    return switch (file.channel().start(question, false).await()) {
      case Exchanged all -> plans.explain(write, all, hints);
      case Digested all -> plans.explainOwn(write, all, hints, access);
      case CoordinatorReply other -> throw new IllegalStateException("no exchange: " + other);
    };
  }

  private Operations.Body begin(Call call, Begin brought, boolean async, long deadline) {
    ReceiveBuffer receiveBuffer = new ReceiveBuffer(brought.access, call.memory::shares);
    Effect.Exchange effect = plans.effect(call, brought.access, brought.size);
    MillraceException own = brought.own;
    Failure failure = own == null ? Failure.NONE : Failure.of(own);
    var question =
        new Channel.Call(call.name, call.hints().key(), call.hints().shown(), 0, effect, failure);
    Channel.Meeting begin =
        file.channel()
            .start(
                question,
                async,
                deadline,
                (meeting, number) -> {
                  passBy(meeting);
                  session.receiveBuffers().open(id(number), receiveBuffer);
                },
                brought.late ? lateSize(call, brought.access) : null);
    return () -> {
      try {
        return carryOut(call, begin, receiveBuffer);
      } catch (IOException e) {
        if (own != null) {
          e.addSuppressed(own); // where it happened is known on this rank only
        }
        throw e;
      } finally {
        session.receiveBuffers().close(id(begin.sequence()));
      }
    };
  }

  CollectivePlans plans() {
    return plans;
  }

  void checkNotLate(long deadlineNanos) throws DeadlineException {
    if (session.env().nanoTime() >= deadlineNanos) {
      throw new DeadlineException("the ranks before this one took too long");
    }
  }

  void openReceiveBuffer(CollectiveId id, ReceiveBuffer receiveBuffer) {
    session.receiveBuffers().open(id, receiveBuffer);
  }

  void closeReceiveBuffer(CollectiveId id) {
    session.receiveBuffers().close(id);
  }

  /** Lets ranks of this JVM that gather for this call know that this one does not. */
  private void passBy(CollectiveId meeting) {
    LocalMeetings localMeetings = session.localMeetings();
    if (localMeetings != null) {
      localMeetings.passBy(meeting, file.rank().ranks());
    }
  }

  private CollectiveId id(long number) {
    return new CollectiveId(file.rank().group(), file.opened().open(), number);
  }

  private long moveAtomically(Call call) throws IOException {
    call.note.movingAtomically();
    try {
      return file.mover().move(call.job, call.range.start(), call.memory, call.range.count());
    } finally {
      call.note.moved();
    }
  }

  /** Each rank's write is one step; those that overlap go in the order of ranks. */
  private long writeAtomically(Call call, Channel.Meeting begin, boolean inTurns)
      throws IOException {
    long count =
        end(
            call,
            begin,
            () -> {
              inTurn(inTurns, id(begin.sequence()), () -> moveAtomically(call));
              return call.range.count();
            });
    call.moved.by(count);
    return count;
  }

  private long carryOut(Call call, Channel.Meeting begin, ReceiveBuffer receiveBuffer)
      throws IOException {
    return switch (begin.await()) {
      case Exchanged all -> {
        Planned planned = plans.plan(call.job.write(), all, call.hints());
        yield call.job.atomic()
            ? writeAtomically(call, begin, planned.overlapping())
            : carryOut(call, begin, receiveBuffer, planned, planned, all.remote());
      }
      case Digested all -> {
        Planned own = plans.planOwn(call.job.write(), all, call.hints(), receiveBuffer.access());
        if (call.job.atomic()) {
          yield writeAtomically(call, begin, own.overlapping());
        }
        Planned planned = withPartners(call, begin, receiveBuffer, own, all.digest());
        yield carryOut(call, begin, receiveBuffer, own, planned, all.remote());
      }
      case CoordinatorReply other -> throw new IllegalStateException("no exchange: " + other);
    };
  }

  /** What this rank wants of a plan, where it takes part with that. */
  private Access own(Planned planned) {
    return planned.plan().request().accesses().get(file.rank().number());
  }

  /** The plan with what others want of this rank's file domain, if it has one. */
  private Planned withPartners(
      Call call, Channel.Meeting begin, ReceiveBuffer receiveBuffer, Planned planned, Digest digest)
      throws IOException {
    if (!(planned.plan() instanceof Plan.Exchanging two)) {
      return planned;
    }
    Partners partners =
        new Partners(session.carrier(), file.rank().ranks(), id(begin.sequence()), receiveBuffer);
    file.channel()
        .finishFirst(
            begin,
            call.name,
            () -> {
              partners.tell(two, own(planned));
              return 0;
            });
    return partners.told(planned, digest);
  }

  private long carryOut(
      Call call,
      Channel.Meeting begin,
      ReceiveBuffer receiveBuffer,
      Planned own,
      Planned planned,
      boolean remote)
      throws IOException {
    long count = own(own).size();
    boolean flushes = // alike on all ranks
        call.isDurable()
            && (DirectedTransfer.mayFlush(planned, remote) || ExchangeTransfer.mayFlush(planned));
    Channel.Part part =
        () -> {
          call.note.moving(planned.plan());
          try {
            run(planned, remote, id(begin.sequence()), receiveBuffer, false, flushes);
          } catch (IOException | RuntimeException e) {
            throw withContext(call, wrap(e));
          } finally {
            call.note.moved();
          }
          return count;
        };
    boolean directed = planned.plan() instanceof Plan.DiskDirected;
    boolean sparse = planned.plan() instanceof Plan.DiskDirected one && one.sparse();
    if (directed && !sparse && !call.isDurable()) {
      part.run(); // every rank hears every node
    } else if (flushes) {
      file.channel().finishBegun(begin, call.name, part); // the part has made it durable
    } else {
      end(call, begin, part);
    }
    call.moved.by(count);
    return count;
  }

  /** Does a rank's part, and comes to the end when the parts of all are done, and are durable. */
  private long end(Call call, Channel.Meeting begin, Channel.Part part) throws IOException {
    if (!call.isDurable()) {
      return file.channel().finishBegun(begin, call.name, part);
    }
    Channel.Part flush =
        () -> {
          strands.flushShare(file.rank().number(), file.rank().size());
          return 0;
        };
    return file.channel().finishWritten(begin, call.name, part, flush);
  }

  /** Carries out this rank's part; {@code inOrder} if the caller goes through the ranks in turn. */
  void run(
      Planned planned,
      boolean remote,
      CollectiveId collective,
      ReceiveBuffer receiveBuffer,
      boolean inOrder,
      boolean flushes)
      throws IOException {
    Span span = beginTransfer();
    try {
      runPlan(planned, remote, collective, receiveBuffer, inOrder, flushes);
    } finally {
      if (span.isWatched()) {
        endTransfer(span, planned.plan());
      }
    }
  }

  Span beginTransfer() {
    return session.env().span(Span.Kind.TRANSFER);
  }

  void endTransfer(Span span, Plan plan) {
    long bytes = plan.request().accesses().get(file.rank().number()).size();
    String what = plan.request().write() ? "write" : "read";
    span.end(facts(what, plan.strategy().word(), PlanWords.of(plan), bytes));
  }

  private void runPlan(
      Planned planned,
      boolean remote,
      CollectiveId collective,
      ReceiveBuffer receiveBuffer,
      boolean inOrder,
      boolean flushes)
      throws IOException {
    Plan plan = planned.plan();
    int rank = file.rank().number();
    Access access = plan.request().accesses().get(rank);
    boolean write = plan.request().write();
    MemorySlices memory = receiveBuffer.memory();
    OwnTransfer own = new OwnTransfer(strands);
    switch (plan) {
      case Plan.Direct direct ->
          inTurn(
              direct.order().inTurns() && !inOrder,
              collective,
              () -> own.direct(write, access, direct.order().stretches(rank, access), memory));
      case Plan.Sieved sieved ->
          inTurn(
              sieved.order().inTurns() && !inOrder,
              collective,
              () ->
                  own.sieved(
                      write,
                      access,
                      sieved.order().stretches(rank, access),
                      memory,
                      sieved.sieveBytes()));
      case Plan.Exchanging two -> exchange(planned, collective, receiveBuffer).run(two, flushes);
      case Plan.DiskDirected directed -> {
        var transfer =
            new DirectedTransfer(
                session.carrier(), new GroupWait(file.rank()), strands, file.rank().number());
        transfer.run(planned, directed, remote, collective, receiveBuffer.memory());
        if (flushes) {
          transfer.flush(directed);
        }
      }
    }
  }

  private ExchangeTransfer exchange(
      Planned planned, CollectiveId collective, ReceiveBuffer receiveBuffer) {
    return new ExchangeTransfer(
        session.carrier(), file.rank().ranks(), strands, collective, planned, receiveBuffer);
  }

  private interface Act {
    void run() throws IOException;
  }

  /** Lets ranks whose writes overlap go one after the other: a token goes from rank to rank. */
  private void inTurn(boolean inTurns, CollectiveId collective, Act act) throws IOException {
    if (!inTurns) {
      act.run();
      return;
    }
    try {
      file.rank().collectives().awaitTurn(collective);
      act.run();
    } finally {
      file.rank().collectives().passTurn(collective);
    }
  }

  static MillraceException wrap(Exception e) {
    return e instanceof IOException io
        ? MillraceException.wrap(ErrorCode.DISK, io)
        : new MillraceException(ErrorCode.INVALID, e.toString(), e);
  }

  MillraceException withContext(Call call, MillraceException e) {
    return file.mover().withContext(e, call.job.write(), call.range.start(), call.range.count());
  }
}
