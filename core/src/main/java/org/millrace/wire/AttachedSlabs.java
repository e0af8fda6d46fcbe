package org.millrace.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The slabs of another process's {@link Pool}, as that process announces them: number by number,
 * from 0 on. Its input is checked: a place outside all slabs is an error.
 *
 * <p>Safe for use by several threads. Closing forgets the slabs; pieces that are in use stay
 * usable.
 */
public final class AttachedSlabs implements AutoCloseable {

  /** A pool that doubles has no more than this, whatever its limit. */
  private static final int MAX_SLABS = 256;

  // Constant after construction.
  private final SharedFolder folder;
  private final ReentrantLock lock = new ReentrantLock();

  // Written with the lock held, read without.
  private volatile SharedMemory[] slabs = {};

  @GuardedBy("lock")
  private boolean closed;

  /** No slabs yet. */
  public AttachedSlabs(SharedFolder folder) {
    this.folder = folder;
  }

  /**
   * Maps the next slab.
   *
   * @throws IOException if it is not the next one, or cannot be mapped
   */
  public void attach(int number, Path path, long bytes) throws IOException {
    lock.lock();
    try {
      if (closed || number != slabs.length || number >= MAX_SLABS) {
        throw new MillraceException(
            ErrorCode.PROTOCOL,
            "slab " + number + " follows " + slabs.length + " slabs of at most " + MAX_SLABS);
      }
      SharedMemory[] all = Arrays.copyOf(slabs, number + 1);
      all[number] = folder.attach(path, bytes);
      slabs = all;
    } finally {
      lock.unlock();
    }
  }

  /** How many slabs there are. */
  public int count() {
    return slabs.length;
  }

  /**
   * The memory at a place, as {@link Pool#locate} has named it.
   *
   * @throws MillraceException if it does not lie in a slab
   */
  public MemorySegment piece(long place, long bytes) throws MillraceException {
    SharedMemory[] all = slabs;
    int number = Pool.slab(place);
    long offset = Pool.offset(place);
    @Nullable SharedMemory slab = number >= 0 && number < all.length ? all[number] : null;
    if (slab == null || bytes < 0 || bytes > slab.bytes() - offset) {
      throw new MillraceException(
          ErrorCode.PROTOCOL,
          bytes + " bytes at " + offset + " of slab " + number + " of " + all.length);
    }
    return slab.segment().asSlice(offset, bytes);
  }

  @Override
  public void close() throws IOException {
    SharedMemory[] all;
    lock.lock();
    try {
      closed = true;
      all = slabs;
      slabs = new SharedMemory[0];
    } finally {
      lock.unlock();
    }
    for (SharedMemory slab : all) {
      slab.close();
    }
  }
}
