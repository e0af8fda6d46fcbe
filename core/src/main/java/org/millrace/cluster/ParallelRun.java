package org.millrace.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.assembly.Participant;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Peer;

/**
 * One run of a program by the ranks of a new group, from forming it to the end of the last rank.
 * For one use.
 */
public final class ParallelRun {

  /** Makes the session of a participant, given how to reach the others. */
  public interface Sessions {
    /** Makes the session of one rank. */
    Participant make(int participant, IntFunction<Link> others) throws IOException;
  }

  // constant after construction
  private final ClusterTopology topology;
  private final int ranks;
  private final Program program;
  private final List<Participant> sessions = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  // guarded by lock
  private int running;
  private final @Nullable Throwable[] failures;

  /** A run of a program by so many ranks. */
  public ParallelRun(ClusterTopology topology, int ranks, Program program, Sessions maker)
      throws IOException {
    this.topology = topology;
    this.ranks = ranks;
    this.program = program;
    this.ended = topology.rank(ClusterTopology.NOBODY).signal(lock);
    this.running = ranks;
    this.failures = new Throwable[ranks];
    try {
      for (int r = 0; r < ranks; r++) {
        // a link inside a JVM holds nothing: one for each pair would be too many for many ranks
        Peer peer = new Peer(r, "participant " + r);
        Env here = topology.rank(r);
        sessions.add(
            maker.make(
                r,
                other ->
                    topology.link(here, topology.rank(other), peer, sessions.get(other).inbox())));
      }
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(sessions, e);
      throw e;
    }
  }

  /** Runs all ranks and waits for them. */
  public void run() throws IOException {
    long group = sessions.getFirst().form(ranks);
    // one list for all: List.copyOf copies it no more
    List<Integer> participants = List.copyOf(IntStream.range(0, ranks).boxed().toList());
    Rank[] members = new Rank[ranks];
    for (int r = ranks - 1; r >= 0; r--) { // all, before the first can end; the founder is the last
      members[r] = sessions.get(r).join(group, r, participants);
    }
    for (Rank rank : members) {
      topology
          .rank(rank.number())
          .start(ThreadKind.RANK, "rank " + rank.number(), () -> runRank(rank));
    }
    lock.lock();
    try {
      while (running > 0) {
        // no deadline: every operation of a rank has one, and what it computes is its own affair
        ended.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
    throwFailures();
  }

  private void runRank(Rank rank) {
    Throwable failure = null;
    try {
      program.run(rank);
      Participant session = sessions.get(rank.number());
      session.settle(); // what it left under way still needs its membership
      Warnings.log(session.flushUnclosed());
    } catch (Throwable e) {
      failure = e;
    }
    try {
      sessions
          .get(rank.number())
          .settle(); // a rank that leaves has nothing under way under its locks
      rank.leave(failure == null ? "" : failure.toString());
    } catch (Throwable e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
    int number = rank.number();
    try {
      sessions.get(number).close();
    } finally { // or the run would wait for this rank for ever
      lock.lock();
      try {
        failures[number] = failure;
        running--;
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Throws what went wrong first in the chain of causes: a rank that failed on its own before one
   * that missed another.
   */
  private void throwFailures() throws IOException {
    Throwable first = null;
    for (Throwable one : failures) {
      if (one != null && (first == null || (follows(first) && !follows(one)))) {
        first = one;
      }
    }
    if (first == null) {
      return;
    }
    for (Throwable one : failures) {
      if (one != null && one != first) {
        first.addSuppressed(one);
      }
    }
    switch (first) {
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new MillraceException(ErrorCode.RANK_FAILED, String.valueOf(first), first);
    }
  }

  private static boolean follows(Throwable e) {
    return e instanceof RankFailedException;
  }
}
