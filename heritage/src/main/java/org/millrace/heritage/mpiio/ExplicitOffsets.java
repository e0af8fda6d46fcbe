package org.millrace.heritage.mpiio;

import org.jspecify.annotations.Nullable;
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
  public final Status readAt(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, offset, buffer, count, type));
  }

  /** Reads at an offset of each rank. Collective. */
  public final Status readAtAll(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, offset, buffer, count, type));
  }

  /** Reads at an offset, nonblocking. */
  public final Request iReadAt(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, offset, buffer, count, type));
  }

  /** Reads at an offset of each rank, nonblocking. Collective. */
  public final Request iReadAtAll(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(false, offset, buffer, count, type));
  }

  /** Reads at an offset of each rank: the first half of a split collective call. */
  public final void readAtAllBegin(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readAtAll", call(false, offset, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status readAtAllEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("readAtAll", buffer);
  }

  /** Writes at an offset, this rank for itself. */
  public final Status writeAt(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, offset, buffer, count, type));
  }

  /** Writes at an offset of each rank. Collective. */
  public final Status writeAtAll(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, offset, buffer, count, type));
  }

  /** Writes at an offset, nonblocking. */
  public final Request iWriteAt(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, offset, buffer, count, type));
  }

  /** Writes at an offset of each rank, nonblocking. Collective. */
  public final Request iWriteAtAll(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(true, offset, buffer, count, type));
  }

  /** Writes at an offset of each rank: the first half of a split collective call. */
  public final void writeAtAllBegin(long offset, @Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeAtAll", call(true, offset, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status writeAtAllEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("writeAtAll", buffer);
  }

  private static Call call(
      boolean write, long offset, @Nullable Object buffer, long count, Datatype type) {
    return new Call(write, Where.OFFSET, offset, buffer, count, type);
  }
}
