package org.millrace.heritage.mpiio;

import org.jspecify.annotations.Nullable;
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
  public final Status readShared(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, buffer, count, type));
  }

  /** Reads at the group's pointer, nonblocking; the place is taken at once. */
  public final Request iReadShared(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, buffer, count, type));
  }

  /** Reads at the group's pointer in order of rank. Collective. */
  public final Status readOrdered(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, buffer, count, type));
  }

  /** Reads at the group's pointer in order of rank: the first half of a split collective call. */
  public final void readOrderedBegin(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readOrdered", call(false, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status readOrderedEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("readOrdered", buffer);
  }

  /** Writes at the group's pointer, first come, first served. */
  public final Status writeShared(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, buffer, count, type));
  }

  /** Writes at the group's pointer, nonblocking; the place is taken at once. */
  public final Request iWriteShared(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, buffer, count, type));
  }

  /** Writes at the group's pointer in order of rank. Collective. */
  public final Status writeOrdered(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, buffer, count, type));
  }

  /** Writes at the group's pointer in order of rank: the first half of a split collective call. */
  public final void writeOrderedBegin(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeOrdered", call(true, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status writeOrderedEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("writeOrdered", buffer);
  }

  private static Call call(boolean write, @Nullable Object buffer, long count, Datatype type) {
    return new Call(write, Where.SHARED, 0, buffer, count, type);
  }
}
