package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.millrace.client.Rank;

/** What tests with ints in files share. Stateless. */
final class Ints {

  static final String NATIVE = "native";
  static final int CREATE = Amode.CREATE | Amode.RDWR;

  private Ints() {}

  /** Memory of {@code count} ints. */
  static MemorySegment of(int count, IntUnaryOperator value) {
    int[] ints = new int[count];
    Arrays.setAll(ints, value);
    return MemorySegment.ofArray(ints);
  }

  static int[] in(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  /** The whole file, read by this rank alone. */
  static byte[] bytes(Rank rank, String name) throws IOException {
    try (File file = File.open(rank.alone(), name, Amode.RDONLY)) {
      byte[] all = new byte[(int) file.getSize()];
      file.readAt(0, all, all.length, Datatype.BYTE);
      return all;
    }
  }

  /** The whole file as ints, read by this rank alone. */
  static int[] file(Rank rank, String name) throws IOException {
    return in(MemorySegment.ofArray(bytes(rank, name)));
  }

  /** The ints in the given slots of each tile of {@code slots}. */
  static Datatype slots(long slots, long... chosen) {
    Datatype some = Datatype.createIndexedBlock(1, chosen, Datatype.INT);
    return Datatype.createResized(some, 0, slots * Integer.BYTES);
  }
}
