package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.group.Reach;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Domains;
import org.millrace.plan.Estimate;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * The cost model: simple formulas over the counts of {@link RequestStats}, so that an estimate
 * takes O(ranks * depth) for any number of runs. Holds no state.
 *
 * <p>Words: P ranks, S strands that hold something wanted, N nodes, B wanted bytes, R runs; w
 * processors at work; each(g) is what each rank covers for itself when gaps below g are read along,
 * together(g) what all cover. Memory moves in lines, so copying B scattered bytes costs at least as
 * much as passing over each(line) or, where all ranks are served from a block while it is at hand,
 * together(line).
 *
 * <pre>
 *   all             2 P meeting
 *   pass(x)         B copy + 3/5 (x - B) copy                 bytes that are only passed over are read
 *   direct          (3/2 G get + small pass(each(line))) / w  G = R + B / stripe unit
 *   sieved          (lists message + R vector + small F miss + 5/2 touches touch
 *                    + small pass(each(line))) / w
 *   two-phase       (A set-up + hands message + gets get + 2 R vector + small span near
 *                    + small pass(B + span - distinct) + staged) / w           A aggregators
 *   extended        the same with the covering sections, or together(gap), instead of span; 12 run
 *                   for each of their pieces, and 3/5 copy for what is passed over in their lines
 *   disk-directed   (P S rounds message + 5/4 touches touch + R vector + 6/5 pass(together(line)) + short
 *                    + staged) / v
 *   disk            misses (starts seek + bytes disk) / N    for disk-directed writes misses is 1
 *   direct, sieved  max(work, disk) + min(work, disk) / 4     ranks copy what was read ahead
 *   all others      work + disk                               an exchange waits for its chunk
 * </pre>
 *
 * Where ranks map the memory of nodes in other processes, lists are the windows that they pin: P S
 * + each(block) / window, at 6 us instead of a message where all ranks have read the same before:
 * then it is known where the blocks lie. touch is looking a block up where it lies, a get but at
 * most 150 ns, as no message goes for each; set-up is what an aggregator does before its first
 * chunk: tables of what all ranks want, buffers; copy is two thirds where one processor copies
 * alone, since they share the way to memory; pieces that lie in one line count as one; staged is B
 * copy between processes, 4 B copy where ranks map the nodes' memory, else nothing. F counts the
 * places where a rank's next byte is not in the line of the one before: each is a miss. near is a
 * copy whose one side stays in a processor's cache, three tenths of copy; vector a run of a vector,
 * a fortieth of run; miss two thirds of run; small is 1, but where all that is wanted lies in a
 * processor's last cache, which is taken to hold 16 MiB, 3/10 for what ranks copy themselves and
 * 1/2 for what is exchanged; short is B copy / 2 if runs are so short and so dense that blocks are
 * copied before they are picked to pieces; v is w, or 1 if a strand's part would be over before
 * help has come. The factors were fitted to {@code millrace bench passion}, but for the 4 copies,
 * which are a guess.
 */
final class Estimator {

  private static final long LINE_BYTES = 64;

  // Factors, as in the class comment.
  private static final double PASSED = 0.6;
  private static final double NEAR = 0.3;
  private static final double VECTOR = 0.025;
  private static final double HANDED_VECTOR = 0.05;
  private static final double MISS = 0.65;
  private static final double OWN_GET = 1.5;
  private static final double LIST_TOUCH = 2.5;
  private static final double BLOCK_TOUCH = 1.25;
  private static final double BLOCK_COPY = 1.2;
  private static final double SHORT_BYTES = 512;
  private static final double LIST_RUN = 12;
  private static final double HANDED = 4;
  private static final double MAX_TOUCH_NANOS = 150;
  private static final double CROWD = 1.5;
  private static final double SET_UP_NANOS = 10_000;
  private static final double NOT_HIDDEN = 0.25;

  /** What a processor's last cache holds, and what copying costs within it. */
  private static final long SMALL_BYTES = 16 << 20;

  private static final double SMALL_OWN = 0.3;
  private static final double SMALL_EXCHANGED = 0.5;

  /** What is pinned of a strand at a time. */
  private static final long WINDOW_BYTES = 8 << 20;

  /** Tables with more rows than this in all are not made for an estimate. */
  private static final long MAX_ROWS = 1 << 12;

  private static final double HELPED_NANOS = 1e6;

