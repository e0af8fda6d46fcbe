package org.millrace.heritage.kotz;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.Agreement;
import org.millrace.client.BufferAccess;
import org.millrace.client.HeldLock;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A plain file that all processes have open, each with a file pointer of its own or all with one.
 * Pointers, places and lengths are numbers of logical records, the smallest unit that is moved; a
 * record cut by the end of the file does not count. Reads are short where a record that the mapping
 * names lies beyond the end, and the pointer moves by what was read.
 *
 * <p>A call with the global pointer is one step, transfer and pointer together: they are done under
 * a lock, first come, first served. A transfer that fails leaves the pointer where it was.
 *
 * <p>Belongs to the process's thread. Closing makes what was written durable, and waits for all
 * processes if they share a pointer; it is idempotent.
 */
public final class KotzFile implements BufferAccess, AutoCloseable {

  // constant after construction
  private final Rank rank;
  private final SharedFile file;
  private final FileType type;
  private final boolean global;
  private final RecordMover mover;

  // the process's thread
  private Mapping mapping;
  private long pointer;

  KotzFile(Rank rank, SharedFile file, FileType type, boolean global, Mapping mapping) {
    this.rank = rank;
    this.file = file;
    this.type = type;
    this.global = global;
    this.mapping = mapping;
    this.mover = new RecordMover(rank, file, type.recordBytes());
  }

  /** What it was opened as. */
  public FileType type() {
    return type;
  }

  /** Bytes of a record. */
  public int recordBytes() {
    return type.recordBytes();
  }

  /** How many whole records it has. */
  public long records() throws IOException {
    return mover.records();
  }

  /** The mapping function of this process's pointer. */
  public Mapping mapping() {
    return mapping;
  }

  /**
   * Changes the mapping function; the pointer stays what it is. With a global pointer collective:
   * there is one function, and all processes must give the same.
   */
  public void mapping(Mapping newMapping) throws IOException {
    if (global) {
      rank.agree(
              Agreement.on("mapping", file.path(), newMapping == null ? "" : newMapping.word())
                  .giving("mapping", newMapping))
          .orThrow();
      Kotz.checkGlobal(newMapping);
    }
    check(newMapping);
    mapping = newMapping;
  }

  /** Refuses what cannot be. */
  void checkMapping() {
    check(mapping);
  }

  private void check(Mapping one) {
    if (!(one instanceof Mapping.Own)) {
      mover.view(one);
    }
  }

  /** The file pointer. */
  public long position() throws IOException {
    return global ? file.sharedPosition() : pointer;
  }

  /**
   * Moves the file pointer, the global one for all processes at once; that waits for a call of
   * another process that is under way.
   */
  public void seek(long position) throws IOException {
    if (position < 0) {
      throw new IllegalArgumentException("file pointer " + position + " is negative");
    }
    if (global) {
      try (var _ = pointerLock()) { // not while another's call is under way
        file.seek(position);
      }
    } else {
      pointer = position;
    }
  }

  /** Reads records; returns how many. */
  @Override
  public long read(MemorySegment into) throws IOException {
    return readPositioned(into).records();
  }

  /** Writes records; returns how many. */
  @Override
  public long write(MemorySegment from) throws IOException {
    return writePositioned(from).records();
  }

  /** Reads records; tells also where the file pointer stood before. */
  public Moved readPositioned(MemorySegment into) throws IOException {
    return move(false, into);
  }

  /** Writes records; tells also where the file pointer stood before. */
  public Moved writePositioned(MemorySegment from) throws IOException {
    return move(true, from);
  }

  private Moved move(boolean write, MemorySegment memory) throws IOException {
    if (!global) {
      long at = pointer;
      long moved = mover.move(write, mapping, at, memory);
      pointer = at + moved;
      return new Moved(at, moved);
    }
    try (var _ = pointerLock()) {
      long at = file.sharedPosition();
      long moved = mover.move(write, mapping, at, memory);
      if (moved > 0) {
        file.seek(at + moved);
      }
      return new Moved(at, moved);
    }
  }

  private HeldLock pointerLock() throws IOException {
    return rank.lock("pointer of " + file.path());
  }

  /** Accesses of all processes together, with buffers of any kind; counts are records. */
  public BufferAccess together() {
    return BufferAccess.of(this::readTogether, this::writeTogether);
  }

  /** Reads at each process's own pointer, all processes together; returns how many records. */
  public long readTogether(MemorySegment into) throws IOException {
    return together(false, into);
  }

  /** Writes at each process's own pointer, all processes together; returns how many records. */
  public long writeTogether(MemorySegment from) throws IOException {
    return together(true, from);
  }

  private long together(boolean write, MemorySegment memory) throws IOException {
    if (global) {
      throw new IllegalStateException("processes that share a pointer cannot move together");
    }
    long moved = mover.moveTogether(write, mapping, pointer, memory);
    pointer += moved;
    return moved;
  }

  /** Returns after all that was written is durable. Waits for nobody. */
  public void flush() throws IOException {
    file.flush();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
