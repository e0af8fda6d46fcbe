package org.millrace.heritage.mpiio;

import org.jspecify.annotations.Nullable;
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
  public final Status read(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(false, buffer, count, type));
  }

  /** Reads at each rank's own pointer. Collective. */
  public final Status readAll(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(false, buffer, count, type));
  }

  /** Reads at the rank's own pointer, nonblocking; the pointer moves on at once. */
  public final Request iRead(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(false, buffer, count, type));
  }

  /** Reads at each rank's own pointer, nonblocking. Collective. */
  public final Request iReadAll(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(false, buffer, count, type));
  }

  /** Reads at each rank's own pointer: the first half of a split collective call. */
  public final void readAllBegin(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("readAll", call(false, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status readAllEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("readAll", buffer);
  }

  /** Writes at the rank's own pointer. */
  public final Status write(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.run(call(true, buffer, count, type));
  }

  /** Writes at each rank's own pointer. Collective. */
  public final Status writeAll(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.runAll(call(true, buffer, count, type));
  }

  /** Writes at the rank's own pointer, nonblocking; the pointer moves on at once. */
  public final Request iWrite(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.start(call(true, buffer, count, type));
  }

  /** Writes at each rank's own pointer, nonblocking. Collective. */
  public final Request iWriteAll(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    return handle.startAll(call(true, buffer, count, type));
  }

  /** Writes at each rank's own pointer: the first half of a split collective call. */
  public final void writeAllBegin(@Nullable Object buffer, long count, Datatype type)
      throws MpiFileException {
    handle.begin("writeAll", call(true, buffer, count, type));
  }

  /** The second half of it, with the same buffer. */
  public final Status writeAllEnd(@Nullable Object buffer) throws MpiFileException {
    return handle.end("writeAll", buffer);
  }

  private static Call call(boolean write, @Nullable Object buffer, long count, Datatype type) {
    return new Call(write, Where.POINTER, 0, buffer, count, type);
  }
}
