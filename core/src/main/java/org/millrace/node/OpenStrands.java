package org.millrace.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.cache.BlockCache;
import org.millrace.cache.CachedStrand;
import org.millrace.disk.BlockSize;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskExtent;
import org.millrace.disk.DiskThreads;
import org.millrace.disk.NodeMemory;
import org.millrace.disk.StrandKey;
import org.millrace.disk.StrandLog;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.KeyTable;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;

/**
 * The open strands of a node. A strand is opened on first use; one that the node's {@link
 * StrandLog} does not know is empty, and comes into being with its first durable bytes. One that it
 * does know and whose files are gone is an error and never an empty strand.
 *
 * <p>Safe for use by several threads: finding an open strand takes no lock; a lock makes opening,
 * making and removing one at a time.
 */
final class OpenStrands {

  /**
   * An open strand. {@code used} and {@code evicted} are hints and facts that need no lock: see
   * {@link #evictOne}.
   */
  static final class Open {
    final StrandId id;
    final StrandStore store;
    final CachedStrand strand;
    final @Nullable CopiedStore copied; // what is between the two, if the strand has copies
    private boolean used; // racy on purpose: a lost mark only lets an eviction choose badly
    private volatile boolean evicted;

    private Open(
        StrandId id, StrandStore store, CachedStrand strand, @Nullable CopiedStore copied) {
      this.copied = copied;
      this.id = id;
      this.store = store;
      this.strand = strand;
    }

    /** Whether it was evicted: a thread that found it before must look it up again. */
    boolean isEvicted() {
      return evicted;
    }
  }

  /** Of how many closed strands it is remembered what they were. */
  private static final int MAX_RESTING = 1 << 16;

  // constant after construction
  private final StrandLog log;
  private final BlockCache cache;
  private final NodeOptions options;
  private final DiskThreads threads;
  private final FlushAhead flushes;
  private final KeyTable<Open> open = new KeyTable<>();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final LinkedHashSet<Open> queue = new LinkedHashSet<>();
  private @Nullable CopiedStrands copies;
  private final LinkedHashMap<Long, StrandStatus> resting = new LinkedHashMap<>(); // not small
  private int flushedAhead; // how many more can be evicted before others are flushed
  private final ParkedStrands parked;
  private boolean loaded;
  private boolean closed;

  OpenStrands(
      Env env,
      String name,
      Disk disk,
      BlockCache cache,
      NodeOptions options,
      Consumer<MillraceException> onFailure) {
    this.log = new StrandLog(env, disk, options.smallBytes(), options.verifying(), onFailure);
    this.cache = cache;
    this.options = options;
    this.flushes = new FlushAhead(env);
    this.threads = new DiskThreads(env, name + " strands", 1);
    this.parked = new ParkedStrands(env, lock);
  }

  /** From now on strands with copies are served. */
  void serveCopies(CopiedStrands with) {
    lock.lock();
    try {
      copies = with;
    } finally {
      lock.unlock();
    }
  }

  private CopiedStrands requireCopies(StrandId id) throws MillraceException {
    lock.lock();
    try {
      if (copies == null) {
        throw new MillraceException(
            ErrorCode.NODE, id + " has copies, and this node knows no other nodes");
      }
      return copies;
    } finally {
      lock.unlock();
    }
  }

  Open get(long key) throws IOException {
    Open found = open.get(key);
    if (found == null || found.evicted) {
      return openNow(StrandId.ofKey(key)); // waits for an eviction under way
    }
    if (!found.used) {
      found.used = true;
    }
    return found;
  }

  /**
   * What a strand is, if that is known without opening it; else null.
   *
   * @throws IOException if it is known to be lost
   */
  @Nullable StrandStatus glance(StrandId id) throws IOException {
    Open found = ifOpen(id.key());
    if (found != null) {
      return found.evicted ? null : new StrandStatus(found.strand.end(), found.strand.modified());
    }
    StrandLog.Glance logged = log.glance(id.file(), id.strand());
    if (logged != null) {
      return new StrandStatus(logged.end(), logged.modified());
    }
    lock.lock();
    try {
      return resting.get(id.key());
    } finally {
      lock.unlock();
    }
  }

  /** Remembers what a strand in files was when it was closed. */
  private void rest(Open closing) {
    if (!closing.store.isSmall()) {
      resting.put(
          closing.id.key(), new StrandStatus(closing.strand.end(), closing.strand.modified()));
      if (resting.size() > MAX_RESTING) {
        resting.pollFirstEntry();
      }
    }
  }

  /** Where a strand lies on the disk, which is asked only if the strand was given room since. */
  List<DiskExtent> placements(Open of) throws IOException {
    List<DiskExtent> known = of.store.placements();
    return known != null
        ? known
        : onDisk("asking where " + of.id + " lies", of.store::queryPlacements);
  }

