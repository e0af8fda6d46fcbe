package org.millrace.heritage.pious;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.access.View;
import org.millrace.client.FileAccess;
import org.millrace.client.HeldLock;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;
import org.millrace.error.DeadlockException;
import org.millrace.heritage.pious.Interleave.Part;
import org.millrace.heritage.pious.Interleave.Places;

/**
 * A file as one process of a group sees it.
 *
 * <p>Each access holds a lock of the bytes of the segments that it touches, so that it is atomic
 * against all others. In the global view an access and the move of the shared pointer are one step:
 * a lock of the pointer goes around both, so that accesses follow each other in the order in which
 * they get it, and a failed access leaves the pointer. In a transaction locks are held to the end.
 *
 * <p>Each segment has an end of its own. An interleave of segments ends behind the last byte that
 * any of them has; bytes before it that a segment does not have are zeros.
 *
 * <p>Belongs to the rank's thread. Closing makes the file's bytes durable and waits for all ranks
 * in the global view; idempotent.
 */
public final class PiousFile implements AutoCloseable {

  /** How a file was before a transaction touched it: where its pointer stood, and its lock. */
  record Before(long position, Optional<HeldLock> lock) implements AutoCloseable {

    @Override
    public void close() throws IOException {
      if (lock.isPresent()) {
        lock.get().close();
      }
    }
  }

  // constant after construction
  private final Pious pious;
  private final SharedFile file;
  private final PiousView view;
  private final Interleave order;

  // owned by the rank's thread
  private long position; // but in the global view, whose pointer is the group's

  PiousFile(Pious pious, SharedFile file, PiousView view, Interleave order) {
    this.pious = pious;
    this.file = file;
    this.view = view;
    this.order = order;
  }

  /** The view that it was opened in. */
  public PiousView view() {
    return view;
  }

  /** How many segments it has. */
  public int segments() {
    return file.layout().strands();
  }

  /** Where in the plain file, as other interfaces see it, a byte of this view lies. */
  public long plainOffset(long position) {
    checkPosition(position);
    return order.offsetOf(position);
  }

  /** Where the view ends: for a segment, where the segment does. Not synchronizing. */
  public long end() throws IOException {
    return order.end(ends());
  }

