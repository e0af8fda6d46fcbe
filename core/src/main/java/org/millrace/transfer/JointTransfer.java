package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.copy.Kernels;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Lent;
import org.millrace.message.Payload;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Request;
import org.millrace.plan.collective.StrandSpans;
import org.millrace.transfer.MemorySlices.Share;

/**
 * Moves what several ranks of one JVM want of a file, if all its blocks are in memory: each block
 * is looked up once for all ranks, and then only memory is copied. Nothing waits for a disk or for
 * another access: what is not at hand is declined at the beginning.
 *
 * <p>How it works: the work is cut into tasks, which threads take in any order: what one rank wants
 * of one strand; neighbouring ranks that want the same are one, since finding the pieces takes as
 * long as copying them. Where ranks may write the same bytes a task is a whole strand, on which
 * they go in the order of their numbers.
 *
 * <p>Tasks may be carried out by several threads. Must be ended, once, when no task is under way.
 */
public final class JointTransfer {

  /** Ranks that want the same are at least so many tasks, if they are that many. */
  private static final int LEAST_TASKS = 8;

  /**
   * What is moved.
   *
   * @param planned a plan in which ranks move their own bytes
   * @param spans the blocks of all of them
   */
  public record Joint(Planned planned, StrandSpans spans) {}

  /** Ranks that want the same. Immutable. */
  private static final class Team {
    private final int from;
    private final int to;

    /** What the lowest wants, by parts of its memory. */
    private final List<Share> shares;

    /** Where the packed bytes of each begin; of one rank alone, that is in its shares. */
    private final MemorySegment[] memories;

    private final long[] starts;

    Team(int from, int to, List<Share> shares, MemorySegment[] memories, long[] starts) {
      this.from = from;
      this.to = to;
      this.shares = shares;
      this.memories = memories;
      this.starts = starts;
    }
  }

  // constant after construction
  private final boolean write;
  private final Layout layout;
  private final StrandSpans spans;
  private final Lent[] lent;
  private final List<Team> teams;
  private final boolean inOrder;
  private final int shift;
  private final AtomicLongArray moved; // bytes and pieces of each strand

  private JointTransfer(Joint joint, Lent[] lent, List<Team> teams, boolean inOrder) {
    Request request = joint.planned.plan().request();
    this.write = request.write();
    this.layout = request.layout();
    this.spans = joint.spans;
    this.lent = lent;
    this.teams = teams;
    this.inOrder = inOrder;
    this.shift = Long.numberOfTrailingZeros(layout.blockBytes());
    this.moved = new AtomicLongArray(2 * lent.length);
  }

  /**
   * Takes all blocks; null if any of them is not at hand.
   *
   * @param memory of each rank
   */
  public static @Nullable JointTransfer begin(
      Strands strands, Joint joint, List<MemorySlices> memory) {
    boolean write = joint.planned.plan().request().write();
    StrandSpans spans = joint.spans;
    Lent[] lent = new Lent[spans.count()];
    int taken = 0;
    try {
      while (taken < lent.length) {
        Lent next = strands.lend(spans.strand(taken), spans.spans(taken), write);
        if (next == null) {
          return null;
        }
        lent[taken++] = next;
      }
      boolean inOrder = write && joint.planned.overlapping();
      List<Team> teams = teams(joint, memory, inOrder);
      JointTransfer made = new JointTransfer(joint, lent, teams, inOrder);
      taken = 0;
      return made;
    } finally {
      giveBack(lent, taken);
    }
  }

  private static void giveBack(Lent[] lent, int taken) {
    for (int i = 0; i < taken; i++) {
      lent[i].giveBack(Lent.Use.NONE, 0, 0);
    }
  }

  /** Gives all blocks back; no task was carried out. */
  public void giveUp() {
    giveBack(lent, lent.length);
  }

  private static List<Team> teams(Joint joint, List<MemorySlices> memory, boolean inOrder) {
    List<Access> accesses = joint.planned.plan().request().accesses();
    int most =
        inOrder ? 1 : Math.ceilDiv(accesses.size() * Math.max(1, joint.spans.count()), LEAST_TASKS);
    List<Team> teams = new ArrayList<>();
    for (int rank = 0; rank < accesses.size(); ) {
      int from = rank;
      Access access = accesses.get(from);
      List<Share> shares = memory.get(from).of(access);
      List<Payload> packed = new ArrayList<>();
      List<Share> next = shares;
      while (rank - from < most && isPacked(next)) {
        packed.add(next.getFirst().payload());
        rank++;
        if (rank == accesses.size() || !joint.spans.isLikeBefore(rank)) {
          break;
        }
        next = memory.get(rank).of(access);
      }
      rank = Math.max(rank, from + 1);
      if (!access.isEmpty()) {
        teams.add(packed.size() > 1 ? team(from, rank, access, packed) : team(from, shares));
      }
    }
    return teams;
  }

