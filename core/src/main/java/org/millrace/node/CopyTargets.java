package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockStore;
import org.millrace.disk.StrandStore;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * The copies on a node of strands that other nodes own. It carries out what their owners send, in
 * stores that no cache is above, and refuses an owner of an epoch that is over.
 *
 * <p>A copy is <em>clean</em> if it holds all that its owner had taken when it was last heard of:
 * the owner says before its first write after a flush that it will write, and the flush says that
 * nothing is left. A node that starts knows of no copy whether it is clean.
 *
 * <p>Safe for use by several threads: a lock for each copy, and one for the table.
 */
final class CopyTargets {

  /** Copies that are kept open. */
  private static final int MAX_OPEN = 512;

  /** Copies of no more bytes are read as a whole to compare them. */
  private static final long MAX_SUM_BYTES = 4 << 20;

  private static final long TOO_LONG = -1;

  /** Disks that are written past the page cache want it. */
  static final int ALIGNMENT = 4096;

  /** Opens stores, and asks which epoch a strand has. */
  interface Source {
    StrandStore open(StrandId id, int blockBytes) throws IOException;

    long epoch(StrandId id) throws IOException;
  }

  /**
   * What is known of a copy.
   *
   * @param clean whether it holds all that its owner had taken
   * @param epoch the last one that was heard of
   */
  record Known(boolean clean, long epoch) {}

  private static final class Target {
    final ReentrantLock lock = new ReentrantLock();

    // guarded by lock
    long epoch = -1;
    long mark;
    long cleanMark;
    boolean known;
    long toldEpoch; // of the last owner that began to write
    int blockBytes;
    @Nullable StrandStore store;

    boolean isClean() {
      return known && mark <= cleanMark;
    }
  }

  // constant after construction
  private final Source source;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<StrandId, Target> targets = new LinkedHashMap<>(16, 0.75f, true);

  CopyTargets(Source source) {
    this.source = source;
  }

  /**
   * Carries out what an owner sends.
   *
   * @param bytes that are written, or memory for those that are read
   */
  NodeReply serve(NodeRequest.OfCopy request, MemorySegment bytes) throws IOException {
    Target target = target(request.strand());
    target.lock.lock();
    try {
      checkEpoch(target, request);
      return serve(target, request, bytes);
    } finally {
      target.lock.unlock();
    }
  }

  private void checkEpoch(Target target, NodeRequest.OfCopy request) throws IOException {
    if (target.epoch < 0) { // this node has started since: an owner may have been replaced
      target.epoch = source.epoch(request.strand());
    }
    if (request.epoch() < target.epoch) {
      throw new MillraceException(
          ErrorCode.MOVED,
          "%s has epoch %d now, its owner of epoch %d writes no more"
              .formatted(request.strand(), target.epoch, request.epoch()));
    }
    target.epoch = request.epoch();
  }

  private NodeReply serve(Target target, NodeRequest.OfCopy request, MemorySegment bytes)
      throws IOException {
    switch (request) {
      case NodeRequest.CopyBegin r -> {
        target.blockBytes = r.blockBytes();
        StrandStore store = store(target, r.strand());
        NodeReply before =
            new NodeReply.CopyState(target.isClean(), target.toldEpoch, store.end(), sum(store));
        if (!target.known) {
          target.cleanMark = 0;
          target.known = true;
        }
        target.mark = r.mark();
        target.toldEpoch = r.epoch();
        return before;
      }
      case NodeRequest.CopyWrite r -> store(target, r.strand()).write(r.firstBlock(), bytes);
      case NodeRequest.CopyResize r -> store(target, r.strand()).resize(r.end());
      case NodeRequest.CopyFlush r -> {
        store(target, r.strand()).flush(r.end());
        target.cleanMark = r.mark();
      }
      case NodeRequest.CopyRead r -> read(store(target, r.strand()), r.firstBlock(), bytes);
      case NodeRequest.CopySum r -> {
        StrandStore store = store(target, r.strand());
        return new NodeReply.CopySums(store.end(), BlockSums.of(store, r.firstBlock(), r.count()));
      }
      case NodeRequest.CopyEnd _ -> closeStore(target); // what is known of it stays
    }
    return new NodeReply.Done();
  }

  /** Reads whole blocks. */
  static void read(BlockStore store, long firstBlock, MemorySegment into) throws IOException {
    List<MemorySegment> blocks = new ArrayList<>();
    for (long at = 0; at < into.byteSize(); at += store.blockBytes()) {
      blocks.add(into.asSlice(at, store.blockBytes()));
    }
    store.read(firstBlock, blocks);
  }

  /** The checksum of a short strand. */
  static long sum(BlockStore store) throws IOException {
    long end = store.end();
    if (end > MAX_SUM_BYTES) {
      return TOO_LONG;
    }
    CRC32C sum = new CRC32C();
    if (end > 0) {
      try (Arena arena = Arena.ofConfined()) {
        long blocks = Math.ceilDiv(end, store.blockBytes());
        MemorySegment bytes = arena.allocate(blocks * store.blockBytes(), ALIGNMENT);
        read(store, 0, bytes);
        sum.update(bytes.asSlice(0, end).asByteBuffer());
      }
    }
    return sum.getValue();
  }

  private StrandStore store(Target target, StrandId id) throws IOException {
    StrandStore open = target.store;
    if (open == null) {
      open = source.open(id, target.blockBytes);
      target.store = open;
    }
    return open;
  }

  private Target target(StrandId id) throws IOException {
    Target found;
    Target eldest = null;
    lock.lock();
    try {
      found = targets.computeIfAbsent(id, _ -> new Target());
      if (targets.size() > MAX_OPEN) {
        var first = targets.entrySet().iterator().next();
        eldest = first.getValue();
      }
    } finally {
      lock.unlock();
    }
    if (eldest != null && eldest != found && eldest.lock.tryLock()) {
      try {
        closeStore(eldest); // what is known of it stays
      } finally {
        eldest.lock.unlock();
      }
    }
    return found;
  }

  private static void closeStore(Target target) throws IOException {
    try (StrandStore open = target.store) {
      target.store = null;
      if (open != null) {
        open.flush(open.end());
      }
    }
  }

  /**
   * This node owns the strand from now on, under this epoch: lets go of its files, and of all
   * owners before. Returns what is known of the copy.
   */
  Known release(StrandId id, long epoch) throws IOException {
    Target target = target(id);
    target.lock.lock();
    try {
      Known known = new Known(target.isClean(), target.toldEpoch);
      closeStore(target);
      target.epoch = Math.max(epoch, target.epoch);
      target.known = false;
      return known;
    } finally {
      target.lock.unlock();
    }
  }

  /** The strand is to be removed. */
  void forget(StrandId id) throws IOException {
    Target target;
    lock.lock();
    try {
      target = targets.remove(id);
    } finally {
      lock.unlock();
    }
    if (target != null) {
      target.lock.lock();
      try (StrandStore open = target.store) {
        target.store = null;
        if (open != null) {
          open.close(false);
        }
      } finally {
        target.lock.unlock();
      }
    }
  }

  /** Makes everything durable and closes the files. */
  void close() throws IOException {
    List<Target> all;
    lock.lock();
    try {
      all = List.copyOf(targets.values());
      targets.clear();
    } finally {
      lock.unlock();
    }
    IOException failure = null;
    for (Target target : all) {
      target.lock.lock();
      try {
        closeStore(target);
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
