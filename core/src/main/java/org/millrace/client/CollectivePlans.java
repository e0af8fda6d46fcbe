package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.View;
import org.millrace.access.group.AccessRuns;
import org.millrace.access.group.Digest;
import org.millrace.access.group.Reach;
import org.millrace.client.CollectiveCalls.Call;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.env.Work;
import org.millrace.layout.Copies;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.DigestPlanner;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Request;
import org.millrace.protocol.CoordinatorReply.Digested;
import org.millrace.protocol.CoordinatorReply.Exchanged;
import org.millrace.protocol.Effect;
import org.millrace.transfer.JointTransfer;
import org.millrace.transfer.JointTransfer.Joint;
import org.millrace.transfer.MemorySlices;
import org.millrace.transfer.Plans;
import org.millrace.transfer.Strands;

/**
 * Plans a collective call from the requests of all ranks. A plan is a value, and is the same on
 * every rank.
 *
 * <p>Safe for use by several threads. It remembers what this rank has read and written last.
 */
final class CollectivePlans {

  /** So many calls may take turns. */
  private static final int LAST_CALLS = 16;

  /** Writes that are further apart do not follow each other. */
  private static final long APART_NANOS = 1_000_000_000L;

  // constant after construction
  private final OpenFile file;
  private final Session session;
  private final Strands strands;
  private final Plans plans;

  /** Hashes, since a view may be large; replaced by whichever thread begins a call. */
  private volatile List<Integer> lastRead = List.of();

  private volatile List<Integer> lastWritten = List.of();
  private volatile long wroteNanos;

  CollectivePlans(OpenFile file) {
    this.file = file;
    this.session = file.rank().session();
    this.strands = file.strands();
    this.plans = session.transfers().plans();
  }

  static Access wanted(View view, Range range) {
    return range.count() == 0
        ? Access.NOTHING
        : new Access(view, range.start(), range.start() + range.count());
  }

  /** As much of the file's size as matters for an access; writes do not ask. */
  long knownSize(boolean write, Access access) throws IOException {
    if (write || access.isEmpty()) {
      return 0;
    }
    Layout layout = strands.layout();
    Extent span = access.span();
    // who spans more than a stripe is likely to end where the file does, and so are the last ranks
    boolean inner =
        span.length() <= layout.strands() * layout.stripeUnitBytes()
            && file.rank().number() < firstOfLast(file.rank().size());
    return inner && !access.view().isContiguous()
        ? strands.sizeUpToTogether(span.end())
        : strands.sizeUpTo(span.end());
  }

  /**
   * The first of the ranks behind whose parts nobody else's may lie: twice those of the last row,
   * if they are a square. No strand behind theirs could tell them that the file goes on.
   */
  static int firstOfLast(int ranks) {
    return ranks - (int) Math.ceil(2 * Math.sqrt(ranks));
  }

  /** As much of the file's size as matters for what all ranks want to read. */
  long knownSize(List<Effect.Exchange> all) throws IOException {
    long end = 0;
    for (Effect.Exchange one : all) {
      end = one.access().isEmpty() ? end : Math.max(end, one.access().span().end());
    }
    return end == 0 ? 0 : strands.sizeUpTo(end);
  }

  /** What a rank says of itself. */
  Effect.Exchange effect(Call call, Access access, long size) {
    boolean write = call.job().write();
    Reach reach = reach(write, access);
    if (strands.isRemote() && write) {
      lastWritten = with(lastWritten, access);
      wroteNanos = session.env().coarseNanoTime();
    } else if (strands.isRemote()) {
      lastRead = with(lastRead, access);
    }
    return new Effect.Exchange(
        access, call.memory().isReachable(), strands.isRemote(), reach, size, call.array());
  }

  /**
   * How this rank reaches what it wants. It knows what one of its last collective reads wanted, and
   * nodes keep the blocks of what it has just written, or soon will; as far as hashes tell: a wrong
   * guess only takes time.
   */
  Reach reach(boolean write, Access access) {
    if (!strands.reachesAll()) {
      return Reach.MESSAGES;
    }
    boolean known = !strands.isRemote() || access.isEmpty();
    return known || (write ? isKept(access) : lastRead.contains(access.hashCode()))
        ? Reach.KNOWN
        : Reach.MAPPED;
  }

