package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * The first row of MPI-IO's table of data accesses: each goes to an offset that the caller gives,
 * in etypes of the view. No pointer is used or moved.
 *
 * <p>Belongs to the rank's thread.
 */
abstract sealed class ExplicitOffsets permits IndividualPointer {

  final Handle handle;

  ExplicitOffsets(Handle handle) {
    this.handle = handle;
  }

  /** Reads at an offset, this rank for itself. */
  public final Status readAt(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, offset, buffer, count, type));
  }

  /** As {@link #readAt(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Status readAt(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return readAt(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at an offset of each rank. Collective. */
  public final Status readAtAll(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, offset, buffer, count, type));
  }

  /** As {@link #readAtAll(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Status readAtAll(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return readAtAll(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at an offset, nonblocking. */
  public final Request iReadAt(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, offset, buffer, count, type));
  }

  /** As {@link #iReadAt(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iReadAt(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iReadAt(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at an offset of each rank, nonblocking. Collective. */
  public final Request iReadAtAll(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(false, offset, buffer, count, type));
  }

  /** As {@link #iReadAtAll(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iReadAtAll(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iReadAtAll(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at an offset of each rank: the first half of a split collective call. */
  public final void readAtAllBegin(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readAtAll", call(false, offset, buffer, count, type));
  }

  /** As {@link #readAtAllBegin(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final void readAtAllBegin(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    readAtAllBegin(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status readAtAllEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("readAtAll", buffer);
  }

  /** As {@link #readAtAllEnd(MemorySegment)}, with a byte array. */
  public final Status readAtAllEnd(byte[] buffer) throws MpiFileException {
    return readAtAllEnd(MemorySegment.ofArray(buffer));
  }

  /** Writes at an offset, this rank for itself. */
  public final Status writeAt(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, offset, buffer, count, type));
  }

  /** As {@link #writeAt(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Status writeAt(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return writeAt(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at an offset of each rank. Collective. */
  public final Status writeAtAll(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, offset, buffer, count, type));
  }

  /** As {@link #writeAtAll(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Status writeAtAll(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return writeAtAll(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at an offset, nonblocking. */
  public final Request iWriteAt(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, offset, buffer, count, type));
  }

  /** As {@link #iWriteAt(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iWriteAt(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iWriteAt(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at an offset of each rank, nonblocking. Collective. */
  public final Request iWriteAtAll(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(true, offset, buffer, count, type));
  }

  /** As {@link #iWriteAtAll(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iWriteAtAll(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iWriteAtAll(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at an offset of each rank: the first half of a split collective call. */
  public final void writeAtAllBegin(long offset, MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeAtAll", call(true, offset, buffer, count, type));
  }

  /** As {@link #writeAtAllBegin(long, MemorySegment, long, Datatype)}, with a byte array. */
  public final void writeAtAllBegin(long offset, byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    writeAtAllBegin(offset, MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status writeAtAllEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("writeAtAll", buffer);
  }

  /** As {@link #writeAtAllEnd(MemorySegment)}, with a byte array. */
  public final Status writeAtAllEnd(byte[] buffer) throws MpiFileException {
    return writeAtAllEnd(MemorySegment.ofArray(buffer));
  }

  private static Call call(
      boolean write, long offset, MemorySegment buffer, long count, Datatype type) {
    return new Call(write, Where.OFFSET, offset, buffer, count, type);
  }
}