  private static boolean isPacked(List<Share> shares) {
    return shares.size() == 1 && shares.getFirst().payload().isPacked();
  }

  private static Team team(int rank, List<Share> shares) {
    return new Team(rank, rank + 1, shares, new MemorySegment[] {MemorySegment.NULL}, new long[1]);
  }

  private static Team team(int from, int to, Access access, List<Payload> packed) {
    Payload none = new Payload(MemorySegment.NULL, Places.packed(access.size()), access.size());
    return new Team(
        from,
        to,
        List.of(new Share(access, none)),
        packed.stream().map(Payload::memory).toArray(MemorySegment[]::new),
        packed.stream().mapToLong(one -> one.places().start()).toArray());
  }

  /** How many tasks there are. */
  public int tasks() {
    return inOrder ? lent.length : lent.length * teams.size();
  }

  /** Carries out a task. What fails is told with the rank for which it failed. */
  public void run(int task, ObjIntConsumer<RuntimeException> failed) {
    int i = task % lent.length;
    if (!inOrder) {
      run(teams.get(task / lent.length), i, failed);
      return;
    }
    for (Team team : teams) {
      run(team, i, failed);
    }
  }

  private void run(Team team, int i, ObjIntConsumer<RuntimeException> failed) {
    try {
      Mover mover = new Mover(team, i);
      mover.run();
      moved.addAndGet(2 * i, mover.bytes);
      moved.addAndGet(2 * i + 1, mover.pieces);
    } catch (RuntimeException e) {
      for (int rank = team.from; rank < team.to; rank++) {
        failed.accept(e, rank);
      }
    }
  }

  /** Gives all blocks back. */
  public void end(boolean whole) {
    for (int i = 0; i < lent.length; i++) {
      Lent.Use use = whole ? Lent.Use.WHOLE : Lent.Use.BROKEN;
      lent[i].giveBack(use, moved.get(2 * i), moved.get(2 * i + 1));
    }
  }

  /** Moves what a team wants of a strand. For one thread. */
  private final class Mover {

    private final Team team;
    private final int strand;
    private final Lent blocks;
    private long bytes;
    private long pieces;

    // what is in use
    private MemorySegment[] memories;
    private long nowIn = -1;
    private MemorySegment now = MemorySegment.NULL;

    Mover(Team team, int i) {
      this.team = team;
      this.strand = spans.strand(i);
      this.blocks = lent[i];
      this.memories = team.memories;
    }

    void run() {
      StrandRuns runs = new StrandRuns();
      PlacedVector vectors = new PlacedVector();
      for (Share share : team.shares) {
        Access access = share.access();
        Payload payload = share.payload();
        if (team.to - team.from == 1) {
          memories = new MemorySegment[] {payload.memory()};
        }
        runs.reset(layout, strand, access.view(), access.from(), access.to());
        vectors.reset(runs, access.from(), payload.places());
        while (vectors.next()) {
          vector(vectors);
        }
      }
      bytes *= memories.length;
      pieces *= memories.length;
    }

    private void vector(PlacedVector v) {
      long length = v.length();
      long stride = v.stride();
      long count = v.count();
      for (long done = 0; done < count; ) {
        long start = v.offset() + done * stride;
        long place = v.place() + done * v.placeStride();
        long in = start & ((1L << shift) - 1);
        if (in + length > 1L << shift) {
          run(start, length, place);
          done++;
          continue;
        }
        long runs = Math.min(count - done, runsWithin(in, length, stride));
        copy(start >>> shift, in, stride, place, v.placeStride(), length, runs);
        done += runs;
      }
      bytes += length * count;
      pieces += count;
    }

    /** How many runs lie wholly in a block, of which the first does. */
    private long runsWithin(long in, long length, long stride) {
      if (stride == 0) {
        return Long.MAX_VALUE;
      }
      return (stride > 0 ? ((1L << shift) - in - length) / stride : in / -stride) + 1;
    }

    /** One run that crosses from block to block. */
    private void run(long offset, long length, long place) {
      for (long done = 0; done < length; ) {
        long in = (offset + done) & ((1L << shift) - 1);
        long piece = Math.min(length - done, (1L << shift) - in);
        copy((offset + done) >>> shift, in, piece, place + done, piece, piece, 1);
        done += piece;
      }
    }

    private void copy(
        long number, long in, long stride, long place, long placeStride, long length, long runs) {
      if (number != nowIn) {
        now = blocks.block(number);
        nowIn = number;
      }
      for (int i = 0; i < memories.length; i++) {
        long at = team.starts[i] + place;
        if (write) {
          Kernels.copy(memories[i], at, placeStride, now, in, stride, length, runs);
        } else {
          Kernels.copy(now, in, stride, memories[i], at, placeStride, length, runs);
        }
      }
    }
  }
}
