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
 * The blocks that a node has pinned for other processes, with the session that holds each pin and
 * the time at which it got it. A thread watches for holders that do not release in time. If the
 * holder's process is gone, the node releases its pins. If it is alive, the node revokes them: the
 * old memory stays in quarantine until the holder releases it after all, or its process is gone.
 *
 * <p>Safe for use by several threads: one lock, which is not held during calls of the cache.
 */
final class ClientPins implements AutoCloseable {

  /** How often the thread looks within the time that a holder has. */
  private static final int LOOKS = 8;

  /** One pin and its holder. */
  private static final class ClientPin {
    final long session;
    final String process;
    final Pin pin;
    final @Nullable KeptCell cell;
    final long sinceNanos;

    // guarded by the lock
    boolean abandoned;
    boolean revoked;

    ClientPin(long session, String process, Pin pin, @Nullable KeptCell cell, long sinceNanos) {
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
  private final Map<Long, ClientPin> pins = new LinkedHashMap<>();
  private final CellMemory cells;
  private long last;
  private boolean watched;
  private boolean resting;
  private boolean closed;

  ClientPins(Env env, String name, HostMemory host, long limitNanos) {
    this.env = env;
    this.name = name;
    this.host = host;
    this.limitNanos = limitNanos;
    this.cells = new CellMemory(host);
    this.news = env.signal(lock);
  }

  /** Whether blocks can be pinned for a sender. */
  boolean mayPin(Peer to, String process) {
    return to.sameHost() && !host.process().isEmpty() && !process.isEmpty();
  }

  /** Releases a sender's pins; returns the numbers of those that it released too late. */
  List<Long> release(Peer from, NodeRequest.Pin request) throws MillraceException {
    List<Long> refused = new ArrayList<>();
    for (PinnedBlocks.ReturnedPin one : request.returned()) {
      checkEnd(request, one);
      ClientPin held = remove(from, one.pin());
      boolean accepted = held != null && held.pin.release(one.written(), one.end());
      giveBack(held == null ? null : held.cell);
      if (!accepted) {
        refused.add(one.pin());
      }
    }
    return refused;
  }

  /** Releases a kept pin, if the sender still holds it. */
  void release(Peer from, long pin) {
    ClientPin held = remove(from, pin);
    if (held != null) {
      held.pin.release(true, 0);
      giveBack(held.cell);
    }
  }

  private static void checkEnd(NodeRequest.Pin request, PinnedBlocks.ReturnedPin one)
      throws MillraceException {
    if (one.end() < 0 || one.end() > Long.MAX_VALUE - request.blockBytes()) {
      throw new MillraceException(ErrorCode.INVALID, "a strand that ends at " + one.end());
    }
  }

  private @Nullable ClientPin remove(Peer from, long pin) {
    lock.lock();
    try {
      ClientPin found = pins.get(pin);
      return found == null || found.session != from.session() ? null : pins.remove(pin);
    } finally {
      lock.unlock();
    }
  }

  /** Pins blocks, if the cache can. */
  Pinned pin(CachedStrand strand, Peer to, NodeRequest.Pin request, List<Long> refused)
      throws IOException {
    StrandLists.checkBlocks(strand, request.strand(), request.blockBytes());
    Pin pin = strand.pin(blocks(request), request.write());
    long number = nextNumber();
    if (pin == null
        || !pin.isMappable()
        || !tryAdd(number, clientPin(to, request.process(), pin, null))) {
      if (pin != null) {
        pin.release(false, 0);
      }
      return new Pinned(Pinned.NONE, strand.end(), List.of(), refused);
    }
    return new Pinned(number, pin.end(), places(pin), refused);
  }

  private ClientPin clientPin(Peer to, String process, Pin pin, @Nullable KeptCell cell) {
    return new ClientPin(to.session(), process, pin, cell, env.nanoTime());
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
    int count = checkKept(request);
    long number = nextNumber();
    KeptCell cell = open(number, count);
    Pin pin = null;
    boolean kept = false;
    try {
      pin = cell == null ? null : strand.keep(blocks(request), cell);
      if (cell == null || pin == null || !pin.isMappable()) {
        return new Kept(Pinned.NONE, 0, List.of());
      }
      kept = tryAdd(number, clientPin(to, request.process(), pin, cell));
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

  /** Returns how many blocks are to be kept. */
  private static int checkKept(NodeRequest.Keep request) throws MillraceException {
    long from = request.wanted().getFirst().first();
    long next = from;
    int count = 0;
    boolean right = from >= 0 && request.wanted().size() <= KeptCells.MAX_BLOCKS;
    for (PinnedBlocks.WantedBlocks run : request.wanted()) {
      right &=
          run.first() >= next
              && run.first() - from < Integer.MAX_VALUE
              && run.count() > 0
              && run.count() <= KeptCells.MAX_BLOCKS;
      next = run.first() + run.count();
      count += run.count();
    }
    if (!right
        || count > KeptCells.MAX_BLOCKS
        || !KeptCells.fits((next - from) * request.blockBytes())) {
      throw new MillraceException(
          ErrorCode.INVALID, "keeps blocks " + request.wanted() + " of " + request.blockBytes());
    }
    return count;
  }

  private @Nullable KeptCell open(long number, int blocks) {
    lock.lock();
    try {
      return closed ? null : cells.tryOpen(number, blocks);
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

  /** The name by which clients map the cells of kept blocks. */
  NodeReply.SlabAt cells() {
    lock.lock();
    try {
      return cells.place();
    } finally {
      lock.unlock();
    }
  }

  static List<Pin.Blocks> blocks(NodeRequest.Keep request) {
    return request.wanted().stream()
        .map(run -> new Pin.Blocks(run.first(), run.count(), false))
        .toList();
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

  /** False if the node is closing. */
  private boolean tryAdd(long number, ClientPin held) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      pins.put(number, held);
      if (!watched) {
        watched = true;
        env.start(ThreadKind.SERVICE, name + " pins", this::watch);
      } else if (resting) {
        news.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A session has ended: nothing more will come from it. */
  void onSessionEnd(long session) {
    lock.lock();
    try {
      for (ClientPin held : pins.values()) {
        held.abandoned |= held.session == session;
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether no session that has ended can still write into pinned blocks. */
  boolean isSettled() {
    lock.lock();
    try {
      for (ClientPin held : pins.values()) {
        if (held.abandoned && held.pin.isWriting() && !held.revoked) {
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
        // who pins again and again does not wake this thread each time: it is awake now and then
        resting = pins.isEmpty();
        news.await(resting ? Env.NEVER : env.deadlineAfter(limitNanos / LOOKS));
        resting = false;
      } finally {
        lock.unlock();
      }
      look();
    }
  }

  private void look() {
    long now = env.nanoTime();
    Map<String, Boolean> gone = new HashMap<>();
    for (Map.Entry<Long, ClientPin> each : overdue(now).entrySet()) {
      ClientPin held = each.getValue();
      if (gone.computeIfAbsent(held.process, host::isGone)) {
        held.pin.holderGone();
        forget(each.getKey());
      } else if (isLate(held, now)) {
        revoke(each.getKey(), held);
      }
    }
  }

  /** Pins that are old, or whose session has ended. */
  private Map<Long, ClientPin> overdue(long now) {
    Map<Long, ClientPin> found = new LinkedHashMap<>();
    lock.lock();
    try {
      pins.forEach(
          (number, held) -> {
            if (held.abandoned || now - held.sinceNanos >= limitNanos / LOOKS) {
              found.put(number, held);
            }
          });
    } finally {
      lock.unlock();
    }
    return found;
  }

  private boolean isLate(ClientPin held, long now) {
    lock.lock();
    try {
      return !held.revoked && (held.abandoned || now - held.sinceNanos >= limitNanos);
    } finally {
      lock.unlock();
    }
  }

  private void revoke(long number, ClientPin held) {
    try {
      held.pin.expire();
      if (held.pin.isOver()) { // its holder was not writing just now
        forget(number);
        return;
      }
      lock.lock();
      try {
        held.revoked = true;
      } finally {
        lock.unlock();
      }
    } catch (IOException e) {
      // no room, or a disk error: tried again at the next look
    }
  }

  /** Forgets a pin that is over. */
  private void forget(long number) {
    lock.lock();
    try {
      ClientPin held = pins.remove(number);
      giveBack(held == null ? null : held.cell);
    } finally {
      lock.unlock();
    }
  }

  /** Revokes all pins, so that nothing waits for holders; ends the thread. */
  @Override
  public void close() {
    Map<Long, ClientPin> all;
    lock.lock();
    try {
      closed = true;
      all = new LinkedHashMap<>(pins);
      news.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::revoke);
  }

  /** Releases the memory of cells; called after the cache has closed. */
  void end() {
    lock.lock();
    try {
      cells.close();
    } finally {
      lock.unlock();
    }
  }
}
