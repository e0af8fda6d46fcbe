package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.disk.BlockStore;
import org.millrace.disk.StrandStore;
import org.millrace.error.CorruptBlockException;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * The copies on a node of strands that other nodes own. It carries out what their owners send, in
 * stores that no cache is above, and refuses an owner of an epoch that is over.
 *
 * <p>While this node owns a strand itself, or opens it to do so, nothing of it is served here.
 *
 * <p>Safe for use by several threads: a lock for each copy, and one for the table, which is taken
 * last.
 */
final class CopyTargets {

  /** Copies that are kept open. */
  private static final int MAX_OPEN = 512;

  /** Copies of which something is known. One that is forgotten is not clean. */
  private static final int MAX_KNOWN = 1 << 16;

  private static final long NOT_ASKED = -1;

  /** Disks that are written past the page cache want it. */
  static final int ALIGNMENT = 4096;

  /** Opens and makes stores, and asks which epoch a strand has. */
  interface Source {
    StrandStore open(StrandId id, int blockBytes) throws IOException;

    /** Removes what there is of a strand, and makes it anew. */
    void make(StrandId id, int blockBytes) throws IOException;

    long epoch(StrandId id) throws IOException;

    /** What time it is, in nanoseconds since 1970: copies are modified then. */
    long now();
  }

  // constant after construction
  private final Source source;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<StrandId, CopyTarget> targets = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<StrandId, CopyTarget> opened = new LinkedHashMap<>(16, 0.75f, true);

  CopyTargets(Source source) {
    this.source = source;
  }

  /**
   * Carries out what an owner sends.
   *
   * @param bytes that are written, or memory for those that are read
   */
  NodeReply serve(NodeRequest.OfCopy request, MemorySegment bytes) throws IOException {
    long asked = -1;
    while (true) {
      CopyTarget target = hold(request.strand());
      try {
        target.learn(asked);
        if (target.isEpochKnown()) {
          target.checkEpoch(request);
          return serve(target, request, bytes);
        }
      } finally {
        target.lock.unlock();
      }
      // this node has started since: the owner that asks may have been replaced
      asked = source.epoch(request.strand());
    }
  }

  private NodeReply serve(CopyTarget target, NodeRequest.OfCopy request, MemorySegment bytes)
      throws IOException {
    switch (request) {
      case NodeRequest.CopyBegin r -> {
        target.blockBytes = r.blockBytes();
        StrandStore store = store(target);
        if (store.blockBytes() != r.blockBytes()) {
          throw new CorruptBlockException(
              "the copy of %s has blocks of %s bytes, its owner's have %s"
                  .formatted(r.strand(), store.blockBytes(), r.blockBytes()));
        }
        long sum = r.mark() == 0 ? store.digest() : NOT_ASKED;
        NodeReply before =
            new NodeReply.CopyState(target.isClean(), target.since, target.mark, store.end(), sum);
        if (r.mark() > 0) {
          target.begin(r.mark(), r.since());
        }
        return before;
      }
      case NodeRequest.CopyMake r -> {
        closeStore(target, false);
        target.clear();
        target.blockBytes = r.blockBytes();
        source.make(r.strand(), r.blockBytes());
      }
      case NodeRequest.CopyWrite r -> {
        target.checkBegun();
        StrandStore store = store(target);
        store.write(r.firstBlock(), bytes);
        modified(store);
      }
      case NodeRequest.CopyResize r -> {
        target.checkBegun();
        StrandStore store = store(target);
        store.resize(r.end());
        modified(store);
      }
      case NodeRequest.CopyFlush r -> {
        if (r.mark() >= 0) {
          target.checkBegun();
        }
        StrandStore store = store(target);
        if (r.end() > store.end()) {
          modified(store);
        }
        store.flush(r.end());
        target.cleanMark = Math.max(target.cleanMark, r.mark());
      }
      case NodeRequest.CopyRead r -> read(store(target), r.firstBlock(), bytes);
      case NodeRequest.CopySum r -> {
        StrandStore store = store(target);
        return new NodeReply.CopySums(store.end(), BlockSums.of(store, r.firstBlock(), r.count()));
      }
      case NodeRequest.CopyMend r -> store(target).mend(r.block(), bytes);
      case NodeRequest.CopyEnd _ -> closeStore(target, true); // what is known of it stays
    }
    return new NodeReply.Done();
  }

  /** The owner's time of the write is not known here; this one is a little later. */
  private void modified(StrandStore store) {
    store.modified(Math.max(source.now(), store.modified() + 1));
  }

  /** Reads whole blocks. */
  static void read(BlockStore store, long firstBlock, MemorySegment into) throws IOException {
    store.read(firstBlock, blocks(into, store.blockBytes()));
  }

