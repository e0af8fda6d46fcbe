package org.millrace.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Memory for payloads that other processes of this user can reach. It is allocated on demand in
 * slabs, each as large as all before it together, so that there are few to announce. It never
 * exceeds its limit and never fills the file system. When it is exhausted, callers send their
 * payloads another way.
 *
 * <p>A place in a pool is one number that names slab and offset: see {@link #locate}, {@link
 * #slab}, {@link #offset}. The other side finds it with {@link AttachedSlabs}.
 *
 * <p>Safe for use by several threads. Closing removes the files; pieces that are still taken stay
 * readable and writable.
 */
public final class Pool implements AutoCloseable {

  /** What {@link #locate} says of memory that is not in the pool. */
  public static final long NOWHERE = -1;

  private static final long FIRST_BYTES = 8L << 20;
  private static final long MAX_SLAB_BYTES = 1L << 30;
  private static final int SLAB_SHIFT = 32;
  private static final long OFFSET_MASK = (1L << SLAB_SHIFT) - 1;

  // Constant after construction.
  private final SharedFolder folder;
  private final long firstBytes;
  private final ReentrantLock lock = new ReentrantLock();

  // Written with the lock held, read without.
  /** By number; replaced when one is added. */
  private volatile List<Slab> slabs = List.of();

  /** The same by address. */
  private volatile Slab[] byAddress = {};

  @GuardedBy("lock")
  private long limitBytes;

  @GuardedBy("lock")
  private long totalBytes;

  @GuardedBy("lock")
  private boolean growing;

  @GuardedBy("lock")
  private boolean closed;

  /** A pool of at most {@code limitBytes} bytes. */
  public Pool(SharedFolder folder, long limitBytes) {
    this(folder, limitBytes, FIRST_BYTES);
  }

  Pool(SharedFolder folder, long limitBytes, long firstBytes) {
    if (limitBytes < 0) {
      throw new IllegalArgumentException("a pool of " + limitBytes + " bytes");
    }
    this.folder = folder;
    this.limitBytes = limitBytes - limitBytes % Slab.PAGE_BYTES;
    this.firstBytes = firstBytes;
  }

  /** The largest piece that could be had if all were given back. */
  public long maxBytes() {
    lock.lock();
    try {
      long max = closed ? 0 : Math.min(limitBytes - totalBytes, MAX_SLAB_BYTES);
      for (Slab slab : closed ? List.<Slab>of() : slabs) {
        max = Math.max(max, slab.bytes());
      }
      return max;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A piece of exactly so many bytes, of any content, or null if there is no room now. It must be
   * given back.
   */
  public @Nullable MemorySegment tryTake(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("take " + bytes + " bytes");
    }
    if (bytes > MAX_SLAB_BYTES) {
      return null;
    }
    int pages = pages(bytes);
    long newBytes;
    lock.lock();
    try {
      MemorySegment piece = takeFrom(slabs, pages, bytes);
      newBytes = piece == null ? nextSlabBytes((long) pages * Slab.PAGE_BYTES) : 0;
      if (newBytes == 0) {
        return piece;
      }
      growing = true;
    } finally {
      lock.unlock();
    }
    return grow(newBytes, pages, bytes);
  }

  /** Gives back what {@link #tryTake} gave. */
  public void give(MemorySegment segment) {
    long place = locate(segment);
    lock.lock();
    try {
      if (place == NOWHERE
          || !slabs.get(slab(place)).give(offset(place), pages(segment.byteSize()))) {
        throw new IllegalArgumentException("was not taken: " + segment);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The place of a segment that lies wholly in the pool, {@link #NOWHERE} for all others. */
  public long locate(MemorySegment segment) {
    if (!segment.isNative()) {
      return NOWHERE;
    }
    long address = segment.address();
    Slab[] all = byAddress;
    int low = 0;
    int high = all.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Slab slab = all[middle];
      long offset = address - slab.address();
      if (offset < 0) {
        high = middle - 1;
      } else if (offset >= slab.bytes()) {
        low = middle + 1;
      } else {
        return offset + segment.byteSize() <= slab.bytes()
            ? (long) slab.number() << SLAB_SHIFT | offset
            : NOWHERE;
      }
    }
    return NOWHERE;
  }

  /** The number of the slab of a place. */
  public static int slab(long place) {
    return (int) (place >>> SLAB_SHIFT);
  }

  /** The offset of a place in its slab. */
  public static long offset(long place) {
    return place & OFFSET_MASK;
  }

  /** How many slabs there are. They are numbered from 0 on. */
  public int slabs() {
    return slabs.size();
  }

  /** The file of a slab, for others to attach. */
  public Path path(int slab) {
    return slabs.get(slab).memory().path();
  }

  /** How large a slab is. */
  public long bytes(int slab) {
    return slabs.get(slab).bytes();
  }

  /** How much of the system's memory the pool holds. */
  public long totalBytes() {
    lock.lock();
    try {
      return totalBytes;
    } finally {
      lock.unlock();
    }
  }

  /** How much of it is taken, in whole pages. */
  public long takenBytes() {
    lock.lock();
    try {
      return slabs.stream().mapToLong(Slab::takenPages).sum() * Slab.PAGE_BYTES;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    MillraceException failure = null;
    for (Slab slab : slabs) {
      try {
        slab.memory().close();
      } catch (IOException e) {
        if (failure == null) {
          failure = MillraceException.wrap(ErrorCode.DISK, e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @GuardedBy("lock")
  private @Nullable MemorySegment takeFrom(List<Slab> from, int pages, long bytes) {
    for (Slab slab : closed ? List.<Slab>of() : from) {
      int page = slab.tryTake(pages);
      if (page >= 0) {
        return slab.piece(page, bytes);
      }
    }
    return null;
  }

  /** How large the next slab shall be that has room for so many bytes; 0 if there can be none. */
  @GuardedBy("lock")
  private long nextSlabBytes(long min) {
    long max = Math.min(limitBytes - totalBytes, MAX_SLAB_BYTES);
    return closed || growing || min > max
        ? 0
        : Math.clamp(Math.max(firstBytes, totalBytes), min, max);
  }

  /** Adds a slab. Not under the lock: it takes milliseconds, in which others can give and take. */
  private @Nullable MemorySegment grow(long newBytes, int pages, long bytes) {
    try {
      if (newBytes <= folder.usableBytes() / 2) {
        return add(folder.create(newBytes), pages, bytes);
      }
      stopGrowing(false);
      return null;
    } catch (IOException e) {
      // No memory to share is no error: payloads go through sockets. Ask again only if it was not
      // the system that had none.
      stopGrowing(e.getCause() instanceof ClosedByInterruptException);
      return null;
    }
  }

  private void stopGrowing(boolean again) {
    lock.lock();
    try {
      growing = false;
      limitBytes = again ? limitBytes : totalBytes;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable MemorySegment add(SharedMemory memory, int pages, long bytes)
      throws IOException {
    lock.lock();
    try {
      growing = false;
      if (!closed) {
        return addSlab(memory, pages, bytes);
      }
    } finally {
      lock.unlock();
    }
    memory.close(); // the pool was closed meanwhile
    return null;
  }

  @GuardedBy("lock")
  private @Nullable MemorySegment addSlab(SharedMemory memory, int pages, long bytes) {
    Slab slab = new Slab(slabs.size(), memory);
    Slab[] all = Arrays.copyOf(byAddress, byAddress.length + 1);
    all[all.length - 1] = slab;
    Arrays.sort(all, Comparator.comparingLong(Slab::address));
    List<Slab> more = new ArrayList<>(slabs);
    more.add(slab);
    byAddress = all;
    slabs = List.copyOf(more);
    totalBytes += memory.bytes();
    return takeFrom(List.of(slab), pages, bytes);
  }

  private static int pages(long bytes) {
    return (int) Math.max(1, (bytes + Slab.PAGE_BYTES - 1) / Slab.PAGE_BYTES);
  }
}
