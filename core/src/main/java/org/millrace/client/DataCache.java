package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.transfer.Strands;

/**
 * A rank's copies of blocks of nodes in other processes, for files that it opened read-only and
 * with {@link OpenOptions#withDataCache}. This is EDONIO's read-only data cache: it evicts the
 * least recently used copy, never exceeds its limit, and drops the copies of a file when the file
 * is closed.
 *
 * <p>A miss fetches whole blocks, neighbouring ones in one request. A copy that the end of the file
 * cut short serves what it has; a reader that wants more asks the node, where the file may have
 * grown.
 *
 * <p>Safe for use by several threads: one lock guards everything and is not held while a node is
 * asked.
 */
final class DataCache {

  /** The most that one request fetches, unless a block is larger. */
  private static final int MAX_BYTES = 1 << 20;

  private record Key(long open, long block) {}

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock; iterates from the least recently used on
  private final LinkedHashMap<Key, byte[]> copies = new LinkedHashMap<>(16, 0.75f, true);
  private long limit;
  private long held;
  private long hits;
  private long misses;

  void setBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a data cache of " + bytes + " bytes");
    }
    lock.lock();
    try {
      limit = bytes;
      shrink(limit);
    } finally {
      lock.unlock();
    }
  }

  DataCacheReport report() {
    lock.lock();
    try {
      return new DataCacheReport(limit, held, hits, misses);
    } finally {
      lock.unlock();
    }
  }

  /** The copies of one open file. */
  OfFile open(long open, Strands strands) {
    return new OfFile(open, strands);
  }

  private void shrink(long max) {
    Iterator<Map.Entry<Key, byte[]>> oldest = copies.entrySet().iterator();
    while (held > max && oldest.hasNext()) {
      held -= oldest.next().getValue().length;
      oldest.remove();
    }
  }

  /** Reads one file through its copies. Safe for use by several threads, as the whole. */
  final class OfFile {

    // constant after construction
    private final long open;
    private final Strands strands;
    private final int blockBytes;

    // guarded by the cache's lock
    private boolean closed;

    private OfFile(long open, Strands strands) {
      this.open = open;
      this.strands = strands;
      this.blockBytes = strands.layout().blockBytes();
    }

    /** As {@link Strands#read}. */
    long read(long offset, MemorySegment into, long at, long length) throws IOException {
      if (!fits(length)) {
        return strands.read(offset, into, at, length);
      }
      long done = 0;
      while (done < length) {
        long from = offset + done;
        long want = Math.min(length - done, blockBytes - from % blockBytes);
        long got = want;
        if (!strands.isElsewhere(from - from % blockBytes)) {
          got = strands.read(from, into, at + done, want);
        } else if (!copy(from, into, at + done, want)) {
          want = Math.min(length - done, Math.max(MAX_BYTES, blockBytes) - from % blockBytes);
          want = untilCopied(from, want);
          got = fetch(from, into, at + done, want);
        }
        done += got;
        if (got < want) {
          break;
        }
      }
      return done;
    }

    /** Whether a read of so many bytes would not push out what it brings in. */
    private boolean fits(long length) {
      lock.lock();
      try {
        return !closed && limit >= blockBytes && length <= limit;
      } finally {
        lock.unlock();
      }
    }

    /** Copies bytes within one block, if there is a copy that has them all. */
    private boolean copy(long from, MemorySegment into, long at, long length) {
      int inBlock = (int) (from % blockBytes);
      lock.lock();
      try {
        byte @Nullable [] copy = copies.get(new Key(open, from / blockBytes));
        if (copy == null || copy.length < inBlock + length) {
          return false;
        }
        hits++;
        MemorySegment.copy(MemorySegment.ofArray(copy), inBlock, into, at, length);
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** How many of these bytes come before the next block that is copied, or is not elsewhere. */
    private long untilCopied(long from, long length) {
      long end = from + length;
      long next = from - from % blockBytes + blockBytes;
      lock.lock();
      try {
        while (next < end
            && strands.isElsewhere(next)
            && !copies.containsKey(new Key(open, next / blockBytes))) {
          next += blockBytes;
        }
      } finally {
        lock.unlock();
      }
      return Math.min(end, next) - from;
    }

    private long fetch(long from, MemorySegment into, long at, long length) throws IOException {
      long first = from / blockBytes;
      int blocks = (int) ((from + length - 1) / blockBytes - first + 1);
      byte[] bytes = new byte[blocks * blockBytes];
      MemorySegment segment = MemorySegment.ofArray(bytes);
      long start = first * blockBytes;
      long max = Math.min(bytes.length, Long.MAX_VALUE - start);
      long got = strands.read(start, segment, 0, max);
      keep(first, segment, got, blocks);
      long inBlock = from % blockBytes;
      long count = Math.clamp(got - inBlock, 0, length);
      MemorySegment.copy(segment, inBlock, into, at, count);
      return count;
    }

    private void keep(long first, MemorySegment segment, long got, int blocks) {
      lock.lock();
      try {
        misses += blocks;
        for (int i = 0; i < blocks && !closed; i++) {
          int length = Math.clamp(got - (long) i * blockBytes, 0, blockBytes);
          if (length == 0 || length > limit) {
            break;
          }
          byte[] copy = new byte[length];
          MemorySegment.copy(
              segment, (long) i * blockBytes, MemorySegment.ofArray(copy), 0, length);
          byte @Nullable [] before = copies.remove(new Key(open, first + i));
          held -= before == null ? 0 : before.length;
          shrink(limit - length);
          copies.put(new Key(open, first + i), copy);
          held += length;
        }
      } finally {
        lock.unlock();
      }
    }

    /** Forgets the file's copies. */
    void close() {
      lock.lock();
      try {
        closed = true;
        copies
            .entrySet()
            .removeIf(
                entry -> {
                  boolean mine = entry.getKey().open == open;
                  held -= mine ? entry.getValue().length : 0;
                  return mine;
                });
      } finally {
        lock.unlock();
      }
    }
  }
}