  /** Finding out that blocks are where they were, and that their node lives. */
  private static final double KNOWN_WINDOW_NANOS = 6_000;

  // constant after construction
  private final RequestStats stats;
  private final Hints hints;
  private final Costs costs;
  private final boolean inTurns;
  private final long blockBytes;
  private final long bytes;
  private final int strands;
  private final long distinct;
  private final long blockTouches;
  private final Cover blocks;

  Estimator(RequestStats stats, Hints hints, Costs costs, boolean inTurns) {
    this.stats = stats;
    this.hints = hints;
    this.costs = costs;
    this.inTurns = inTurns;
    this.blockBytes = stats.request().blockBytes();
    this.bytes = stats.request().size();
    this.strands = Math.max(1, Planner.strands(stats.request()).size());
    this.distinct = stats.together(1).bytes();
    this.blockTouches = stats.touches(blockBytes);
    this.blocks = stats.together(blockBytes);
  }

  /** The estimates of all strategies that can be taken. */
  List<Estimate> all(boolean reachable, Exchanges exchanges) {
    List<Estimate> list = new ArrayList<>();
    list.add(direct());
    list.add(sieved());
    if (reachable && exchanges.isPossible()) {
      list.add(exchanged(exchanges.twoPhase(), spanned(exchanges.twoPhase())));
      list.add(exchanged(exchanges.extended(), covered(exchanges.extended())));
    }
    if (reachable) {
      list.add(diskDirected());
    }
    return list;
  }

  private Estimate direct() {
    long gets = stats.runs() + bytes / stats.request().layout().stripeUnitBytes();
    double work =
        OWN_GET * gets * costs.getNanos()
            + pass(
                (double) stats.each(LINE_BYTES).bytes(),
                small(SMALL_OWN) * copyNanos(ownWorkers()));
    long starts = Math.min(gets, blockTouches);
    double nanos = turns() + overlapped(work / ownWorkers(), disk(starts, diskBlockBytes()));
    long repeated = Math.max(0, bytes - distinct);
    return new Estimate(
        Strategy.DIRECT, meetings() + nanos, gets, perTransfer(bytes, gets), repeated, gets, 0);
  }

  private Estimate sieved() {
    long sieve = stats.request().write() ? hints.sieveWriteBytes() : hints.sieveReadBytes();
    Cover each = stats.each(blockBytes);
    long unit = stats.request().layout().stripeUnitBytes();
    long strandsOfList =
        Math.min(strands, Math.ceilDiv(Math.min(sieve, Math.max(1, stats.span().length())), unit));
    long scattered = stats.request().ranks() + blockTouches / Math.max(1, sieve / blockBytes);
    long lists =
        costs.isMapped()
            ? windows(each)
            : bytes == 0 ? 0 : Math.min(stats.touches(sieve), scattered) * strandsOfList;
    Cover lines = stats.each(LINE_BYTES);
    double work =
        lists * listNanos()
            + stats.runs() * costs.runNanos() * VECTOR
            + lines.pieces() * costs.runNanos() * MISS * small(SMALL_OWN)
            + LIST_TOUCH * blockTouches * touchNanos()
            + pass((double) lines.bytes(), small(SMALL_OWN) * copyNanos(ownWorkers()));
    double nanos = turns() + overlapped(work / ownWorkers(), disk(lists, diskBlockBytes()));
    return new Estimate(
        Strategy.SIEVED,
        meetings() + nanos,
        lists,
        perTransfer(each.bytes(), lists),
        Math.max(0, each.bytes() - distinct),
        lists,
        0);
  }

  /** A list, or a window of blocks, for which nobody is asked if it is known where they lie. */
  private double listNanos() {
    return costs.reach() == Reach.KNOWN
        ? Math.min(costs.messageNanos(), KNOWN_WINDOW_NANOS)
        : costs.messageNanos();
  }

  /** Windows of blocks that are pinned, where ranks copy out of the nodes' memory. */
  private long windows(Cover each) {
    long min = (long) stats.request().ranks() * strands;
    return bytes == 0 ? 0 : min + each.bytes() / WINDOW_BYTES;
  }

  /** All of the span. */
  private Exchanged spanned(Plan.Exchanging plan) {
    Cover cover = new Cover(stats.span().length(), Math.min(1, stats.span().length()));
    long chunks = cover.units(chunkBytes(plan));
    return new Exchanged(cover.bytes(), 0, chunks, chunks, hands(plan, chunks));
  }