  private Open openNow(StrandId id) throws IOException {
    lock.lock();
    try {
      parked.await(id.key(), options.timeoutNanos());
    } finally {
      lock.unlock();
    }
    // others that are opened do not wait while the coordinator is asked
    CopiedStrands.Claim claim = id.hasCopies() ? requireCopies(id).claim(id) : null;
    try {
      return openNow(id, claim);
    } catch (CannotOpen e) {
      throw claim == null ? e.why : claim.failed(e.why);
    }
  }

  /** A strand of which this disk cannot open what it holds. */
  private static final class CannotOpen extends IOException {
    private static final long serialVersionUID = 1;
    private final IOException why;

    CannotOpen(IOException why) {
      super(why);
      this.why = why;
    }
  }

  private Open openNow(StrandId id, CopiedStrands.@Nullable Claim claim) throws IOException {
    lock.lock();
    try {
      if (parked.has(id.key())) { // since it was claimed
        if (claim == null) {
          parked.await(id.key(), options.timeoutNanos());
        } else {
          claim.giveUp();
          throw new MillraceException(ErrorCode.MOVED, id + " is about to move, try again");
        }
      }
      Open found = open.get(id.key());
      if (found != null && found.copied != null && found.copied.isDeposed()) {
        drop(found);
        throw new MillraceException(ErrorCode.MOVED, id + " was another node's meanwhile");
      }
      return found != null ? found : attach(id, BlockSize.DEFAULT_BYTES, claim);
    } finally {
      lock.unlock();
    }
  }

  private <T> T onDisk(String what, DiskThreads.Work<T> work) throws IOException {
    return threads.call(what, options.timeoutNanos(), work);
  }

