package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.Mover.Job;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.plan.Plan;
import org.millrace.plan.Planned;
import org.millrace.plan.Request;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Exchanged;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Trouble;
import org.millrace.transfer.DirectedTransfer;
import org.millrace.transfer.ExchangeTransfer;
import org.millrace.transfer.Landing;
import org.millrace.transfer.Others;
import org.millrace.transfer.OwnTransfer;
import org.millrace.transfer.PlanCache;
import org.millrace.transfer.Strands;

/**
 * Collective reads and writes of an open file, from the exchange of what all ranks want to the end.
 *
 * <pre>
 *   all ranks: exchange (one meeting) -- plan (each the same) -- carry out -- end (a meeting,
 *                                                                unless every rank saw it all)
 * </pre>
 *
 * <p>Reads see what every rank had written before it came: each brings the size it knows, and all
 * are cut at the largest.
 *
 * <p>Safe for use by several threads. No state but the plans it keeps.
 */
final class CollectiveCalls {

  /** Told where the access of a blocking call by pointer ended. */
  interface Moved {
    void by(long count);
  }

  /** One rank's call. */
  private record Call(
      String name, Job job, Range range, Memory memory, Optional<Geometry> array, Moved moved) {

    HintsInUse hints() {
      return job.hints();
    }
  }

  // constant after construction
  private final OpenFile file;
  private final Session session;
  private final Strands strands;
  private final PlanCache plans;

  CollectiveCalls(OpenFile file, PlanCache plans) {
    this.file = file;
    this.session = file.rank().session();
    this.strands = file.strands();
    this.plans = plans;
  }

  /** Comes to the call now; the result carries it out, on any thread. */
  Operations.Body start(
      String name, Job job, Range range, Memory memory, boolean async, Moved moved) {
    return start(new Call(name, job, range, memory, Optional.empty(), moved), async);
  }

  /** As {@link #start}, of a part of an array. */
  Operations.Body startOfArray(
      String name, Job job, Range range, Memory memory, boolean async, Optional<Geometry> array) {
    return start(new Call(name, job, range, memory, array, _ -> {}), async);
  }

  private Operations.Body start(Call call, boolean async) {
    Job job = call.job;
    if (call.job.atomic()) {
      var begin = file.channel().start(new Channel.Call(call.name, new Effect.None()), async);
      return () -> {
        long count = file.channel().finish(begin, call.name, () -> moveAtomically(call));
        call.moved.by(count);
        return count;
      };
    }
    Access access = Access.NOTHING;
    long size = 0;
    MillraceException own = null;
    try {
      access = wanted(job.view(), call.range);
      size = knownSize(job.write(), access);
    } catch (IOException | RuntimeException e) { // comes all the same: others wait for this rank
      own = told(call, wrap(e));
      access = Access.NOTHING;
    }
    return begin(call, access, size, own, async);
  }

  /** Comes to the call as a rank that cannot take part: it fails on all. */
  Operations.Body refuse(String name, Job job, MillraceException why, boolean async) {
    Call call =
        new Call(name, job, new Range(0, 0), Memory.of(List.of()), Optional.empty(), _ -> {});
    if (call.job.atomic()) {
      var begin = file.channel().start(new Channel.Call(name, Trouble.of(why)), async);
      return () -> {
        begin.await();
        throw why;
      };
    }
    Operations.Body begun = begin(call, Access.NOTHING, 0, why, async);
    return () -> {
      begun.run();
      throw why;
    };
  }

  /** Exchanges what all ranks would want and plans it, without moving anything. */
  Planned explain(boolean write, long position, long bytes) throws IOException {
    Access access = Access.NOTHING;
    long size = 0;
    Trouble trouble = Trouble.NONE;
    try {
      OpenFile.checkRange(position, bytes);
      access = wanted(file.view(), new Range(position, bytes));
      size = knownSize(write, access);
    } catch (IOException | RuntimeException e) { // comes all the same: others wait for this rank
      trouble = Trouble.of(wrap(e));
      access = Access.NOTHING;
    }
    HintsInUse hints = file.hints();
    var effect = new Effect.Exchange(access, true, strands.isRemote(), size, Optional.empty());
    var question = new Channel.Call("planAtAll", write ? 1 : 0, hints.shown(), 0, effect, trouble);
    Exchanged all = (Exchanged) file.channel().start(question, false).await();
    return plan(write, all, hints, plans::explain);
  }

  private static Access wanted(View view, Range range) {
    return range.count() == 0
        ? Access.NOTHING
        : new Access(view, range.start(), range.start() + range.count());
  }

  /** As much of the file's size as matters for an access; writes do not ask. */
  private long knownSize(boolean write, Access access) throws IOException {
    return write || access.isEmpty() ? 0 : strands.sizeUpTo(access.span().end());
  }

  /** Makes a plan of a request. */
  private interface Planning {
    Planned plan(Request request, Hints hints, boolean reachable);
  }

  private Planned plan(boolean write, Exchanged all, HintsInUse hints, Planning planning) {
    List<Access> accesses = write ? all.accesses() : cut(all.accesses(), all.size());
    boolean reachable = all.reachable() && (write || areCutAlike(accesses, all.accesses()));
    Planned planned =
        planning.plan(
            new Request(write, strands.layout(), accesses, all.array()), hints.hints(), reachable);
    session.env().charge(Work.PLAN, planned.steps());
    return planned;
  }