  /** Lists of what is wanted, at least one for each aggregator that has something. */
  private Exchanged lists(Plan.Exchanging plan, Cover cover) {
    long min = Math.min(cover.pieces(), plan.domains().aggregators());
    long chunks = Math.max(min, Math.ceilDiv(cover.bytes(), chunkBytes(plan)));
    return new Exchanged(cover.bytes(), 0, chunks, cover.pieces(), hands(plan, chunks));
  }

  private static long chunkBytes(Plan.Exchanging plan) {
    return Math.min(plan.chunkBytes(), Math.max(1, plan.domains().maxBlockBytes()));
  }

  private long hands(Plan.Exchanging plan, long chunks) {
    return bytes == 0
        ? 0
        : Math.min(stats.touches(chunkBytes(plan)), chunks * stats.request().ranks());
  }

  /** Sections: the covering section of each domain. Other views: what all ranks cover together. */
  private Exchanged covered(Plan.ExtendedTwoPhase plan) {
    if (plan.descriptor().isEmpty() || !plan.descriptor().get().isExact()) {
      long gap = plan.gaps().listBytes();
      return gap == Long.MAX_VALUE ? spanned(plan) : lists(plan, stats.together(gap));
    }
    return sections(plan, plan.descriptor().get());
  }

  private Exchanged sections(Plan.ExtendedTwoPhase plan, AccessDescriptor descriptor) {
    Domains domains = plan.domains();
    boolean each = domains.blocks() <= MAX_ROWS / stats.request().ranks();
    long parts = each ? domains.blocks() : 1;
    double covered = 0;
    double chunks = 0;
    double listRuns = 0;
    double passed = 0;
    double hands = 0;
    for (long part = 0; part < parts; part++) {
      Extent extent = each ? domains.block(part) : Extent.between(domains.start(), domains.end());
      for (DomainTable table : DomainTable.of(descriptor, extent)) {
        if (!table.covering().isEmpty()) {
          SectionPacking reading =
              SectionPacking.of(descriptor.array(), table.covering(), plan.gaps().listBytes());
          double own = Math.ceil((double) reading.bytes() / plan.chunkBytes());
          covered += reading.bytes();
          chunks += own;
          Cover lines = Cover.of(reading.access(), LINE_BYTES);
          listRuns += lines.pieces();
          passed += Math.max(0, lines.bytes() - reading.bytes());
          hands += own * table.rows().stream().filter(row -> !row.isEmpty()).count();
        }
      }
    }
    if (!each) {
      chunks = Math.max(chunks, Math.min((double) domains.blocks(), covered));
    }
    return new Exchanged(
        (long) covered, (long) passed, (long) chunks, (long) listRuns, (long) hands);
  }

  /**
   * What the two-phase methods transfer, and pass over beside it because it lies in the same lines,
   * in how many chunks, pieces of the file and pieces for ranks.
   */
  private record Exchanged(long covered, long passed, long chunks, long listRuns, long hands) {}

  /** Both two-phase methods: chunks through buffers, and pieces handed out. */
  private Estimate exchanged(Plan.Exchanging plan, Exchanged all) {
    long covered = all.covered;
    long unit = stats.request().layout().stripeUnitBytes();
    long gets = bytes == 0 ? 0 : all.chunks + covered / unit;
    double workers = Math.min(costs.cores(), plan.domains().aggregators());
    double copy = small(SMALL_EXCHANGED) * copyNanos(workers);
    double work =
        plan.domains().aggregators() * SET_UP_NANOS
            + all.hands * costs.messageNanos()
            + gets * costs.getNanos()
            + Math.max(0, all.listRuns - all.chunks) * costs.runNanos() * LIST_RUN
            + stats.runs() * costs.runNanos() * HANDED_VECTOR
            + covered * copy * NEAR
            + all.passed * copy * PASSED
            + pass((double) bytes + Math.max(0, covered - distinct), copy)
            + staged();
    double nanos = meetings() + work / workers + disk(all.listRuns, covered);
    long chunk = chunkBytes(plan);
    return new Estimate(
        plan.strategy(),
        nanos,
        all.chunks,
        perTransfer(covered, all.chunks),
        Math.max(0, covered - distinct),
        all.hands + gets,
        plan.domains().aggregators() * chunk * plan.depth());
  }

