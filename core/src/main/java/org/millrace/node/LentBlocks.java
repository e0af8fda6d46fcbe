package org.millrace.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.cache.CachedStrand;
import org.millrace.cache.Pin;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks;
import org.millrace.wire.HostMemory;

/**
 * What a node has lent to other processes: which blocks, to whom, until when. A thread of its own
 * looks after holders that do not give back in time: of those whose process is gone it takes
 * everything back; from others the blocks are taken away, and their old memory stays in quarantine
 * until they give it back after all, or their process is gone.
 *
 * <p>Safe for use by several threads: one lock, not held while the cache is asked.
 */
final class LentBlocks implements AutoCloseable {

  /** How often the thread looks, in the time that a holder has. */
  private static final int LOOKS = 8;

  /** One loan. */
  private static final class Loan {
    final long session;
    final String process;
    final Pin pin;
    final long sinceNanos;

    // guarded by the lock
    boolean abandoned;
    boolean takenAway;

    Loan(long session, String process, Pin pin, long sinceNanos) {
      this.session = session;
      this.process = process;
      this.pin = pin;
      this.sinceNanos = sinceNanos;
    }
  }

  // constant after construction
  private final Env env;
  private final String name;
  private final HostMemory host;
  private final long limitNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal news;

  // guarded by lock
  private final Map<Long, Loan> loans = new LinkedHashMap<>();
  private long last;
  private boolean watched;
  private boolean closed;

  LentBlocks(Env env, String name, HostMemory host, long limitNanos) {
    this.env = env;
    this.name = name;
    this.host = host;
    this.limitNanos = limitNanos;
    this.news = env.signal(lock);
  }

  /** Whether anything can be lent to a sender. */
  boolean mayLend(Peer to, NodeRequest.Pin request) {
    return to.near() && !host.process().isEmpty() && !request.process().isEmpty();
  }

  /** Takes back what a sender gives back; returns the numbers of what it gives back too late. */
  List<Long> takeBack(Peer from, NodeRequest.Pin request) throws MillraceException {
    List<Long> refused = new ArrayList<>();
    for (PinnedBlocks.ReturnedPin one : request.returned()) {
      checkEnd(request, one);
      Loan loan = remove(from, one.pin());
      boolean accepted = loan != null && loan.pin.release(one.written(), one.end());
      if (!accepted) {
        refused.add(one.pin());
      }
    }
    return refused;
  }

  private static void checkEnd(NodeRequest.Pin request, PinnedBlocks.ReturnedPin one)
      throws MillraceException {
    if (one.end() < 0 || one.end() > Long.MAX_VALUE - request.blockBytes()) {
      throw new MillraceException(ErrorCode.INVALID, "a strand that ends at " + one.end());
    }
  }

  private @Nullable Loan remove(Peer from, long pin) {
    lock.lock();
    try {
      Loan found = loans.get(pin);
      return found == null || found.session != from.session() ? null : loans.remove(pin);
    } finally {
      lock.unlock();
    }
  }

  /** Lends blocks, if the cache can. */
  Pinned lend(CachedStrand strand, Peer to, NodeRequest.Pin request, List<Long> refused)
      throws IOException {
    StrandLists.checkBlocks(strand, request.strand(), request.blockBytes());
    Pin pin = strand.pin(blocks(request), request.write());
    if (pin != null && !pin.isMappable()) {
      pin.release(false, 0);
      pin = null;
    }
    if (pin == null) {
      return new Pinned(Pinned.NONE, strand.end(), List.of(), refused);
    }
    List<PinnedBlocks.BlockPlace> places =
        pin.places().stream()
            .map(
                place ->
                    new PinnedBlocks.BlockPlace(
                        place.slab(), place.generation(), place.offset(), place.blocks()))
            .toList();
    return new Pinned(add(to, request.process(), pin), pin.end(), places, refused);
  }

  static List<Pin.Blocks> blocks(NodeRequest.Pin request) {
    return request.wanted().stream()
        .map(run -> new Pin.Blocks(run.first(), run.count(), run.whole()))
        .toList();
  }

  private long add(Peer to, String process, Pin pin) {
    Loan loan = new Loan(to.session(), process, pin, env.nanoTime());
    lock.lock();
    try {
      loans.put(++last, loan);
      if (!watched) {
        watched = true;
        env.start(ThreadKind.SERVICE, name + " loans", this::watch);
      } else if (loans.size() == 1) {
        news.signalAll();
      }
      return last;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more will come from a session. */
  void onGone(long session) {
    lock.lock();
    try {
      for (Loan loan : loans.values()) {
        loan.abandoned |= loan.session == session;
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether no session that is gone can still write into what it was lent. */
  boolean isSettled() {
    lock.lock();
    try {
      for (Loan loan : loans.values()) {
        if (loan.abandoned && loan.pin.isWriting() && !loan.takenAway) {
          return false;
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends with this object. */
  private void watch() {
    while (true) {
      lock.lock();
      try {
        if (closed) {
          return;
        }
        news.await(loans.isEmpty() ? Env.NEVER : env.deadlineAfter(limitNanos / LOOKS));
      } finally {
        lock.unlock();
      }
      look();
    }
  }

  private void look() {
    long now = env.nanoTime();
    Map<String, Boolean> gone = new HashMap<>();
    for (Map.Entry<Long, Loan> each : overdue(now).entrySet()) {
      Loan loan = each.getValue();
      if (gone.computeIfAbsent(loan.process, host::isGone)) {
        forget(each.getKey());
        loan.pin.holderGone();
      } else if (isLate(loan, now)) {
        takeAway(loan);
      }
    }
  }

  /** What was lent some time ago, or is not given back any more. */
  private Map<Long, Loan> overdue(long now) {
    Map<Long, Loan> found = new LinkedHashMap<>();
    lock.lock();
    try {
      loans.forEach(
          (number, loan) -> {
            if (loan.abandoned || now - loan.sinceNanos >= limitNanos / LOOKS) {
              found.put(number, loan);
            }
          });
    } finally {
      lock.unlock();
    }
    return found;
  }

  private boolean isLate(Loan loan, long now) {
    lock.lock();
    try {
      return !loan.takenAway && (loan.abandoned || now - loan.sinceNanos >= limitNanos);
    } finally {
      lock.unlock();
    }
  }

  private void takeAway(Loan loan) {
    try {
      loan.pin.expire();
      lock.lock();
      try {
        loan.takenAway = true;
      } finally {
        lock.unlock();
      }
    } catch (IOException e) {
      // there is no room for it, or the disk fails: tried again at the next look
    }
  }

  private void forget(long number) {
    lock.lock();
    try {
      loans.remove(number);
    } finally {
      lock.unlock();
    }
  }

  /** Takes everything away, so that nothing waits for holders; ends the thread. */
  @Override
  public void close() {
    List<Loan> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(loans.values());
      news.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::takeAway);
  }
}