  private Operations.Body begin(
      Call call, Access access, long size, @Nullable MillraceException own, boolean async) {
    Landing landing = new Landing(access, call.memory::shares);
    var effect =
        new Effect.Exchange(
            access, call.memory.isReachable(), strands.isRemote(), size, call.array);
    Trouble trouble = own == null ? Trouble.NONE : Trouble.of(own);
    var question =
        new Channel.Call(call.name, call.hints().key(), call.hints().shown(), 0, effect, trouble);
    Channel.Meeting begin =
        file.channel()
            .start(question, async, number -> session.landings().open(id(number), landing));
    return () -> {
      try {
        return carryOut(call, begin, landing);
      } catch (IOException e) {
        if (own != null) {
          e.addSuppressed(own); // where it happened is known on this rank only
        }
        throw e;
      } finally {
        session.landings().close(id(begin.sequence()));
      }
    };
  }

  private CollectiveId id(long number) {
    return new CollectiveId(file.rank().group(), file.opened().open(), number);
  }

  private long moveAtomically(Call call) throws IOException {
    return file.mover().move(call.job, call.range.start(), call.memory, call.range.count());
  }

  private long carryOut(Call call, Channel.Meeting begin, Landing landing) throws IOException {
    Exchanged all = (Exchanged) begin.await();
    Planned planned = plan(call.job.write(), all, call.hints(), plans::plan);
    long count = planned.plan().request().accesses().get(file.rank().number()).size();
    Channel.Part part =
        () -> {
          try {
            run(planned, all.remote(), id(begin.sequence()), landing);
          } catch (IOException | RuntimeException e) {
            throw told(call, wrap(e));
          }
          return count;
        };
    if (planned.plan() instanceof Plan.DiskDirected directed && !directed.sparse()) {
      part.run(); // every rank hears every node
    } else {
      file.channel().finishBegun(begin, call.name, part);
    }
    call.moved.by(count);
    return count;
  }

  private void run(Planned planned, boolean remote, CollectiveId collective, Landing landing)
      throws IOException {
    Plan plan = planned.plan();
    Access access = plan.request().accesses().get(file.rank().number());
    boolean write = plan.request().write();
    OwnTransfer own = new OwnTransfer(strands);
    switch (plan) {
      case Plan.Direct direct ->
          inTurn(direct.inTurns(), collective, () -> own.direct(write, access, landing.memory()));
      case Plan.Sieved sieved ->
          inTurn(
              sieved.inTurns(),
              collective,
              () -> own.sieved(write, access, landing.memory(), sieved.sieveBytes()));
      case Plan.Exchanging two -> exchange(planned, collective, landing).run(two);
      case Plan.DiskDirected directed ->
          new DirectedTransfer(session.carrier(), others(), strands, file.rank().number())
              .run(planned, directed, remote, collective, landing.memory());
    }
  }

  private ExchangeTransfer exchange(Planned planned, CollectiveId collective, Landing landing) {
    return new ExchangeTransfer(
        session.carrier(), file.rank().ranks(), strands, collective, planned, landing);
  }

  /** The other ranks, for a transfer that waits for them at a node. */
  private Others others() {
    var question = new CoordinatorRequest.AskMembers(file.rank().group());
    return new Others() {
      @Override
      public void beginWait() {
        session.operations().beginMeeting();
      }

      @Override
      public void endWait() {
        session.operations().endMeeting();
      }

      @Override
      public long deadline() {
        return session.meetingDeadline();
      }

      @Override
      public boolean isSomebodyGone() throws IOException {
        return !((CoordinatorReply.Members) session.ask(question)).gone().isEmpty();
      }
    };
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

  /** Cuts all accesses where a file of this size ends. */
  private static List<Access> cut(List<Access> accesses, long size) {
    List<Access> result = accesses;
    for (int i = 0; i < accesses.size(); i++) {
      Access one = accesses.get(i);
      if (!one.isEmpty() && one.span().end() > size) {
        if (result == accesses) {
          result = new ArrayList<>(accesses);
        }
        View view = one.view();
        long end = Math.clamp(Mover.endPosition(view, size), one.from(), one.to());
        result.set(i, end == one.from() ? Access.NOTHING : new Access(view, one.from(), end));
      }
    }
    return result;
  }

  /**
   * Whether what was cut off lies behind all that was not: else a rank could be handed bytes that
   * it must not touch.
   */
  private static boolean areCutAlike(List<Access> cut, List<Access> whole) {
    for (int i = 0; i < cut.size(); i++) {
      if (cut.get(i) != whole.get(i) && !whole.get(i).view().isAscending()) {
        return false;
      }
    }
    return true;
  }

  private static MillraceException wrap(Exception e) {
    return e instanceof IOException io
        ? MillraceException.wrap(ErrorCode.DISK, io)
        : new MillraceException(ErrorCode.INVALID, e.toString(), e);
  }

  private MillraceException told(Call call, MillraceException e) {
    return file.mover().told(e, call.job.write(), call.range.start(), call.range.count());
  }
}