  private Estimate diskDirected() {
    long messages = DirectTiling.requests(stats.request(), strands) * rounds();
    long transfers = diskBlocks();
    double alone = directedWork(messages, copyNanos(1));
    boolean helped = alone / strands > HELPED_NANOS;
    double workers = helped ? costs.cores() : 1;
    double work = helped ? directedWork(messages, copyNanos(workers)) : alone;
    long starts = (long) Math.min((double) transfers, (double) blocks.pieces() * strands);
    return new Estimate(
        Strategy.DISK_DIRECTED,
        meetings()
            + work / workers
            + disk(starts, diskBlockBytes(), stats.request().write() ? 1 : costs.missFraction()),
        transfers,
        perTransfer(diskBlockBytes(), transfers),
        Math.max(0, diskBlockBytes() - distinct),
        messages,
        blockBytes * strands * hints.depth());
  }

  private double directedWork(long messages, double copy) {
    return messages * costs.messageNanos()
        + BLOCK_TOUCH * blockTouches * touchNanos()
        + staged()
        + stats.runs() * costs.runNanos() * VECTOR
        + BLOCK_COPY * pass((double) stats.together(LINE_BYTES).bytes(), copy)
        + (areShort() ? PASSED * bytes * copy : 0);
  }

  /** Rounds of a disk-directed call between processes; two are under way at a time. */
  private long rounds() {
    Request request = stats.request();
    long max = 0;
    for (Access one : request.accesses()) {
      max = Math.max(max, one.size());
    }
    long bound = DirectRounds.maxBytes(request.ranks(), request.layout());
    return costs.isStaged() ? Math.max(1, Math.ceilDiv(max, bound)) : 1;
  }

  /** Blocks that hold something wanted. */
  private long diskBlocks() {
    return blocks.units(blockBytes);
  }

  private long diskBlockBytes() {
    return (long) ((double) diskBlocks() * blockBytes);
  }

  /** Copies what is wanted and passes over the rest of so many bytes. */
  private double pass(double over, double copyNanosPerByte) {
    double beside = Math.max(0, over - bytes);
    return (bytes + PASSED * beside) * copyNanosPerByte;
  }

  /** What a byte costs if so many copy at the same time: they share the way to memory. */
  private double copyNanos(double workers) {
    return workers > 1 || costs.cores() == 1
        ? costs.copyNanosPerByte()
        : costs.copyNanosPerByte() / CROWD;
  }

  /** The share of a copy's costs that is left if all that is wanted lies in a cache. */
  private double small(double share) {
    return distinct <= SMALL_BYTES ? share : 1;
  }

  /** Looking a block up at its node. */
  private double touchNanos() {
    return Math.min(costs.getNanos(), MAX_TOUCH_NANOS);
  }

  /** Bytes that others than their rank move to it or fetch from it, in another process. */
  private double staged() {
    double copies = costs.isMapped() ? HANDED : 1;
    return costs.isStaged() ? copies * bytes * costs.copyNanosPerByte() : 0;
  }

  /** Whether nodes copy a block before they pick it to pieces. */
  private boolean areShort() {
    return bytes <= SHORT_BYTES * (double) stats.runs() && bytes >= blocks.bytes() / 2;
  }

  private double meetings() {
    return 2.0 * stats.request().ranks() * costs.meetingNanos();
  }

  /** Ranks that write one after the other wait for each other. */
  private double turns() {
    return inTurns ? stats.request().ranks() * costs.messageNanos() : 0;
  }

  private double ownWorkers() {
    return inTurns ? 1 : Math.min(costs.cores(), stats.request().ranks());
  }

  /** Copying while the disk reads ahead: the longer of both hides most of the other. */
  private static double overlapped(double work, double disk) {
    return Math.max(work, disk) + NOT_HIDDEN * Math.min(work, disk);
  }

  private double disk(long starts, long diskBytes) {
    return disk(starts, diskBytes, costs.missFraction());
  }

  /** What a part of the transfers and bytes takes on the disks. */
  private double disk(long starts, long diskBytes, double part) {
    double nanos =
        (double) starts * costs.seekNanos() + (double) diskBytes * costs.diskNanosPerByte();
    return part * nanos / stats.nodes();
  }

  private static long perTransfer(long covered, long transfers) {
    return transfers == 0 ? 0 : covered / transfers;
  }
}
