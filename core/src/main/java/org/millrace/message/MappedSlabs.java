package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.wire.HostMemory;

/**
 * Memory of an endpoint's process that this process maps, by the endpoint's numbers. When a slab is
 * gone its number is reused with another generation.
 *
 * <p>Safe for use by several threads. Memory that is no longer referenced is unmapped eventually.
 */
public final class MappedSlabs {

  private static final VarHandle TOUCHED = ValueLayout.JAVA_BYTE.varHandle();

  /** An endpoint has no more slabs than this at a time. */
  private static final int MAX = 1 << 16;

  /** The kernel maps so much around a page that is read, if it has all of it. */
  private static final long FAULT_AROUND_BYTES = 64 << 10;

  private record Known(int generation, String name, MemorySegment memory) {}

  // constant after construction
  private final HostMemory host;
  private final ReentrantLock lock = new ReentrantLock();

  // written with the lock held, replaced when one is added
  private volatile @Nullable Known[] slabs = new @Nullable Known[0];

  private volatile boolean useless;
  private volatile @Nullable MemorySegment cells;

  /** Nothing is mapped yet. */
  MappedSlabs(HostMemory host) {
    this.host = host;
  }

  /** The name of this process, by which the endpoint finds out whether it still lives. */
  public String process() {
    return host.process();
  }

  /** Accesses to less of a strand than this are better sent. */
  public long minBytes() {
    return host.minBytes();
  }

  /** How much is best pinned at a time. */
  public long windowBytes() {
    return host.windowBytes();
  }

  /** So many small writes must follow each other for it to pay that blocks are kept for them. */
  public int minWrites() {
    return host.minWrites();
  }

  /** The endpoint lends nothing: it is not worth asking again. */
  public void giveUp() {
    useless = true;
  }

  /** Whether it is worth asking. */
  public boolean isUseful() {
    return !useless;
  }

  /** Where the endpoint looks for what was written without a message; null if not mapped. */
  public @Nullable MemorySegment cells() {
    return cells;
  }

  /** Maps that memory. */
  public MemorySegment attachCells(String name, long bytes) throws IOException {
    MemorySegment memory = host.attach(name, bytes);
    cells = memory;
    return memory;
  }

  /**
   * Prepares mapped memory for a thread that will write all of it. A first write to a page makes
   * the kernel map this page alone, a first read those around it, too, and to be written as well:
   * one read in 64 KiB takes the place of 16 faults, which cost more than the copy itself. Memory
   * that was touched before is only looked at.
   */
  public static void touch(MemorySegment memory, long offset, long bytes) {
    for (long at = offset; at < offset + bytes; at += FAULT_AROUND_BYTES) {
      byte _ = (byte) TOUCHED.getOpaque(memory, at); // opaque: it is read although nobody uses it
    }
  }

  /** Whether a slab that is mapped is still the endpoint's, which lives. False if unknown. */
  public boolean isThere(int number, int generation) {
    Known known = known(number, generation);
    return known != null && host.isThere(known.name);
  }

  /** Reads a word of mapped memory: a load that later ones do not overtake. */
  public long word(MemorySegment memory, long at) {
    return host.word(memory, at);
  }

  /** A slab, null if it is not mapped. */
  public @Nullable MemorySegment find(int number, int generation) {
    Known known = known(number, generation);
    return known == null ? null : known.memory;
  }

  private @Nullable Known known(int number, int generation) {
    @Nullable Known[] all = slabs;
    Known known = number >= 0 && number < all.length ? all[number] : null;
    return known == null || known.generation != generation ? null : known;
  }

  /** Maps a slab, which replaces the one that had its number before. */
  public MemorySegment attach(int number, int generation, String name, long bytes)
      throws IOException {
    if (number < 0 || number >= MAX) {
      throw new IOException("slab " + number + " of at most " + MAX);
    }
    MemorySegment memory = host.attach(name, bytes);
    lock.lock();
    try {
      @Nullable Known[] more = Arrays.copyOf(slabs, Math.max(slabs.length, number + 1));
      more[number] = new Known(generation, name, memory);
      slabs = more;
    } finally {
      lock.unlock();
    }
    return memory;
  }
}
