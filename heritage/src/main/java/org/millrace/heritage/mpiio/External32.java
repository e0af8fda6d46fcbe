package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.mpiio.Call.Data;

/**
 * Conversion to and from big-endian values. What was read is turned round where it lies in the
 * caller's memory. What is to be written must not be changed there: blocking calls convert it piece
 * by piece through a buffer of fixed size, calls that go on by themselves keep a converted copy.
 *
 * <p>Stateless.
 */
final class External32 {

  /** Bytes of the buffer of a blocking write; at least as long as the longest element. */
  static final int STAGING_BYTES = 1 << 20;

  private External32() {}

  /** Turns the elements round that lie whole in the first {@code bytes} bytes of the data. */
  static void swapInPlace(Data data, long bytes) {
    Signature signature = data.signature();
    Runs runs = data.pattern().runs(0, signature.boundary(bytes));
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long from = runs.position() + i * runs.length();
        signature.swap(
            data.segment(), runs.offset() + i * runs.stride(), from, from + runs.length());
      }
    }
  }

  /** The whole data, converted. */
  static Memory copied(Data data) {
    MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, data.bytes()));
    return Memory.of(packed(data, 0, data.bytes(), copy));
  }

  /** Writes piece by piece, this rank for itself. */
  static void write(SharedFile file, View view, long start, Data data) throws IOException {
    MemorySegment staging = staging(data);
    for (long from = 0; from < data.bytes(); ) {
      long to = next(data, from);
      file.through(view).at(start + from).write(Memory.of(packed(data, from, to, staging)));
      from = to;
    }
  }

  /** Writes piece by piece, all ranks together until the last one has nothing left. */
  static void writeAll(Rank rank, SharedFile file, View view, long start, Data data)
      throws IOException {
    MemorySegment staging = staging(data);
    long from = 0;
    do {
      long to = next(data, from);
      Memory piece = Memory.of(packed(data, from, to, staging));
      file.through(view).at(start + from).all().write(piece);
      from = to;
    } while (rank.allReduceLong(data.bytes() - from, Math::max) > 0);
  }

  private static MemorySegment staging(Data data) {
    return MemorySegment.ofArray(new byte[(int) Math.min(STAGING_BYTES, data.bytes())]);
  }

  private static long next(Data data, long from) {
    long most = Math.min(data.bytes(), from + STAGING_BYTES);
    return data.signature().boundary(most);
  }

  private static MemorySegment packed(Data data, long from, long to, MemorySegment into) {
    Runs runs = data.pattern().runs(from, to);
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long at = runs.position() + i * runs.length() - from;
        long offset = runs.offset() + i * runs.stride();
        MemorySegment.copy(data.segment(), offset, into, at, runs.length());
      }
    }
    if (data.swaps()) {
      data.signature().swap(into, 0, from, to);
    }
    return into.asSlice(0, to - from);
  }
}
