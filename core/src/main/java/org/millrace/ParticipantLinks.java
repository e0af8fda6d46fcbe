package org.millrace;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;

/**
 * Links to the other ranks of a job, each made when it is first needed. A rank that does not answer
 * has failed.
 *
 * <p>Safe for use by several threads. The links end with the transport.
 */
final class ParticipantLinks implements IntFunction<Link> {

  // constant after construction
  private final Dialer dialer;
  private final int own;
  private final ReentrantLock making = new ReentrantLock();

  private volatile List<String> inboxes = List.of();
  private volatile AtomicReferenceArray<Link> links = new AtomicReferenceArray<>(0);

  /**
   * Links of one rank.
   *
   * @param own that rank
   */
  ParticipantLinks(Dialer dialer, int own) {
    this.dialer = dialer;
    this.own = own;
  }

  /** Where the ranks listen, by rank. Said once, before the first link is asked for. */
  void assembled(List<String> addresses) {
    inboxes = List.copyOf(addresses);
    links = new AtomicReferenceArray<>(addresses.size());
  }

  @Override
  public Link apply(int rank) {
    Link there = links.get(rank);
    return there != null ? there : make(rank);
  }

  private Link make(int rank) {
    making.lock();
    try {
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
      return dialer.participant(rank, inboxes.get(rank));
    } catch (IOException e) {
      MillraceException why = MillraceException.wrap(ErrorCode.RANK_FAILED, e);
      RankFailedException failed =
          new RankFailedException(
              "rank %d at %s does not answer rank %d at %s: %s%s"
                  .formatted(
                      rank,
                      inboxes.get(rank),
                      own,
                      inboxes.get(own),
                      why.getMessage(),
                      advice(rank)));
      failed.initCause(e);
      return new BrokenLink(failed);
    }
  }

  /** Only between hosts can a rank be mistaken about where it is reached. */
  private String advice(int rank) {
    return inboxes.get(rank).startsWith("tls:")
        ? "; if rank %d is reached elsewhere, say where with --listen or %s"
            .formatted(rank, Launch.LISTEN)
        : "";
  }
}