  private boolean isKept(Access access) {
    return session.env().coarseNanoTime() - wroteNanos <= APART_NANOS
        && lastWritten.contains(access.hashCode())
        && strands.isKeeping();
  }

  private static List<Integer> with(List<Integer> before, Access access) {
    if (access.isEmpty() || before.contains(access.hashCode())) {
      return before;
    }
    List<Integer> now = new ArrayList<>(LAST_CALLS);
    now.add(access.hashCode());
    now.addAll(before.subList(0, Math.min(before.size(), LAST_CALLS - 1)));
    return List.copyOf(now);
  }

  /** How strands in other processes are reached, as far as there are some. */
  private static Reach reach(boolean remote, Reach reach) {
    return remote ? reach : Reach.MESSAGES;
  }

  /** The plan of what all ranks said. */
  Planned plan(boolean write, Exchanged all, HintsInUse hints) {
    return plan(write, all, hints, plans::plan);
  }

  /** As {@link #plan(boolean, Exchanged, HintsInUse)}, with what every strategy would cost. */
  Planned explain(boolean write, Exchanged all, HintsInUse hints) {
    return plan(write, all, hints, plans::explain);
  }

  /**
   * The plan of a rank that knows what it wants itself, and a digest of what all want. What decides
   * is in the digest: it is the same on all ranks.
   */
  Planned planOwn(boolean write, Digested all, HintsInUse hints, Access own) {
    return planOwn(write, all, hints, own, plans::planOwn);
  }

  /** As {@link #planOwn}, with what strategies would cost. */
  Planned explainOwn(boolean write, Digested all, HintsInUse hints, Access own) {
    return planOwn(write, all, hints, own, plans::explainOwn);
  }

  /** Makes a plan of what one rank knows. */
  private interface OwnPlanning {
    Planned plan(Request request, Digest digest, Hints hints, boolean reachable, Reach reach);
  }

  private Planned planOwn(
      boolean write, Digested all, HintsInUse hints, Access own, OwnPlanning planning) {
    Digest digest = all.digest();
    Access mine = write ? own : cut(List.of(own), all.size()).getFirst();
    TreeMap<Integer, Access> known = new TreeMap<>();
    known.put(file.rank().number(), mine);
    boolean reachable =
        isReachable(all.reachable()) && (write || digest.ascending() || digest.end() <= all.size());
    Request request = DigestPlanner.request(write, strands.layout(), digest, known, all.array());
    Reach reach = reach(all.remote(), all.reach());
    Planned planned = planning.plan(request, digest, hints.hints(), reachable, reach);
    session.env().charge(Work.PLAN, planned.steps());
    return planned;
  }

  /**
   * Nodes hold parts of a disk-directed call of all ranks, and a call whose node is lost cannot be
   * repeated by some of them: files that have copies are moved by requests that can. All ranks know
   * whether a file has copies.
   */
  private boolean isReachable(boolean memory) {
    return memory && !Copies.hasCopies(file.opened().file());
  }

  /** Makes a plan of a request. */
  private interface Planning {
    Planned plan(Request request, Hints hints, boolean reachable, Reach reach);
  }

  private Planned plan(boolean write, Exchanged all, HintsInUse hints, Planning planning) {
    List<Access> accesses = write ? all.accesses() : cut(all.accesses(), all.size());
    boolean reachable =
        isReachable(all.reachable()) && (write || areCutAlike(accesses, all.accesses()));
    Planned planned =
        planning.plan(
            new Request(write, strands.layout(), accesses, all.array()),
            hints.hints(),
            reachable,
            reach(all.remote(), all.reach()));
    session.env().charge(Work.PLAN, planned.steps());
    return planned;
  }

  /**
   * A plan for ranks that have gathered, for the last of them to carry out; null if it is better
   * that each carries out its own: the call is not small, waits for disks, or is to fail. Asked by
   * the last to arrive, after all have arrived: so the size it sees counts what each had written.
   */
  @Nullable Planned planTogether(List<LocalMeetingPart> all) throws IOException {
    Exchanged wanted = wanted(all, LocalMeetingPart.MAX_BYTES);
    if (wanted == null) {
      return null;
    }
    Call first = all.getFirst().call();
    Planned planned = plan(first.job().write(), wanted, first.hints());
    if (planned.plan() instanceof Plan.DiskDirected || !isReady(planned.plan().request())) {
      return null;
    }
    checkOpen();
    return planned;
  }

