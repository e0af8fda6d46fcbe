package org.millrace.heritage.kotz;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.BufferAccess;
import org.millrace.client.HeldLock;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * One subfile of a multifile as the process sees it that has it: a file of records with a begin, a
 * pointer and an end of its own. Reads are short at the subfile's own end; writes beyond it move
 * it, and what was skipped reads as zeros. An end that moves is kept before the call returns, and
 * all who have the subfile open see where it is then. One process of a group writes a subfile;
 * those of several groups may append to it at the same time.
 *
 * <p>Belongs to the process's thread; closed with its multifile.
 */
public final class Subfile implements BufferAccess {

  // constant after construction
  private final SharedFile file;
  private final FileType type;
  private final int number;
  private final View view;
  private final SubfileEnds ends;

  // the process's thread
  private long pointer;
  private long end; // as it was when this was kept
  private long endKept = -1;

  Subfile(SharedFile file, FileType type, int number, SubfileEnds ends) {
    this.file = file;
    this.type = type;
    this.number = number;
    this.view = view(type, number);
    this.ends = ends;
  }

  /** Where the bytes of a subfile lie: blocks in turn, as if the multifile were interleaved. */
  static View view(FileType type, int number) {
    long block = type.blockBytes();
    return new View(number * block, Pattern.run(block), type.subfiles() * block);
  }

  /** Its number in the multifile. */
  public int number() {
    return number;
  }

  /** Which bytes of the plain file are its. */
  public View view() {
    return view;
  }

  /** Its end-of-file marker: how many records it has. */
  public long end() throws IOException {
    long now = ends.kept(number);
    if (now < 0 || now != endKept) {
      end = ends.end(number);
      endKept = now;
    }
    return end;
  }

  /** Its file pointer. */
  public long position() {
    return pointer;
  }

  /** Moves its file pointer. */
  public void seek(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("file pointer " + position + " is negative");
    }
    pointer = position;
  }

  /** Reads records; returns how many. */
  @Override
  public long read(MemorySegment into) throws IOException {
    return readPositioned(into).records();
  }

  /** Reads records; tells also where the file pointer stood before. */
  public Moved readPositioned(MemorySegment into) throws IOException {
    long at = pointer;
    long wanted = records(into);
    long count = wanted == 0 ? 0 : Math.clamp(end() - at, 0, wanted);
    if (count > 0) {
      MemorySegment part = into.asSlice(0, count * type.recordBytes());
      count =
          file.through(view).at(at * type.recordBytes()).read(Memory.of(part)) / type.recordBytes();
    }
    pointer = at + count;
    return new Moved(at, count);
  }

  /** Writes records; returns how many. */
  @Override
  public long write(MemorySegment from) throws IOException {
    return writePositioned(from).records();
  }

  /** Writes records; tells also where the file pointer stood before. */
  public Moved writePositioned(MemorySegment from) throws IOException {
    long at = pointer;
    Moved moved = put(at, from);
    if (moved.records() > 0 && at + moved.records() > end()) {
      alone(() -> keepEnd(at + moved.records()));
    }
    return moved;
  }

  /**
   * Writes records at the end of this subfile; tells where that was. Processes that append at the
   * same time, of whatever groups, follow each other.
   */
  public Moved append(MemorySegment from) throws IOException {
    Moved[] moved = new Moved[1];
    alone(
        () -> {
          long last = end();
          moved[0] = put(last, from);
          keepEnd(last + moved[0].records());
        });
    return moved[0];
  }

  private interface Step {
    void run() throws IOException;
  }

  /** Does something while nobody else moves the end. */
  private void alone(Step step) throws IOException {
    Optional<HeldLock> lock = ends.lock(number);
    try {
      step.run();
    } finally {
      if (lock.isPresent()) {
        lock.get().close();
      }
    }
  }

  /** As {@link #append(MemorySegment)}. */
  public Moved append(byte[] from) throws IOException {
    return append(MemorySegment.ofArray(from));
  }

  /** As {@link #append(MemorySegment)}. */
  public Moved append(int[] from) throws IOException {
    return append(MemorySegment.ofArray(from));
  }

  /** As {@link #append(MemorySegment)}. */
  public Moved append(double[] from) throws IOException {
    return append(MemorySegment.ofArray(from));
  }

  /** As {@link #append(MemorySegment)}. */
  public Moved append(ByteBuffer from) throws IOException {
    return append(MemorySegment.ofBuffer(from));
  }

  private Moved put(long at, MemorySegment from) throws IOException {
    long count = records(from);
    file.through(view).at(Math.multiplyExact(at, type.recordBytes())).write(Memory.of(from));
    pointer = at + count;
    return new Moved(at, count);
  }

  /** An end only moves on, in whatever order the ranks come. */
  private void keepEnd(long now) throws IOException {
    if (now > end()) {
      ends.moved(number, now);
      end = now;
      endKept = now * type.recordBytes();
    }
  }

  private long records(MemorySegment memory) {
    if (memory.byteSize() % type.recordBytes() != 0) {
      throw new IllegalArgumentException(
          "memory of %s bytes is no number of records of %s bytes"
              .formatted(memory.byteSize(), type.recordBytes()));
    }
    return memory.byteSize() / type.recordBytes();
  }
}