  /** The blocks of memory for several. */
  static List<MemorySegment> blocks(MemorySegment into, int blockBytes) {
    List<MemorySegment> blocks = new ArrayList<>();
    for (long at = 0; at < into.byteSize(); at += blockBytes) {
      blocks.add(into.asSlice(at, blockBytes));
    }
    return blocks;
  }

  // ---- what is open, and what is known

  private StrandStore store(CopyTarget target) throws IOException {
    target.checkNotOwned();
    StrandStore open = target.store;
    if (open == null) {
      open = source.open(target.id, target.blockBytes);
      target.store = open;
    }
    closeOthers(target);
    return open;
  }

  /**
   * Notes that a copy is open, and closes the one that was not used for longest if too many are.
   */
  private void closeOthers(CopyTarget target) throws IOException {
    CopyTarget eldest = null;
    lock.lock();
    try {
      opened.put(target.id, target);
      if (opened.size() > MAX_OPEN) {
        eldest = opened.values().iterator().next();
      }
    } finally {
      lock.unlock();
    }
    if (eldest != null && eldest != target && eldest.lock.tryLock()) {
      try {
        closeStore(eldest, true); // what is known of it stays
      } finally {
        eldest.lock.unlock();
      }
    }
  }

  private void closeStore(CopyTarget target, boolean lasting) throws IOException {
    lock.lock();
    try {
      opened.remove(target.id);
    } finally {
      lock.unlock();
    }
    target.closeStore(lasting);
  }

  /** The copy with its lock held. */
  @SuppressWarnings("LockNotBeforeTry") // the caller releases what it gets
  private CopyTarget hold(StrandId id) {
    while (true) {
      CopyTarget found;
      CopyTarget eldest = null;
      lock.lock();
      try {
        found = targets.computeIfAbsent(id, CopyTarget::new);
        if (targets.size() > MAX_KNOWN) {
          eldest = targets.values().iterator().next();
        }
      } finally {
        lock.unlock();
      }
      if (eldest != null && eldest != found) {
        forgetIfClean(eldest);
      }
      found.lock.lock();
      if (!found.isGone()) {
        return found;
      }
      found.lock.unlock();
    }
  }

  /** Others are looked at again when they have been used, or their owner has flushed. */
  private void forgetIfClean(CopyTarget eldest) {
    if (!eldest.lock.tryLock()) {
      return;
    }
    try {
      boolean forgets = eldest.isForgettable();
      lock.lock();
      try {
        targets.remove(eldest.id, eldest);
        if (!forgets) {
          targets.put(eldest.id, eldest); // at the end of the queue
        }
      } finally {
        lock.unlock();
      }
      if (forgets) {
        eldest.onGone();
      }
    } finally {
      eldest.lock.unlock();
    }
  }

  // ---- strands that this node owns

  /**
   * This node owns the strand from now on, under this epoch: lets go of its files, and of all
   * owners before. Returns what is known of it, the same to all who ask before it is open.
   */
  CopyTarget.Known claim(StrandId id, long epoch) throws IOException {
    CopyTarget target = hold(id);
    try {
      closeStore(target, true);
      return target.claim(epoch);
    } finally {
      target.lock.unlock();
    }
  }

  /** Whether what was claimed under an epoch may be opened still. */
  boolean isClaimed(StrandId id, long epoch) {
    CopyTarget target = hold(id);
    try {
      return target.isClaimed(epoch);
    } finally {
      target.lock.unlock();
    }
  }

  /** The strand that was claimed could not be opened. */
  void unclaim(StrandId id) {
    CopyTarget target = hold(id);
    try {
      target.unclaim();
    } finally {
      target.lock.unlock();
    }
  }

  /**
   * This node has closed a strand that it owned.
   *
   * @param epoch of its set when it was closed in order; 0 if another owns it now
   * @param since the epoch since which it vouched
   */
  void disown(StrandId id, long epoch, long since) {
    CopyTarget target = hold(id);
    try {
      target.disown(epoch, since);
    } finally {
      target.lock.unlock();
    }
  }

  /** The strand is to be removed. */
  void forget(StrandId id) throws IOException {
    CopyTarget target = hold(id);
    try {
      lock.lock();
      try {
        targets.remove(id, target);
      } finally {
        lock.unlock();
      }
      target.onGone();
      closeStore(target, false);
    } finally {
      target.lock.unlock();
    }
  }

  /** Makes everything durable and closes the files. */
  void close() throws IOException {
    List<CopyTarget> all;
    lock.lock();
    try {
      all = List.copyOf(targets.values());
      targets.clear();
    } finally {
      lock.unlock();
    }
    IOException failure = null;
    for (CopyTarget target : all) {
      target.lock.lock();
      try {
        target.onGone();
        closeStore(target, true);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      } finally {
        target.lock.unlock();
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