  /**
   * The call of ranks that have gathered, for them to carry it out together; null if not all blocks
   * are at hand, or the ranks want another way. Asked as {@link #planTogether}.
   */
  @Nullable JointCall joint(List<LocalMeetingPart> all) throws IOException {
    Call first = all.getFirst().call();
    boolean write = first.job().write();
    if (!mayBeJoint(first)) {
      return null;
    }
    Exchanged wanted = wanted(all, LocalMeetingPart.MAX_JOINT_BYTES);
    if (wanted == null) {
      return null;
    }
    checkOpen();
    List<Access> accesses = write ? wanted.accesses() : cut(wanted.accesses(), wanted.size());
    Request request = new Request(write, strands.layout(), accesses, wanted.array());
    Hints hints = first.hints().hints().withStrategy(Strategy.SIEVED);
    Joint joint = plans.joint(request, hints, Reach.MESSAGES).orElse(null);
    if (joint == null) {
      return null;
    }
    session.env().charge(Work.PLAN, joint.planned().steps());
    List<MemorySlices> memory = new ArrayList<>(all.size());
    for (LocalMeetingPart one : all) {
      memory.add(one.call().memory()::shares);
    }
    JointTransfer transfer = JointTransfer.begin(strands, joint, memory);
    return transfer == null ? null : call(all, joint, transfer);
  }

  private static JointCall call(List<LocalMeetingPart> all, Joint joint, JointTransfer transfer) {
    boolean made = false;
    try {
      JointCall call = new JointCall(all, joint.planned().plan(), transfer);
      made = true;
      return call;
    } finally {
      if (!made) {
        transfer.giveUp();
      }
    }
  }

  /** Whether ranks of one JVM may carry out a call together, as far as one of them can tell. */
  boolean mayBeJoint(Call call, Access access) {
    return mayBeJoint(call)
        && access.size() <= 2 * LocalMeetingPart.MAX_JOINT_BYTES / file.rank().size()
        && !Copies.hasCopies(file.opened().file());
  }

  /** Where the owners of blocks apply lists, or auto may let them. */
  private static boolean mayBeJoint(Call call) {
    Hints hints = call.hints().hints();
    Strategy strategy = call.job().write() ? hints.write() : hints.read();
    return strategy == Strategy.AUTO || strategy == Strategy.SIEVED;
  }

  /** What ranks that have gathered want; null if they do not agree, or want more than so much. */
  private @Nullable Exchanged wanted(List<LocalMeetingPart> all, long maxBytes) throws IOException {
    Call first = all.getFirst().call();
    long bytes = 0;
    List<Effect.Exchange> effects = new ArrayList<>(all.size());
    for (LocalMeetingPart one : all) {
      bytes += one.access().size();
      effects.add(effect(one.call(), one.access(), 0));
      if (!one.call().agrees(first)) {
        return null;
      }
    }
    if (bytes > maxBytes) {
      return null;
    }
    return Exchanged.of(effects).atLeast(first.job().write() ? 0 : knownSize(effects));
  }

  /** Fails if an administrator has closed the file: then the coordinator tells each rank. */
  private void checkOpen() throws IOException {
    session
        .coordinator()
        .advance(file.opened().pointer(), 0, 0, Long.MAX_VALUE, session.limits().operationNanos());
  }

  private boolean isReady(Request request) {
    for (Access one : request.accesses()) {
      if (!one.isEmpty() && !strands.isReady(one)) {
        return false;
      }
    }
    return true;
  }

  /** Cuts all accesses where a file of this size ends. */
  private static List<Access> cut(List<Access> accesses, long size) {
    if (accesses instanceof AccessRuns those
        && those.runs().stream().allMatch(run -> run.span().end() <= size)) {
      return accesses;
    }
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
    for (int i = 0; cut != whole && i < cut.size(); i++) {
      if (!cut.get(i).equals(whole.get(i)) && !whole.get(i).view().isAscending()) {
        return false;
      }
    }
    return true;
  }
}
