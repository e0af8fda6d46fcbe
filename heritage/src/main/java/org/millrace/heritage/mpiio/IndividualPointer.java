package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * The second row of MPI-IO's table of data accesses: each goes to the rank's own pointer, which
 * moves on by what was asked for.
 *
 * <p>Belongs to the rank's thread.
 */
abstract sealed class IndividualPointer extends ExplicitOffsets permits SharedPointer {

  IndividualPointer(Handle handle) {
    super(handle);
  }

  /** Reads at the rank's own pointer. */
  public final Status read(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, buffer, count, type));
  }

  /** As {@link #read(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status read(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return read(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at each rank's own pointer. Collective. */
  public final Status readAll(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, buffer, count, type));
  }

  /** As {@link #readAll(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status readAll(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return readAll(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at the rank's own pointer, nonblocking; the pointer moves on at once. */
  public final Request iRead(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, buffer, count, type));
  }

  /** As {@link #iRead(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iRead(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return iRead(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at each rank's own pointer, nonblocking. Collective. */
  public final Request iReadAll(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(false, buffer, count, type));
  }

  /** As {@link #iReadAll(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iReadAll(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return iReadAll(MemorySegment.ofArray(buffer), count, type);
  }

  /** Reads at each rank's own pointer: the first half of a split collective call. */
  public final void readAllBegin(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readAll", call(false, buffer, count, type));
  }

  /** As {@link #readAllBegin(MemorySegment, long, Datatype)}, with a byte array. */
  public final void readAllBegin(byte[] buffer, long count, Datatype type) throws MpiFileException {
    readAllBegin(MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status readAllEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("readAll", buffer);
  }

  /** As {@link #readAllEnd(MemorySegment)}, with a byte array. */
  public final Status readAllEnd(byte[] buffer) throws MpiFileException {
    return readAllEnd(MemorySegment.ofArray(buffer));
  }

  /** Writes at the rank's own pointer. */
  public final Status write(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, buffer, count, type));
  }

  /** As {@link #write(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status write(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return write(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at each rank's own pointer. Collective. */
  public final Status writeAll(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, buffer, count, type));
  }

  /** As {@link #writeAll(MemorySegment, long, Datatype)}, with a byte array. */
  public final Status writeAll(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return writeAll(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at the rank's own pointer, nonblocking; the pointer moves on at once. */
  public final Request iWrite(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, buffer, count, type));
  }

  /** As {@link #iWrite(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iWrite(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return iWrite(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at each rank's own pointer, nonblocking. Collective. */
  public final Request iWriteAll(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(true, buffer, count, type));
  }

  /** As {@link #iWriteAll(MemorySegment, long, Datatype)}, with a byte array. */
  public final Request iWriteAll(byte[] buffer, long count, Datatype type) throws MpiFileException {
    return iWriteAll(MemorySegment.ofArray(buffer), count, type);
  }

  /** Writes at each rank's own pointer: the first half of a split collective call. */
  public final void writeAllBegin(MemorySegment buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeAll", call(true, buffer, count, type));
  }

  /** As {@link #writeAllBegin(MemorySegment, long, Datatype)}, with a byte array. */
  public final void writeAllBegin(byte[] buffer, long count, Datatype type)
      throws MpiFileException {
    writeAllBegin(MemorySegment.ofArray(buffer), count, type);
  }

  /** The second half of it, with the same buffer. */
  public final Status writeAllEnd(MemorySegment buffer) throws MpiFileException {
    return handle.end("writeAll", buffer);
  }

  /** As {@link #writeAllEnd(MemorySegment)}, with a byte array. */
  public final Status writeAllEnd(byte[] buffer) throws MpiFileException {
    return writeAllEnd(MemorySegment.ofArray(buffer));
  }

  private static Call call(boolean write, MemorySegment buffer, long count, Datatype type) {
    return new Call(write, Where.POINTER, 0, buffer, count, type);
  }
}