  /** Reads at the pointer and moves it; fewer bytes than asked for where the view ends. */
  public long read(MemorySegment into) throws IOException {
    return access(false, into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(int[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(double[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(ByteBuffer into) throws IOException {
    return read(MemorySegment.ofBuffer(into));
  }

  /** Writes at the pointer and moves it. */
  public long write(MemorySegment from) throws IOException {
    return access(true, from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(int[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(double[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(ByteBuffer from) throws IOException {
    return write(MemorySegment.ofBuffer(from));
  }

  private long access(boolean write, MemorySegment memory) throws IOException {
    Transaction transaction = pious.transaction();
    if (transaction != null) {
      return inTransaction(transaction, write, memory);
    }
    while (true) {
      try (Before now = before()) {
        return move(null, write, now.position, memory);
      } catch (DeadlockException e) {
        // The shared pointer is given back now: the transaction that waits for it goes on first.
        if (view != PiousView.GLOBAL) {
          throw e;
        }
      }
    }
  }

  private long inTransaction(Transaction transaction, boolean write, MemorySegment memory)
      throws IOException {
    try {
      pious.touch(this);
      return move(transaction, write, pointer(), memory);
    } catch (IOException e) {
      pious.abortAfter(e);
      throw e;
    }
  }

  private long move(
      @Nullable Transaction transaction, boolean write, long from, MemorySegment memory)
      throws IOException {
    long length = memory.byteSize();
    checkRange(from, length);
    Memory all = Memory.of(memory);
    if (!(write ? all.isFitForWrite() : all.isFitForRead())) {
      throw new IllegalArgumentException(
          "memory that cannot be " + (write ? "written from" : "read into"));
    }
    if (length == 0) {
      return 0;
    }
    long moved = write ? write(transaction, from, memory) : read(transaction, from, memory);
    if (moved > 0) {
      moveTo(from + moved);
    }
    return moved;
  }

  private long write(@Nullable Transaction transaction, long from, MemorySegment memory)
      throws IOException {
    List<Part> parts = order.parts(from, memory.byteSize());
    Target target = target(parts, from, memory);
    if (transaction != null) {
      long written = target.access.in(transaction).write(target.memory);
      pious.wrote(file.path(), parts, segments());
      return written;
    }
    try (var _ = target.lock(file, false)) {
      return target.access.write(target.memory);
    }
  }

  private long read(@Nullable Transaction transaction, long from, MemorySegment memory)
      throws IOException {
    List<Part> parts = order.parts(from, memory.byteSize());
    Target target = target(parts, from, memory);
    if (transaction != null) {
      transaction.lock(file, target.view, target.from, target.from + memory.byteSize());
      return readLocked(transaction, from, parts, memory);
    }
    try (var _ = target.lock(file, true)) {
      return readLocked(null, from, parts, memory);
    }
  }

  /** An access: through which view of the plain file, at which of its positions, which memory. */
  private record Target(FileAccess access, View view, long from, Memory memory) {

    HeldLock lock(SharedFile file, boolean shared) throws IOException {
      return HeldLock.ofAccess(file, view, from, from + memory.length(), shared);
    }
  }

  private Target target(List<Part> parts, long from, MemorySegment memory) {
    if (order.isPlain()) {
      return new Target(file.at(from), View.WHOLE, from, Memory.of(memory));
    }
    Places places = order.places(parts, from);
    View bytes = places.file();
    return new Target(file.through(bytes), bytes, 0, Memory.of(memory, places.memory()));
  }

  /** Reads what segments have; what they do not have before the end of the view is zeros. */
  private long readLocked(
      @Nullable Transaction transaction, long from, List<Part> parts, MemorySegment memory)
      throws IOException {
    List<Part> there = order.isPlain() ? parts : there(parts);
    long count = memory.byteSize();
    if (!there.equals(parts)) {
      count = Math.clamp(end() - from, 0, count);
      memory.asSlice(0, count).fill((byte) 0);
      if (there.isEmpty()) {
        return count;
      }
    }
    Target target = target(there, from, memory);
    long read =
        transaction == null
            ? target.access.read(target.memory)
            : target.access.in(transaction).read(target.memory);
    return order.isPlain() ? read : count; // a plain file ends where its segments do
  }

  /** What segments have of these parts. */
  private List<Part> there(List<Part> parts) throws IOException {
    List<Part> there = new ArrayList<>();
    for (Part part : parts) {
      long end = end(part.segment());
      if (end > part.from()) {
        there.add(new Part(part.segment(), part.from(), Math.min(part.to(), end)));
      }
    }
    return there;
  }

  /** Where a segment ends, counting what this process's transaction has written. */
  private long end(int segment) throws IOException {
    return Math.max(file.strandEnd(segment), pious.written(file.path(), segment));
  }

  private long[] ends() throws IOException {
    long[] ends = new long[segments()];
    for (int segment = 0; segment < ends.length; segment++) {
      ends[segment] = end(segment);
    }
    return ends;
  }

  private static void checkPosition(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("position " + position + " is negative");
    }
  }

  private static void checkRange(long position, long length) {
    checkPosition(position);
    if (length > Long.MAX_VALUE - position) {
      throw new IllegalArgumentException(
          "%s bytes at position %s end beyond 2^63-1".formatted(length, position));
    }
  }

  /** Locks the pointer if it is the group's, and looks where it stands. */
  Before before() throws IOException {
    if (view != PiousView.GLOBAL) {
      return new Before(position, Optional.empty());
    }
    HeldLock lock = file.lockPointer();
    try {
      return new Before(pointer(), Optional.of(lock));
    } catch (IOException e) {
      try (lock) {
        throw e;
      }
    }
  }

  void restore(Before before) throws IOException {
    moveTo(before.position);
  }

  private long pointer() throws IOException {
    return view == PiousView.GLOBAL ? file.position() : position;
  }

  private void moveTo(long newPosition) throws IOException {
    if (view == PiousView.GLOBAL) {
      file.seek(newPosition);
    } else {
      position = newPosition;
    }
  }

  /** Where the pointer stands. In a transaction it then stays there for others. */
  public long position() throws IOException {
    touchInTransaction();
    return pointer();
  }

  /** Moves the pointer: in the global view for all, without waiting for them. */
  public void seek(long newPosition) throws IOException {
    checkPosition(newPosition);
    if (pious.isInTransaction()) {
      touchInTransaction();
      moveTo(newPosition);
      return;
    }
    try (Before _ = before()) {
      moveTo(newPosition);
    }
  }

  private void touchInTransaction() throws IOException {
    if (pious.isInTransaction()) {
      try {
        pious.touch(this);
      } catch (IOException e) {
        pious.abortAfter(e);
        throw e;
      }
    }
  }

  /** Makes all that was written durable. Not synchronizing. */
  public void flush() throws IOException {
    file.flush();
  }

  @Override
  public void close() throws IOException {
    if (pious.hasTouched(this)) {
      throw new IllegalStateException("a transaction of the file has not ended");
    }
    file.close();
  }
}
