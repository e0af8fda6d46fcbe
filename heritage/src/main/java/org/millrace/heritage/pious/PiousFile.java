package org.millrace.heritage.pious;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.client.DataAccess;
import org.millrace.client.HeldLock;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;

/**
 * A file as one process of a group sees it.
 *
 * <p>In the global view an access and the move of the shared pointer are one atomic step: a lock of
 * the group goes around both, so that accesses follow each other in the order in which they get it,
 * and a failed access leaves the pointer. In a transaction that lock is held to the end.
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
  private final Rank rank;
  private final SharedFile file;
  private final PiousView view;

  // owned by the rank's thread
  private long position; // but in the global view, whose pointer is the group's

  PiousFile(Pious pious, Rank rank, SharedFile file, PiousView view) {
    this.pious = pious;
    this.rank = rank;
    this.file = file;
    this.view = view;
  }

  /** The view that it was opened in. */
  public PiousView view() {
    return view;
  }

  /** How many segments it has. */
  public int segments() {
    return file.layout().strands();
  }

  /** Which bytes of the plain file it shows, in which order. */
  public org.millrace.access.View bytes() {
    return file.view();
  }

  /** Reads at the pointer and moves it; fewer bytes than asked for at the end of the file. */
  public long read(MemorySegment into) throws IOException {
    return access(false, into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Writes at the pointer and moves it. */
  public long write(MemorySegment from) throws IOException {
    return access(true, from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  private long access(boolean write, MemorySegment memory) throws IOException {
    Transaction transaction = pious.transaction();
    if (transaction != null) {
      return inTransaction(transaction, write, memory);
    }
    try (Before now = before()) {
      return move(null, write, now.position, memory);
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
    DataAccess access = transaction == null ? file.at(from) : file.at(from).in(transaction);
    long moved = write ? access.write(memory) : access.read(memory);
    if (moved > 0) {
      moveTo(from + moved);
    }
    return moved;
  }

  /** Locks the pointer if it is the group's, and looks where it stands. */
  Before before() throws IOException {
    if (view != PiousView.GLOBAL) {
      return new Before(position, Optional.empty());
    }
    HeldLock lock = rank.lock("PIOUS pointer of " + file.path());
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

  /** Where the pointer stands. */
  public long position() throws IOException {
    return pointer();
  }

  /** Moves the pointer: in the global view for all, without waiting for them. */
  public void seek(long newPosition) throws IOException {
    if (newPosition < 0) {
      throw new IllegalArgumentException("position " + newPosition + " is negative");
    }
    if (pious.isInTransaction()) {
      try {
        pious.touch(this);
      } catch (IOException e) {
        pious.abortAfter(e);
        throw e;
      }
      moveTo(newPosition);
      return;
    }
    try (Before _ = before()) {
      moveTo(newPosition);
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
