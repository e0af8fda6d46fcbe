package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.millrace.access.Runs;
import org.millrace.client.Memory;
import org.millrace.heritage.mpiio.Call.Data;

/**
 * Big-endian IEEE. All basic types here have the same size in it as in memory. What was read is
 * turned round where it lies in the caller's memory; what is written must not be changed there, and
 * is copied.
 */
record External32() implements Datarep {

  @Override
  public String name() {
    return "external32";
  }

  private static boolean swaps(Data data) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN && !data.signature().isBytes();
  }

  @Override
  public Memory outgoing(Data data) {
    if (!swaps(data)) {
      return data.memory();
    }
    Staging staging = Staging.of(data.signature());
    for (Staging.Part part : staging.parts()) {
      pack(data, part.from(), part.to(), part.segment());
      data.signature().swap(part.segment(), 0, part.from(), part.to());
    }
    return staging.memory();
  }

  private static void pack(Data data, long from, long to, MemorySegment into) {
    Runs runs = data.pattern().runs(from, to);
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long at = runs.position() + i * runs.length() - from;
        long offset = runs.offset() + i * runs.stride();
        MemorySegment.copy(data.segment(), offset, into, at, runs.length());
      }
    }
  }

  @Override
  public Incoming incoming(Data data) {
    return swaps(data) ? new Swapped(data) : new InPlace(data.memory());
  }

  /** A read that is turned round in the program's memory. */
  private record Swapped(Data data) implements Incoming {

    @Override
    public Memory memory() {
      return data.memory();
    }

    /** An element that the end of the file cuts stays as it lies. */
    @Override
    public long arrived(long fileBytes) {
      Signature signature = data.signature();
      Runs runs = data.pattern().runs(0, signature.boundary(fileBytes));
      while (runs.next()) {
        for (long i = 0; i < runs.count(); i++) {
          long from = runs.position() + i * runs.length();
          signature.swap(
              data.segment(), runs.offset() + i * runs.stride(), from, from + runs.length());
        }
      }
      return fileBytes;
    }
  }
}
