package org.millrace.cache;

import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The block cache of one node: all its strands, within one limit of memory. {@link #attach} returns
 * a strand that is accessed through the cache. Only the cache's own disk threads do file I/O;
 * callers wait for them.
 *
 * <p>All methods may be called from any thread. Closing flushes every strand, ends the threads and
 * frees the memory.
 */
public final class BlockCache implements AutoCloseable {

  /*
   * How it works
   *
   * One lock owns everything but the bytes of blocks: the table from (strand, block) to frame, the list of frames by
   * last use, what is known of each frame, the queue of disk jobs, the statistics. Short copies are made under it;
   * longer ones pin the frame (many readers or one writer), let go of the lock and take it again. There is no second
   * lock, and a thread that waits holds no pin, so there is no order of locks to keep. Disk threads never wait for
   * anything but jobs, and a job is queued only when all it needs is there.
   *
   * A frame is free or holds a block. What it holds is said by two ranges of bytes, dirty within valid:
   *
   *             take                load                      write
   *     FREE ----------> EMPTY ------------> FULL, clean ---------------> FULL, dirty
   *       ^              |    ^ failed         |  ^     ^                   |      ^
   *       |         write|    '-- load         |  |     |      WriteRun     |      | write during,
   *       |              v                     |  |     '-------------------'      | or failure of
   *       |           PART, dirty --load,------|--'          copied                | the WriteRun
   *       |            |      ^   WriteRun     |                                   |
   *       |            '------' write that     |              FULL, clean, run ----'
   *       |               touches the range    |
   *       '------------------------------------'  drop: eviction of a clean block, cut, detach
   *
   *   EMPTY  valid is nothing. Made by an access that goes on at once, kept only if a load failed.
   *   PART   valid is a part of the block, written before anybody needed the rest. A read beyond it, a write that does
   *          not touch it, or write-back first brings the rest from the store, under what is valid.
   *   FULL   valid is the whole block.
   *
   * A block from Strand.storedBlocks on was never given to the store: its rest is zeros and needs no load. A block that
   * is written whole needs none either.
   *
   * Other processes of the node's user map the memory, and copy without any lock: see Pins. A frame that they have pinned
   * keeps its place, and is FULL, but for one that its only writer overwrites wholly ("blind"). Nothing else is
   * different: threads of this process read, write and write back such a frame as any other.
   *
   * Beside that a frame may be busy: "load" is set while the store is asked for it, "run" while it waits to be written
   * or is written, "exclusive" and "readers" while threads copy without the lock, "claims" while threads that waited
   * for it have not run yet. A busy frame is not evicted; nor is one with a run, or a dirty one before it is written.
   *
   * Write-back marks the frames clean, copies them without pinning and writes the copy: a write that comes meanwhile
   * makes the block dirty again. The gate of each strand (Strand.loadsHeld, writesHeld) keeps store calls apart that
   * must not run together: flush holds writes, resize and detach hold everything.
   *
   * Invariants, checked by checkInvariants(): each frame in the list is in the table under its block, once; dirty lies
   * within valid; valid bytes beyond the strand's end are zero; a frame is not loaded while pinned for writing; memory
   * taken does not exceed the limit; the counts agree.
   *
   * Least recently used, write-behind and read-ahead with a doubling window follow what Unix buffer caches do (Bach,
   * The Design of the UNIX Operating System, 1986, chapter 3).
   */

  // Constant after construction.
  private final CacheState state;
  private final DiskQueue queue;
  private final Evictor evictor;
  private final CacheParts parts;

  // Guarded by the cache's lock.
  private boolean closed;

  /**
   * Starts a cache and its disk threads; {@code name} is used in names of threads and in messages.
   */
  public BlockCache(Env env, String name, CacheOptions options) {
    this(env, name, options, SlabMemory.own(env), () -> 0);
  }

  /** As {@link #BlockCache(Env, String, CacheOptions)}, in memory from elsewhere. */
  public BlockCache(Env env, String name, CacheOptions options, SlabMemory memory) {
    this(env, name, options, memory, () -> 0);
  }

  /**
   * As {@link #BlockCache(Env, String, CacheOptions, SlabMemory)}.
   *
   * @param clock nanoseconds since 1970, for the times at which strands are modified; read with
   *     every write, so it must not take long
   */
  public BlockCache(
      Env env, String name, CacheOptions options, SlabMemory memory, LongSupplier clock) {
    state = new CacheState(env, name, options, memory, clock);
    queue = new DiskQueue(state);
    WriteBack writeBack = new WriteBack(state, queue);
    evictor = new Evictor(state, writeBack);
    queue.afterEachJob(evictor::growAhead);
    ReadAhead readAhead = new ReadAhead(state, queue, evictor);
    BlockAccess access = new BlockAccess(state, evictor, readAhead);
    Pins pins = new Pins(state, evictor, access, writeBack);
    Resize resize = new Resize(state, queue, writeBack, access);
    parts = new CacheParts(access, readAhead, writeBack, resize, pins);
  }

  /**
   * A strand through this cache, which is the only user of {@code store} until {@link
   * CachedStrand#detach}. The store stays the caller's to close. A store whose blocks are larger
   * than the cache is refused; see {@link #checkHolds}.
   */
  public CachedStrand attach(BlockStore store) {
    state.acquire();
    try {
      checkOpen();
      if (state.stores.contains(store)) {
        throw new IllegalStateException(store.name() + " is attached already");
      }
      if (store.blockBytes() > state.slabs.growLimitBytes()) {
        throw new IllegalArgumentException(
            tooSmall(state.slabs.growLimitBytes(), store.blockBytes()));
      }
      Strand strand = new Strand(state.nextStrandId++, store, state.newSignal());
      state.found(strand);
      state.strands.add(strand);
      state.stores.add(store);
      return new CachedStrand(state, parts, strand);
    } finally {
      state.release();
    }
  }

  /** Throws if the cache is too small for any block of so many bytes. */
  public void checkHolds(int blockBytes) throws MillraceException {
    state.acquire();
    try {
      if (blockBytes > state.slabs.growLimitBytes()) {
        throw new MillraceException(
            ErrorCode.INVALID, tooSmall(state.slabs.growLimitBytes(), blockBytes));
      }
    } finally {
      state.release();
    }
  }

  private static String tooSmall(long bytes, int blockBytes) {
    return "a cache of %s bytes cannot hold a block of %s".formatted(bytes, blockBytes);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("cache " + state.name + " is closed");
    }
  }

  /**
   * Changes the memory for blocks while the cache runs and returns what it is now: {@code bytes}
   * rounded down as {@link CacheOptions} says. It must hold a block of every strand. Shrinking
   * writes back and evicts what was used longest ago and returns after memory has been given back;
   * if that fails, the limit is what the cache still holds.
   */
  public long setBytes(long bytes) throws IOException {
    CacheOptions.checkBytes(bytes);
    state.acquire();
    try {
      checkOpen();
      for (Strand strand : state.strands) {
        if (strand.blockBytes() > bytes) {
          throw new IllegalArgumentException(tooSmall(bytes, strand.blockBytes()));
        }
      }
      evictor.setLimit(CacheOptions.rounded(bytes), state.deadline());
      return state.slabs.limitBytes();
    } finally {
      state.release();
    }
  }

  /**
   * What other processes map a slab by, and how large it is, as the {@linkplain Pin.Place places}
   * of pins name it; null if it is gone or cannot be mapped.
   */
  public @Nullable SlabName slab(int number, int generation) {
    state.acquire();
    try {
      Slabs.Slab found = state.slabs.find(number, generation);
      return found == null || found.name().isEmpty()
          ? null
          : new SlabName(found.name(), found.mappedBytes());
    } finally {
      state.release();
    }
  }

  /**
   * How a slab is found.
   *
   * @param name what other processes map it by
   * @param bytes how large it is
   */
  public record SlabName(String name, long bytes) {}

  /** What the cache holds and did. */
  public CacheReport report() {
    state.acquire();
    try {
      return state.report(queue.stagingBytes());
    } finally {
      state.release();
    }
  }

  /** Throws if the cache's state is inconsistent. For tests. */
  public void checkInvariants() {
    state.acquire();
    try {
      Invariants.check(state);
      parts.pins().checkInvariants();
    } finally {
      state.release();
    }
  }

  /**
   * Detaches every strand after making it durable, stops the threads, frees the memory. If a strand
   * cannot be made durable, the others are, all is closed, and the error is thrown. Idempotent.
   */
  @Override
  public void close() throws IOException {
    state.acquire();
    try {
      if (!closed) {
        closed = true;
        closeAll(state.deadline());
      }
    } finally {
      state.release();
    }
  }

  private void closeAll(long deadlineNanos) throws IOException {
    IOException failure = null;
    for (Strand strand : List.copyOf(state.strands)) {
      try {
        if (strand.open) {
          parts.resize().detach(strand, false, deadlineNanos);
        }
      } catch (IOException e) {
        failure = first(failure, e);
        failure = discard(strand, failure, deadlineNanos);
      }
    }
    state.slabs.withdrawAll(); // also of a strand whose disk does not answer
    boolean stopped = queue.stop(deadlineNanos);
    if (!stopped) {
      failure = first(failure, new DeadlineException(state.name + ": disk threads did not end"));
    } else if (state.lru.size() == 0) {
      state.slabs.close();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private IOException discard(Strand strand, IOException failure, long deadlineNanos) {
    try {
      parts.resize().detach(strand, true, deadlineNanos);
      return failure;
    } catch (IOException e) {
      // The disk does not answer: its threads may still use the frames, so their memory is not
      // freed.
      strand.open = false;
      return first(failure, e);
    }
  }

  private static IOException first(@Nullable IOException first, IOException second) {
    if (first == null) {
      return second;
    }
    first.addSuppressed(second);
    return first;
  }
}
