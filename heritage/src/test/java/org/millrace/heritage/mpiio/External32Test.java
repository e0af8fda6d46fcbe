package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** The portable representation: golden bytes, round trips, and long requests. */
final class External32Test {

  private static final String EXTERNAL32 = "external32";

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void everyBasicTypeHasItsGoldenBytes() throws IOException {
    run(
        1,
        rank -> {
          golden(rank, Datatype.BYTE, MemorySegment.ofArray(new byte[] {1, -2}), "01fe");
          golden(rank, Datatype.BOOLEAN, MemorySegment.ofArray(new byte[] {1, 0}), "0100");
          golden(rank, Datatype.CHAR, MemorySegment.ofArray("Aä".toCharArray()), "004100e4");
          golden(rank, Datatype.SHORT, MemorySegment.ofArray(new short[] {1, -256}), "0001ff00");
          golden(
              rank,
              Datatype.INT,
              MemorySegment.ofArray(new int[] {0x01020304, -1}),
              "01020304ffffffff");
          golden(
              rank,
              Datatype.LONG,
              MemorySegment.ofArray(new long[] {0x0102030405060708L}),
              "0102030405060708");
          golden(rank, Datatype.FLOAT, MemorySegment.ofArray(new float[] {1.5f}), "3fc00000");
          golden(
              rank,
              Datatype.FLOAT_COMPLEX,
              MemorySegment.ofArray(new float[] {1.5f, -2}),
              "3fc00000c0000000");
          golden(
              rank,
              Datatype.DOUBLE_COMPLEX,
              MemorySegment.ofArray(new double[] {-2, 1}),
              "c0000000000000003ff0000000000000");
          golden(
              rank, Datatype.DOUBLE, MemorySegment.ofArray(new double[] {-2}), "c000000000000000");
        });
  }

  private static void golden(Rank rank, Datatype type, MemorySegment values, String hex)
      throws IOException {
    String name = "golden" + hex;
    long count = values.byteSize() / type.getSize();
    MemorySegment kept = MemorySegment.ofArray(values.toArray(ValueLayout.JAVA_BYTE));
    try (File file = File.open(rank, name, Ints.CREATE)) {
      file.setView(0, type, type, EXTERNAL32);
      file.write(values, count, type);
      assertThat(values.mismatch(kept)).as("the program's memory").isEqualTo(-1);
      MemorySegment back = MemorySegment.ofArray(new byte[(int) values.byteSize()]);
      assertThat(file.readAt(0, back, count, type).getCount(type)).isEqualTo(count);
      assertThat(back.mismatch(values)).isEqualTo(-1);
    }
    assertThat(Ints.bytes(rank, name)).asHexString().isEqualToIgnoringCase(hex);
  }

  @Test
  void structsAreConvertedElementByElement() throws IOException {
    Datatype record =
        Datatype.createStruct(
            new long[] {1, 2, 1},
            new long[] {8, 0, 16},
            new Datatype[] {Datatype.DOUBLE, Datatype.SHORT, Datatype.BYTE}); // out of order
    run(
        1,
        rank -> {
          MemorySegment memory = MemorySegment.ofArray(new byte[48]);
          memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8, 1.0);
          memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 2);
          memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2, (short) 3);
          memory.set(ValueLayout.JAVA_BYTE, 16, (byte) 4);
          memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 32, -1.0);
          try (File file = File.open(rank, "struct", Ints.CREATE)) {
            file.setView(0, Datatype.BYTE, Datatype.BYTE, EXTERNAL32);
            file.write(memory, 2, record);
            byte[] back = new byte[48];
            file.readAt(0, back, 2, record);
            assertThat(MemorySegment.ofArray(back).mismatch(memory)).isEqualTo(-1);
          }
          assertThat(Ints.bytes(rank, "struct"))
              .asHexString()
              .isEqualToIgnoringCase("3ff00000000000000002000304bff00000000000000000000000");
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void longRequestsAreConvertedElementByElement(boolean together) throws IOException {
    Datatype mixed =
        Datatype.createStruct(
            new long[] {1, 1}, new long[] {0, 8}, new Datatype[] {Datatype.LONG, Datatype.BYTE});
    run(
        2,
        rank -> {
          int r = rank.number();
          int count = r == 0 ? 300_000 : 10; // 2.7 MB, which is no multiple of anything, and little
          byte[] memory = new byte[16 * count];
          new Random(r).nextBytes(memory);
          String name = "long" + together;
          try (File file = File.open(rank, name, Ints.CREATE)) {
            Datatype nine = Datatype.createContiguous(9, Datatype.BYTE);
            file.setView(r * 2_700_000L, nine, nine, EXTERNAL32);
            Status status =
                together ? file.writeAll(memory, count, mixed) : file.write(memory, count, mixed);
            assertThat(status.getCount(mixed)).isEqualTo(count);
            byte[] back = memory.clone();
            for (int i = 0; i < count; i++) {
              Arrays.fill(back, 16 * i, 16 * i + 9, (byte) 0);
            }
            file.iReadAt(0, MemorySegment.ofArray(back), count, mixed).waitStatus();
            assertThat(back).isEqualTo(memory);
          }
          ByteBuffer expected = ByteBuffer.allocate(9 * count); // big-endian, as Java's are
          for (int i = 0; i < count; i++) {
            MemorySegment own = MemorySegment.ofArray(memory);
            expected.putLong(own.get(ValueLayout.JAVA_LONG_UNALIGNED, 16L * i));
            expected.put(memory[16 * i + 8]);
          }
          byte[] all = Ints.bytes(rank, name);
          int from = r * 2_700_000;
          assertThat(Arrays.equals(all, from, from + 9 * count, expected.array(), 0, 9 * count))
              .isTrue();
        });
  }

  @Test
  void anElementThatTheEndCutsIsLeftAsItLies() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "cut", Ints.CREATE)) {
            file.write(new byte[] {0, 0, 0, 1, 7, 8}, 6, Datatype.BYTE);
            file.setView(0, Datatype.INT, Datatype.INT, EXTERNAL32);
            MemorySegment into = Ints.of(2, _ -> 0);
            Status status = file.read(into, 2, Datatype.INT);
            assertThat(status.bytes()).isEqualTo(6);
            assertThat(status.getCount(Datatype.INT)).isEqualTo(Status.UNDEFINED);
            assertThat(into.get(ValueLayout.JAVA_INT_UNALIGNED, 0)).isEqualTo(1);
            assertThat(into.get(ValueLayout.JAVA_BYTE, 4)).isEqualTo((byte) 7);
          }
        });
  }
}
