package org.millrace.heritage.kotz;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * One subfile of a multifile as the process sees it that has it: a file of records with a begin, a
 * pointer and an end of its own. Reads are short at the subfile's own end; writes beyond it move
 * it, and what was skipped reads as zeros. An end that moves is kept before the call returns.
 *
 * <p>Belongs to the process's thread; closed with its multifile.
 */
public final class Subfile {

  // constant after construction
  private final SharedFile file;
  private final FileType type;
  private final int number;
  private final View view;
  private final Optional<StoredType> kept;

  // the process's thread
  private long end;
  private long pointer;

  /**
   * A subfile.
   *
   * @param kept where its end is kept whenever it moves
   * @param end in bytes
   */
  Subfile(SharedFile file, FileType type, int number, Optional<StoredType> kept, long end) {
    this.file = file;
    this.type = type;
    this.number = number;
    this.view = view(type, number);
    this.kept = kept;
    this.end = end / type.recordBytes();
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
  public long end() {
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
  public long read(MemorySegment into) throws IOException {
    return readPositioned(into).records();
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Reads records; tells also where the file pointer stood before. */
  public Moved readPositioned(MemorySegment into) throws IOException {
    long at = pointer;
    long count = Math.clamp(end - at, 0, records(into));
    if (count > 0) {
      MemorySegment part = into.asSlice(0, count * type.recordBytes());
      count =
          file.through(view).at(at * type.recordBytes()).read(Memory.of(part)) / type.recordBytes();
    }
    pointer = at + count;
    return new Moved(at, count);
  }

  /** Writes records; returns how many. */
  public long write(MemorySegment from) throws IOException {
    return writePositioned(from).records();
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** Writes records; tells also where the file pointer stood before. */
  public Moved writePositioned(MemorySegment from) throws IOException {
    long at = pointer;
    long count = records(from);
    file.through(view).at(Math.multiplyExact(at, type.recordBytes())).write(Memory.of(from));
    if (count > 0 && at + count > end) {
      if (kept.isPresent()) { // a program may end without closing
        kept.get().keepEnd(number, (at + count) * type.recordBytes());
      }
      end = at + count;
    }
    pointer = at + count;
    return new Moved(at, count);
  }

  /** Writes records at the end of this subfile; tells where that was. */
  public Moved append(MemorySegment from) throws IOException {
    pointer = end;
    return writePositioned(from);
  }

  private long records(MemorySegment memory) {
    if (memory.byteSize() % type.recordBytes() != 0) {
      throw new IllegalArgumentException(
          "memory of %d bytes is no number of records of %d bytes"
              .formatted(memory.byteSize(), type.recordBytes()));
    }
    return memory.byteSize() / type.recordBytes();
  }
}
