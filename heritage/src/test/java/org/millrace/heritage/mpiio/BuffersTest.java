package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** What may be a buffer: arrays of numbers, buffers of java.nio, segments. */
final class BuffersTest {

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  private static int[] ints(int value) {
    return new int[] {value, value + 1};
  }

  @Test
  void everyCallTakesArraysAndBuffers() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "forms", Ints.CREATE)) {
            for (AccessCall call : AccessCall.ALL) {
              ByteBuffer direct = ByteBuffer.allocateDirect(12).order(ByteOrder.nativeOrder());
              direct.position(4).limit(12); // only this part is moved
              List<Object> forms =
                  List.of(
                      new int[2],
                      new double[1],
                      new long[1],
                      new float[2],
                      new short[4],
                      new char[4],
                      new byte[8],
                      direct,
                      IntBuffer.allocate(2),
                      MemorySegment.ofArray(new byte[8]));
              for (Object form : forms) {
                file.setSize(64);
                file.seek(0, Whence.SEEK_SET);
                file.seekShared(0, Whence.SEEK_SET);
                Status status = call.made().by(file, 0, form, 8, Datatype.BYTE);
                assertThat(status.bytes()).as("%s %s", call, form).isEqualTo(8);
              }
              assertThat(direct.position()).isEqualTo(4);
              rank.barrier();
            }
          }
        });
  }

  @Test
  void bytesOfEachFormAreTheProgramsOwn() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "bytes", Ints.CREATE)) {
            file.write(new double[] {1.5}, 1, Datatype.DOUBLE);
            file.write(new int[] {258, -1}, 2, Datatype.INT);
            double[] one = new double[1];
            file.readAt(0, one, 1, Datatype.DOUBLE);
            assertThat(one).containsExactly(1.5);
            ByteBuffer buffer = ByteBuffer.allocate(20).order(ByteOrder.nativeOrder());
            buffer.position(8);
            file.readAt(8, buffer, 8, Datatype.BYTE);
            assertThat(buffer.position()).isEqualTo(8);
            assertThat(buffer.getInt()).isEqualTo(258);
            assertThat(buffer.getInt()).isEqualTo(-1);
            assertThat(buffer.getInt()).isZero();
          }
        });
  }

  @Test
  void whatIsNoBufferFailsOnAllRanksThatWait() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "none", Ints.CREATE)) {
            for (Object wrong : new Object[] {"text", 7, new Object[1], new int[1][1]}) {
              Object onOne = r == 1 ? wrong : new byte[1];
              assertFails(ErrorClass.BUFFER, () -> file.writeAll(onOne, 1, Datatype.BYTE));
              assertFails(ErrorClass.BUFFER, () -> file.writeOrdered(onOne, 1, Datatype.BYTE));
              assertFails(ErrorClass.BUFFER, () -> file.read(wrong, 1, Datatype.BYTE));
            }
            assertFails(
                ErrorClass.BUFFER,
                () -> file.writeAll(r == 1 ? null : new byte[1], 1, Datatype.BYTE));
            assertFails(
                ErrorClass.TYPE,
                () -> file.writeAll(new byte[1], 1, r == 1 ? nothing() : Datatype.BYTE));
            file.writeAll(
                r == 1 ? null : new byte[1], r == 1 ? 0 : 1, Datatype.BYTE); // none needed
            ByteBuffer locked = ByteBuffer.allocate(1).asReadOnlyBuffer();
            assertFails(
                ErrorClass.BUFFER,
                () -> file.readAll(r == 1 ? locked : new byte[1], 1, Datatype.BYTE));
            assertThat(file.getSize()).isEqualTo(1);
          }
        });
  }

  @SuppressWarnings("NullAway") // what a careless program gives
  private static Datatype nothing() {
    return null;
  }

  @Test
  void aSplitCallEndsWithTheSameBufferInWhateverForm() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "split", Ints.CREATE)) {
            int[] values = ints(3);
            file.writeAllBegin(values, 2, Datatype.INT);
            assertFails(ErrorClass.BUFFER, () -> file.writeAllEnd(ints(3)));
            assertThat(file.writeAllEnd(MemorySegment.ofArray(values)).bytes()).isEqualTo(8);
          }
        });
  }
}