  private Open attach(StrandId id, int blockBytes, CopiedStrands.@Nullable Claim claim)
      throws IOException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the node is closed");
    }
    if (claim == null) {
      return attachTo(id, stored(id, blockBytes), null);
    }
    claim.check();
    StrandStore store;
    try {
      store = stored(id, blockBytes);
    } catch (IOException e) {
      throw new CannotOpen(e);
    }
    try {
      return attachTo(id, store, claim.of(store));
    } catch (IOException e) {
      claim.giveUp();
      throw e;
    }
  }

  /** One that the log holds, or does not know, is opened without a disk thread. */
  private StrandStore stored(StrandId id, int blockBytes) throws IOException {
    StrandStore small = log.tryOpen(id.file(), id.strand(), blockBytes);
    return small != null ? small : onDisk("opening " + id, () -> opened(id, blockBytes));
  }

  private Open attachTo(StrandId id, StrandStore store, @Nullable CopiedStore copied)
      throws IOException {
    CachedStrand strand;
    try {
      cache.checkHolds(store.blockBytes());
      if (open.size() >= options.openStrands()) {
        evictOne();
      }
      strand = cache.attach(copied == null ? store : copied);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, id, store);
      throw e;
    }
    Open made = new Open(id, store, strand, copied);
    resting.remove(id.key());
    open.put(id.key(), made);
    queue.add(made);
    return made;
  }

  /**
   * Closes one strand: the first in the order of opening that was not used since the last look (the
   * clock algorithm). An access that has found it already fails with CLOSED, sees that it is
   * evicted, and looks it up again.
   */
  private void evictOne() throws IOException {
    if (flushedAhead-- == 0) {
      flushAhead();
    }
    while (true) {
      Open candidate = queue.removeFirst();
      if (candidate.used) {
        candidate.used = false;
        queue.add(candidate);
        continue;
      }
      try {
        candidate.evicted = true; // before an access can fail because of it
        detach(candidate);
      } catch (IOException e) {
        candidate.evicted = false; // still attached, nothing lost
        queue.add(candidate);
        throw e;
      }
      open.remove(candidate.id.key());
      rest(candidate);
      onDisk("closing " + candidate.id, () -> close(candidate.store));
      onClosed(candidate);
      return;
    }
  }

  /** Those that were opened first are evicted next, more or less: used ones are not. */
  private void flushAhead() {
    List<Open> next = new ArrayList<>();
    for (Open one : queue) {
      if (next.size() == Math.min(FlushAhead.MANY, queue.size() / 2)) {
        break;
      }
      if (!one.used && one.copied == null && one.store.isSmall()) {
        next.add(one);
      }
    }
    flushes.flush(next);
    flushedAhead = Math.max(1, next.size());
  }

  /** Makes a strand durable, at its copies, too, and ends its use. */
  private static void detach(Open one) throws IOException {
    CopiedStore copied = one.copied;
    long mark = copied == null ? 0 : copied.marks().beginClose();
    one.strand.detach(false);
    if (copied != null) {
      try {
        copied.marks().endFlush(mark);
      } catch (IOException e) {
        return; // they have it all, but do not know
      }
    }
  }

  private void onClosed(Open one) {
    if (one.copied != null && copies != null) {
      copies.onClosed(one.copied);
    }
  }

  /** Forgets what was written to a strand that another node serves now. */
  void dropDeposed(StrandId id) throws IOException {
    lock.lock();
    try {
      Open found = open.get(id.key());
      if (found != null && found.copied != null && found.copied.isDeposed()) {
        drop(found);
      }
    } finally {
      lock.unlock();
    }
  }

  /** If it fails nobody is served what is left, and it is tried again. */
  private void drop(Open deposed) throws IOException {
    deposed.evicted = true;
    deposed.strand.detach(true);
    onDisk("closing " + deposed.id, () -> close(deposed.store));
    open.remove(deposed.id.key());
    queue.remove(deposed);
    onClosed(deposed);
  }

  /** All strands that are open and have copies. */
  List<CopiedStore> copied() {
    List<CopiedStore> all = new ArrayList<>();
    open.forEach(
        one -> {
          if (one.copied != null) {
            all.add(one.copied);
          }
        });
    return all;
  }

  /** Opens the files of a copy that another node owns. */
  StrandStore openCopy(StrandId id, int blockBytes) throws IOException {
    return onDisk(
        "opening a copy of " + id,
        () -> opened(id, blockBytes == 0 ? BlockSize.DEFAULT_BYTES : blockBytes));
  }

  /** Removes what there is of a copy that another node owns, and makes it anew. */
  void makeCopy(StrandId id, int blockBytes) throws IOException {
    onDisk(
        "making a copy of " + id,
        () -> {
          load();
          log.remove(id.file(), id.strand());
          log.create(id.file(), id.strand(), blockBytes);
          return true;
        });
  }

  /** Makes it durable that there is a strand, of any owner. */
  void createCopy(StrandId id, int blockBytes) throws IOException {
    onDisk("making " + id, () -> made(id, blockBytes));
  }

  private void closeAfter(Exception failure, StrandId id, StrandStore store) {
    try {
      onDisk("closing " + id, () -> close(store));
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private static boolean close(StrandStore store) throws IOException {
    store.close();
    return true;
  }

  private StrandStore opened(StrandId id, int blockBytes) throws IOException {
    load(); // on the one thread that does this
    return log.open(id.file(), id.strand(), blockBytes);
  }

  private void load() throws IOException {
    if (!loaded) {
      log.load();
      loaded = true;
    }
  }

  /** As {@link StrandLog#onLost}. */
  void onLost(List<StrandId> lost) throws IOException {
    onDisk(
        "remembering what is lost",
        () -> {
          load();
          log.onLost(lost.stream().map(id -> new StrandKey(id.file(), id.strand())).toList());
          return true;
        });
  }

  /** All strands that the disk holds. */
  StrandLog.Content content() throws IOException {
    return onDisk(
        "listing strands",
        () -> {
          load();
          return log.content();
        });
  }

  /** As {@link StrandLog#mend}. */
  boolean mendLog() throws IOException {
    return onDisk("reading the log of strands", log::mend);
  }

  /** As {@link NodeMemory#begin}. */
  long begin(long remembered, List<NodeMemory.Run> coordinator) throws IOException {
    lock.lock();
    try {
      return onDisk(
          "starting",
          () -> {
            load();
            return log.begin(remembered, coordinator);
          });
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes it durable that there is a strand with blocks of this size. One that is there must have
   * blocks of the same size.
   */
  void create(StrandId id, int blockBytes) throws IOException {
    lock.lock();
    try {
      cache.checkHolds(blockBytes);
      Open found = open.get(id.key());
      if (found != null && found.strand.blockBytes() != blockBytes && found.store.isUnknown()) {
        found.evicted = true; // nobody has given it a byte yet
        open.remove(id.key());
        queue.remove(found);
        found.strand.detach(true);
        found = null;
      }
      onDisk("making " + id, () -> made(id, blockBytes));
      StrandLists.checkBlocks(
          (found == null ? attach(id, blockBytes, null) : found).strand, id, blockBytes);
    } finally {
      lock.unlock();
    }
  }

  private boolean made(StrandId id, int blockBytes) throws IOException {
    load();
    log.create(id.file(), id.strand(), blockBytes);
    return true;
  }

  /**
   * Closes a strand, with all that was written to it durable, and keeps it closed: requests for it
   * wait until {@link #unpark}.
   */
  void park(StrandId id) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "the node is closed");
      }
      Open found = open.get(id.key());
      if (found != null) {
        found.evicted = true; // before an access can fail because of it
        try {
          detach(found);
        } catch (IOException e) {
          found.evicted = false; // still attached, nothing lost
          throw e;
        }
        open.remove(id.key());
        queue.remove(found);
        try {
          endMarks(found);
        } catch (IOException | RuntimeException e) {
          closeAfter(e, id, found.store);
          throw e;
        }
        onDisk("closing " + id, () -> close(found.store));
      }
      parked.add(id.key());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the copies of a strand that was detached know that nothing is left of it that they do not
   * have: requests to write that found it before get no further.
   */
  private void endMarks(Open parting) throws IOException {
    CopiedStore copied = parting.copied;
    if (copied == null || copies == null) {
      return;
    }
    copied.depose();
    try {
      long mark = copied.marks().beginClose();
      while (mark == 0 && copied.marks().isUsed()) {
        parked.pause(); // a writer that fails soon
        mark = copied.marks().beginClose();
      }
      copied.marks().endFlush(mark);
      copied.marks().handOver();
    } finally {
      copies.onParked(copied); // all of it is durable here, whether the copies have heard or not
    }
  }

  void unpark(StrandId id) {
    lock.lock();
    try {
      parked.remove(id.key());
    } finally {
      lock.unlock();
    }
  }

  /** Whether a request waits for a parked strand. */
  boolean isWanted(StrandId id) {
    lock.lock();
    try {
      return parked.isWanted(id.key());
    } finally {
      lock.unlock();
    }
  }

  /** Removes a parked strand, which another node has. */
  void removeParked(StrandId id) throws IOException {
    onDisk(
        "removing " + id,
        () -> {
          log.remove(id.file(), id.strand());
          return true;
        });
  }

  void remove(StrandId id) throws IOException {
    lock.lock();
    try {
      parked.await(id.key(), options.timeoutNanos());
      resting.remove(id.key());
      Open found = open.get(id.key());
      if (found != null) {
        open.remove(id.key());
        queue.remove(found);
        found.strand.detach(true);
        onClosed(found);
      }
      onDisk(
          "removing " + id,
          () -> {
            if (found != null) {
              found.store.close(false);
            }
            load();
            log.remove(id.file(), id.strand());
            return true;
          });
    } finally {
      lock.unlock();
    }
  }

  /** The strand with a key if it is open, after an eviction that is under way; else null. */
  @Nullable Open ifOpen(long key) {
    Open found = open.get(key);
    if (found != null && !found.evicted) {
      return found;
    }
    lock.lock();
    try {
      return open.get(key);
    } finally {
      lock.unlock();
    }
  }

  /** The strand with a key if it is open or being closed, without waiting. */
  @Nullable Open peek(long key) {
    return open.get(key);
  }

  /**
   * Whether a strand need not be opened to be flushed: what was written to it was made durable
   * before it was closed. One that is in files is opened all the same, since these may be gone.
   */
  boolean isFlushed(StrandId id) {
    return ifOpen(id.key()) == null && !log.isInFiles(id.file(), id.strand());
  }

  /** The strand with a key if it is open; null if it would have to be opened. */
  @Nullable CachedStrand known(long key) {
    Open found = open.get(key);
    return found == null || found.evicted ? null : found.strand;
  }

  /** Only for strands that are open: a hint is not worth a wait. */
  void hint(long key, long offset, long length) {
    Open found = open.get(key);
    if (found != null) {
      found.strand.hint(offset, length);
    }
  }

  void close() throws IOException {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      List<Open> all = new ArrayList<>();
      open.forEach(all::add);
      IOException failure = null;
      for (Open one : all) {
        failure = closeOne(one, failure);
      }
      failure = closeCopies(failure);
      failure = closeLog(failure);
      threads.close();
      if (failure != null) {
        throw failure;
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable IOException closeCopies(@Nullable IOException failure) {
    if (copies != null) {
      try {
        copies.end();
      } catch (IOException e) {
        return joined(failure, e);
      }
    }
    return failure;
  }

  private @Nullable IOException closeLog(@Nullable IOException failure) {
    if (!loaded) {
      return failure;
    }
    try {
      onDisk(
          "closing the log of strands",
          () -> {
            log.close();
            return true;
          });
      return failure;
    } catch (IOException e) {
      return joined(failure, e);
    }
  }

  private @Nullable IOException closeOne(Open one, @Nullable IOException failure) {
    try {
      detach(one);
    } catch (IOException e) {
      failure = forget(one, joined(failure, e));
    }
    try {
      onDisk("closing " + one.id, () -> close(one.store));
    } catch (IOException e) {
      failure = joined(failure, e);
    }
    return failure;
  }

  /**
   * Else the cache would try again when its turn to close comes, and only say that the file is
   * closed.
   */
  private static IOException forget(Open one, IOException failure) {
    try {
      one.strand.detach(true);
      return failure;
    } catch (IOException e) {
      return joined(failure, e);
    }
  }

  private static IOException joined(@Nullable IOException first, IOException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
