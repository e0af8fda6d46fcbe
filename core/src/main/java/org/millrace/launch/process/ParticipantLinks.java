package org.millrace.launch.process;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.message.Link;
import org.millrace.transfer.BrokenLink;

/**
 * Links to the other ranks of a job, each made when it is first needed. A rank that does not answer
 * has failed.
 *
 * <p>Safe for use by several threads. The links end with the transport.
 */
final class ParticipantLinks implements IntFunction<Link> {

  /** How a rank is reached. */
  interface Way {
    /** A link to a rank that listens at {@code inbox}. */
    Link to(int rank, String inbox) throws IOException;
  }

  // constant after construction
  private final Env env;
  private final Way way;
  private final int own;
  private final long timeoutNanos;
  private final ReentrantLock making = new ReentrantLock();
  private final Signal assembledSignal;

  // written with the lock held, once
  private volatile List<String> inboxes = List.of();
  private volatile AtomicReferenceArray<Link> links = new AtomicReferenceArray<>(0);

  /**
   * Links of one rank.
   *
   * @param own that rank
   * @param timeoutNanos how long a caller that needs a link waits for {@link #assembled}
   */
  ParticipantLinks(Env env, Way way, int own, long timeoutNanos) {
    this.env = env;
    this.way = way;
    this.own = own;
    this.timeoutNanos = timeoutNanos;
    this.assembledSignal = env.signal(making);
  }

  /**
   * Where the ranks listen, by rank. Said once. Another rank may know it earlier, and send a
   * message before.
   */
  void assembled(List<String> addresses) {
    making.lock();
    try {
      inboxes = List.copyOf(addresses);
      links = new AtomicReferenceArray<>(addresses.size());
      assembledSignal.signalAll();
    } finally {
      making.unlock();
    }
  }

  @Override
  public Link apply(int rank) {
    AtomicReferenceArray<Link> all = links;
    Link there = rank >= 0 && rank < all.length() ? all.get(rank) : null;
    return there != null ? there : make(rank);
  }

  private Link make(int rank) {
    making.lock();
    try {
      long deadline = env.deadlineAfter(timeoutNanos);
      while (inboxes.isEmpty()) {
        if (!assembledSignal.await(deadline)) {
          return new BrokenLink(
              new RankFailedException(
                  "rank " + own + " does not know the addresses of the other ranks"));
        }
      }
      if (rank < 0 || rank >= inboxes.size()) { // not a rank of this group
        return new BrokenLink(
            new MillraceException(
                ErrorCode.PROTOCOL, "rank %s of %s".formatted(rank, inboxes.size())));
      }
      Link link = links.get(rank);
      if (link == null) {
        link = connect(rank);
        links.set(rank, link);
      }
      return link;
    } finally {
      making.unlock();
    }
  }

  private Link connect(int rank) {
    try {
      return way.to(rank, inboxes.get(rank));
    } catch (IOException e) {
      MillraceException reason = MillraceException.wrap(ErrorCode.RANK_FAILED, e);
      RankFailedException failed =
          new RankFailedException(
              "rank %s at %s does not answer rank %s at %s: %s%s"
                  .formatted(
                      rank,
                      inboxes.get(rank),
                      own,
                      inboxes.get(own),
                      reason.getMessage(),
                      advice(rank)));
      failed.initCause(e);
      return new BrokenLink(failed);
    }
  }

  /** Only between hosts can a rank be mistaken about where it is reached. */
  private String advice(int rank) {
    return inboxes.get(rank).startsWith("tls:")
        ? "; if rank %s is reached elsewhere, say where with --listen or %s"
            .formatted(rank, Launch.LISTEN)
        : "";
  }
}
