package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * The third row of MPI-IO's table of data accesses: each goes to the pointer that all ranks share.
 * All ranks must have the same view. The begin of a split ordered call waits until all ranks have
 * come, since only then its place is known; the bytes move afterwards.
 *
 * <p>Belongs to the rank's thread.
 */
abstract sealed class SharedPointer extends IndividualPointer permits File {

  SharedPointer(Handle handle) {
    super(handle);
  }

  /** Reads at the group's pointer, first come, first served. */
  public final Status readShared(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, buffer, count, type));
  }

  /** As {@link #readShared(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status readShared(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return readShared(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at the group's pointer, nonblocking; the place is taken at once. */
  public final Request iReadShared(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, buffer, count, type));
  }

  /** As {@link #iReadShared(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iReadShared(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iReadShared(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at the group's pointer in order of rank. Collective. */
  public final Status readOrdered(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, buffer, count, type));
  }

  /** As {@link #readOrdered(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status readOrdered(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return readOrdered(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at the group's pointer in order of rank: the first half of a split collective call. */
  public final void readOrderedBegin(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readOrdered", call(false, buffer, count, type));
  }

  /** As {@link #readOrderedBegin(MemorySegment, long, Datatype)}, with a byte array. */
  public final void readOrderedBegin(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    readOrderedBegin(MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status readOrderedEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("readOrdered", buffer);
  }

  /** As {@link #readOrderedEnd(MemorySegment)}, with a byte array. */
  public final Status readOrderedEnd(byte[] buffer) throws MpiFileException {
    return readOrderedEnd(MemorySegment.ofArray(buffer));
  }

  /** Writes at the group's pointer, first come, first served. */
  public final Status writeShared(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, buffer, count, type));
  }

  /** As {@link #writeShared(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status writeShared(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return writeShared(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at the group's pointer, nonblocking; the place is taken at once. */
  public final Request iWriteShared(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, buffer, count, type));
  }

  /** As {@link #iWriteShared(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iWriteShared(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return iWriteShared(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at the group's pointer in order of rank. Collective. */
  public final Status writeOrdered(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, buffer, count, type));
  }

  /** As {@link #writeOrdered(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status writeOrdered(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    return writeOrdered(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at the group's pointer in order of rank: the first half of a split collective call. */
  public final void writeOrderedBegin(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeOrdered", call(true, buffer, count, type));
  }

  /** As {@link #writeOrderedBegin(MemorySegment, long, Datatype)}, with a byte array. */
  public final void writeOrderedBegin(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    writeOrderedBegin(MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status writeOrderedEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("writeOrdered", buffer);
  }

  /** As {@link #writeOrderedEnd(MemorySegment)}, with a byte array. */
  public final Status writeOrderedEnd(byte[] buffer) throws MpiFileException {
    return writeOrderedEnd(MemorySegment.ofArray(buffer));
  }

  private static Call call(boolean write, MemorySegment buffer, long count, Datatype type) {
    return new Call(write, Where.SHARED, 0, buffer, count, type);
  }
}
