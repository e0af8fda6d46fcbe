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
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeReply.Kept;
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
    final @Nullable KeptCell cell;
    final long sinceNanos;

    // guarded by the lock
    boolean abandoned;
    boolean takenAway;

    Loan(long session, String process, Pin pin, @Nullable KeptCell cell, long sinceNanos) {
      this.session = session;
      this.process = process;
      this.pin = pin;
      this.cell = cell;
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
  private final CellMemory cells;
  private long last;
  private boolean watched;
  private boolean closed;

  LentBlocks(Env env, String name, HostMemory host, long limitNanos) {
    this.env = env;
    this.name = name;
    this.host = host;
    this.limitNanos = limitNanos;
    this.cells = new CellMemory(host);
    this.news = env.signal(lock);
  }

  /** Whether anything can be lent to a sender. */
  boolean mayLend(Peer to, String process) {
    return to.sameHost() && !host.process().isEmpty() && !process.isEmpty();
  }

  /** Takes back what a sender gives back; returns the numbers of what it gives back too late. */
  List<Long> takeBack(Peer from, NodeRequest.Pin request) throws MillraceException {
    List<Long> refused = new ArrayList<>();
    for (PinnedBlocks.ReturnedPin one : request.returned()) {
      checkEnd(request, one);
      Loan loan = remove(from, one.pin());
      boolean accepted = loan != null && loan.pin.release(one.written(), one.end());
      giveBack(loan == null ? null : loan.cell);
      if (!accepted) {
        refused.add(one.pin());
      }
    }
    return refused;
  }

  /** Takes back what a sender has kept, if it still has it. */
  void takeBack(Peer from, long pin) {
    Loan loan = remove(from, pin);
    if (loan != null) {
      loan.pin.release(true, 0);
      giveBack(loan.cell);
    }
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
    long number = nextNumber();
    if (pin == null
        || !pin.isMappable()
        || !tryAdd(number, loan(to, request.process(), pin, null))) {
      if (pin != null) {
        pin.release(false, 0);
      }
      return new Pinned(Pinned.NONE, strand.end(), List.of(), refused);
    }
    return new Pinned(number, pin.end(), places(pin), refused);
  }

  private Loan loan(Peer to, String process, Pin pin, @Nullable KeptCell cell) {
    return new Loan(to.session(), process, pin, cell, env.nanoTime());
  }

  private static List<PinnedBlocks.BlockPlace> places(Pin pin) {
    return pin.places().stream()
        .map(
            place ->
                new PinnedBlocks.BlockPlace(
                    place.slab(), place.generation(), place.offset(), place.blocks()))
        .toList();
  }

  /** Lets a sender keep blocks, if the cache can spare them. */
  Kept keep(CachedStrand strand, Peer to, NodeRequest.Keep request) throws IOException {
    StrandLists.checkBlocks(strand, request.strand(), request.blockBytes());
    if (request.count() > KeptCells.MAX_BLOCKS
        || !KeptCells.fits((long) request.count() * request.blockBytes())) {
      throw new MillraceException(
          ErrorCode.INVALID, "keeps " + request.count() + " blocks of " + request.blockBytes());
    }
    long number = nextNumber();
    KeptCell cell = open(number);
    Pin pin = null;
    boolean kept = false;
    try {
      pin = cell == null ? null : strand.keep(blocks(request).getFirst(), cell);
      if (cell == null || pin == null || !pin.isMappable()) {
        return new Kept(Pinned.NONE, 0, List.of());
      }
      kept = tryAdd(number, loan(to, request.process(), pin, cell));
      return kept
          ? new Kept(number, cell.number(), places(pin))
          : new Kept(Pinned.NONE, 0, List.of());
    } finally {
      if (!kept) {
        if (pin != null) {
          pin.release(false, 0);
        }
        giveBack(cell);
      }
    }
  }

  private @Nullable KeptCell open(long number) {
    lock.lock();
    try {
      return closed ? null : cells.tryOpen(number);
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(@Nullable KeptCell cell) {
    lock.lock();
    try {
      if (cell != null) {
        cells.giveBack(cell);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What the cells of kept blocks are mapped by. */
  NodeReply.SlabAt cells() {
    lock.lock();
    try {
      return cells.place();
    } finally {
      lock.unlock();
    }
  }

  static List<Pin.Blocks> blocks(NodeRequest.Keep request) {
    return List.of(new Pin.Blocks(request.first(), request.count(), false));
  }

  static List<Pin.Blocks> blocks(NodeRequest.Pin request) {
    return request.wanted().stream()
        .map(run -> new Pin.Blocks(run.first(), run.count(), run.whole()))
        .toList();
  }

  private long nextNumber() {
    lock.lock();
    try {
      return ++last;
    } finally {
      lock.unlock();
    }
  }

  /** False if the node is closing and lends nothing. */
  private boolean tryAdd(long number, Loan loan) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      loans.put(number, loan);
      if (!watched) {
        watched = true;
        env.start(ThreadKind.SERVICE, name + " loans", this::watch);
      } else if (loans.size() == 1) {
        news.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more will come from a session. */
  void onSessionEnd(long session) {
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
        loan.pin.holderGone();
        forget(each.getKey());
      } else if (isLate(loan, now)) {
        takeAway(each.getKey(), loan);
      }
    }
  }

  /** Loans that were made some time ago, or whose session has ended. */
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

  private void takeAway(long number, Loan loan) {
    try {
      loan.pin.expire();
      if (loan.pin.isOver()) { // its holder was not just writing: nothing is left of it
        forget(number);
        return;
      }
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

  /** Forgets a loan whose pin is over. */
  private void forget(long number) {
    lock.lock();
    try {
      Loan loan = loans.remove(number);
      giveBack(loan == null ? null : loan.cell);
    } finally {
      lock.unlock();
    }
  }

  /** Takes everything away, so that nothing waits for holders; ends the thread. */
  @Override
  public void close() {
    Map<Long, Loan> all;
    lock.lock();
    try {
      closed = true;
      all = new LinkedHashMap<>(loans);
      news.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::takeAway);
  }

  /** Gives the memory of cells back, after the cache. */
  void end() {
    lock.lock();
    try {
      cells.close();
    } finally {
      lock.unlock();
    }
  }
}
