package org.millrace.heritage.dio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Programs;

/** The paper's rules of components, ends, registration and requests. */
final class DioRulesTest {

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static void write(Dio dio, DioHandle handle, long offset, int proc, byte[] bytes)
      throws IOException {
    dio.dio_write(handle, offset, MemorySegment.ofArray(bytes), bytes.length, proc);
  }

  private static byte[] read(Dio dio, DioHandle handle, long offset, int proc, int length)
      throws IOException {
    byte[] bytes = filled(length, 0x55);
    dio.dio_read(handle, offset, MemorySegment.ofArray(bytes), length, proc);
    return bytes;
  }

  private static long[] sizes(Dio dio, DioHandle handle) throws IOException {
    long[] sizes = new long[handle.components()];
    for (int proc = 0; proc < sizes.length; proc++) {
      sizes[proc] = dio.dio_size(handle, proc);
    }
    return sizes;
  }

  private static void fails(ErrorCode code, Act act) {
    assertThatThrownBy(act::run)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private interface Act {
    void run() throws IOException;
  }

  @ParameterizedTest
  @EnumSource(DioMode.class)
  void everyComponentHasASizeOfItsOwn(DioMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        4,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("sizes", 10, mode);
          assertThat(sizes(dio, handle)).containsOnly(0);
          rank.barrier();
          if (rank.number() == 1) {
            write(dio, handle, 0, 2, filled(25, 1));
            write(dio, handle, 100, 0, filled(1, 2));
            assertThat(sizes(dio, handle)).containsExactly(101, 0, 25, 0);
            read(dio, handle, 0, 2, 10);
            assertThat(sizes(dio, handle)).containsExactly(101, 0, 25, 0);
          }
          rank.barrier();
          assertThat(sizes(dio, handle)).as("all ranks see them").containsExactly(101, 0, 25, 0);
          dio.dio_deregister(handle);
        });
  }

  @Test
  void theStandardModeRefusesReadsBeyondTheEnd() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("standard", 10);
          assertThat(handle.mode()).isEqualTo(DioMode.STANDARD);
          if (rank.number() == 0) {
            write(dio, handle, 0, 0, filled(15, 7));
            write(dio, handle, 0, 1, filled(100, 7)); // the plain file reaches far beyond 0's end
          }
          rank.barrier();
          assertThat(read(dio, handle, 0, 0, 15)).containsOnly(7);
          assertThat(read(dio, handle, 15, 0, 0)).as("no bytes are never too many").isEmpty();
          fails(ErrorCode.INVALID, () -> read(dio, handle, 0, 0, 16));
          fails(ErrorCode.INVALID, () -> read(dio, handle, 15, 0, 1));
          fails(ErrorCode.INVALID, () -> read(dio, handle, 1000, 0, 1));
          fails(ErrorCode.INVALID, () -> read(dio, handle, 0, 2, 1));
          assertThat(sizes(dio, handle)).as("and extend nothing").containsExactly(15, 100, 0);
          assertThat(read(dio, handle, 0, 0, 15)).as("the next read works").containsOnly(7);
          dio.dio_deregister(handle);
        });
  }

  @Test
  void theExtendingModeGivesZerosAndExtendsThatComponentAlone() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("extended", 10, DioMode.EXTENDING);
          if (rank.number() == 1) {
            write(dio, handle, 0, 1, filled(15, 9));
            byte[] expected = Arrays.copyOf(filled(15, 9), 33);
            assertThat(read(dio, handle, 0, 1, 33)).as("what there was").isEqualTo(expected);
            assertThat(sizes(dio, handle)).containsExactly(0, 33, 0);
            assertThat(read(dio, handle, 1000, 2, 0)).isEmpty();
            assertThat(sizes(dio, handle)).as("of no bytes").containsExactly(0, 33, 0);
            assertThat(read(dio, handle, 30, 0, 5)).as("within the plain file").containsOnly(0);
            assertThat(sizes(dio, handle)).containsExactly(35, 33, 0);
            assertThat(read(dio, handle, 100, 2, 5)).containsOnly(0);
            assertThat(sizes(dio, handle)).containsExactly(35, 33, 105);
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void readsThatArePendingWhenTheHandleIsGivenBackComplete() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle first = dio.dio_create("pending", 8);
          if (rank.number() == 0) {
            write(dio, first, 0, 0, filled(20, 3));
          }
          rank.barrier();
          DioRequest short1 = new DioRequest();
          DioRequest whole1 = new DioRequest();
          DioRequest write1 = new DioRequest();
          byte[] got = filled(30, 1);
          byte[] all = new byte[20];
          dio.dio_read(first, 0, got, 0, short1);
          dio.dio_read(first, 0, all, 0, whole1);
          dio.dio_write(first, 10L * rank.number(), filled(10, 4), 1, write1);
          dio.dio_deregister(first);
          assertThat(whole1.isPending()).as("not yet waited for").isTrue();
          fails(ErrorCode.INVALID, () -> dio.dio_wait(short1));
          dio.dio_wait(whole1);
          assertThat(all).containsOnly(3);
          assertThat(dio.dio_test(write1)).isTrue();
          rank.barrier();

          DioHandle second = dio.dio_register("pending", DioMode.EXTENDING);
          DioRequest beyond = new DioRequest();
          byte[] zeros = filled(30, 1);
          dio.dio_read(second, 0, zeros, 0, beyond);
          second.close(); // the same as giving it back
          dio.dio_wait(beyond);
          assertThat(zeros).isEqualTo(Arrays.copyOf(filled(20, 3), 30));
          rank.barrier();
          DioHandle third = dio.dio_register("pending");
          assertThat(sizes(dio, third)).containsExactly(30, 20);
          assertThat(read(dio, third, 0, 1, 20)).containsOnly(4);
          dio.dio_deregister(third);
        });
  }

  @Test
  void waitallWaitsForAllAndTellsTheFirstError() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("all", 16);
          write(dio, handle, 0, 1, filled(100, 5));
          List<DioRequest> requests = new ArrayList<>();
          List<byte[]> buffers = new ArrayList<>();
          for (int i = 0; i < 13; i++) {
            byte[] buffer = new byte[10];
            DioRequest request = new DioRequest();
            dio.dio_read(handle, 120 - 10L * i, buffer, 1, request);
            requests.add(request);
            buffers.add(buffer);
          }
          requests.add(new DioRequest()); // not under way: complete
          assertThatThrownBy(() -> dio.dio_waitall(requests))
              .hasMessageContaining("at 120 of component 1")
              .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
          assertThat(requests).noneMatch(DioRequest::isPending);
          assertThat(buffers.subList(3, 13)).allSatisfy(b -> assertThat(b).containsOnly(5));
          dio.dio_waitall(requests);
          dio.dio_deregister(handle);
        });
  }

  @Test
  void registrationWaitsForAllRanks() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          mark(rank, "a");
          DioHandle made = dio.dio_create("f", 64);
          assertThat(marks(rank, "a")).isEqualTo(3);
          mark(rank, "b");
          DioHandle again = dio.dio_register("f");
          assertThat(marks(rank, "b")).isEqualTo(3);
          dio.dio_deregister(made);
          dio.dio_deregister(again);
        });
  }

  private static void mark(Rank rank, String name) throws IOException {
    Rank lone = rank.alone();
    lone.open(name + rank.number(), OpenOptions.create()).close();
    lone.leave("");
  }

  private static long marks(Rank rank, String name) throws IOException {
    return rank.names().list("").stream().filter(one -> one.startsWith(name)).count();
  }

  @Test
  void ranksThatAskForDifferentThingsAllFail() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          boolean odd = rank.number() == 1;
          dio.dio_deregister(dio.dio_create("f", 64));
          rank.barrier();
          mixed(() -> dio.dio_create(odd ? "g" : "f", 64));
          mixed(() -> dio.dio_create("f", odd ? 32 : 64));
          mixed(() -> dio.dio_register("f", odd ? DioMode.EXTENDING : DioMode.STANDARD));
          fails(ErrorCode.INVALID, () -> dio.dio_create("f", 0));
          fails(ErrorCode.INVALID, () -> dio.dio_create("f", Long.MAX_VALUE));
          assertThatThrownBy(() -> dio.dio_register("nobody made it"))
              .isInstanceOf(NoSuchNameException.class);
          assertThat(rank.names().list("")).as("nothing is left over").containsExactly("f");
        });
  }

  private static void mixed(Act act) {
    assertThatThrownBy(act::run).isInstanceOf(MixedCallException.class);
  }

  @Test
  void aFileThatCannotBeReplacedStaysAsItWas() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle held = dio.dio_create("held", 8);
          if (rank.number() == 0) {
            write(dio, held, 0, 1, filled(20, 6));
          }
          rank.barrier();
          fails(ErrorCode.IN_USE, () -> dio.dio_create("held", 8));
          assertThat(read(dio, held, 0, 1, 20)).containsOnly(6);
          rank.barrier();
          dio.dio_deregister(held);
          fails(ErrorCode.INVALID, () -> dio.dio_create("held", -8));
          rank.barrier();
          DioHandle again = dio.dio_register("held");
          assertThat(read(dio, again, 0, 1, 20)).containsOnly(6);
          dio.dio_deregister(again);
          rank.barrier();
          DioHandle fresh = dio.dio_create("held", 8);
          assertThat(sizes(dio, fresh)).as("made anew").containsOnly(0);
          dio.dio_deregister(fresh);
        });
  }

  @Test
  void anyKindOfBufferIsReadAndWritten() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          try (DioHandle handle = dio.dio_create("buffers", 12)) {
            DioRequest request = new DioRequest();
            int[] ints = {1, -2, 3, -4};
            double[] doubles = {0.5, -1e300};
            ByteBuffer bytes = ByteBuffer.allocateDirect(10).put(3, (byte) 77).position(2).limit(6);
            dio.dio_write(handle, 0, ints, 1, request);
            dio.dio_wait(request);
            dio.dio_write(handle, 16, doubles, 1, request);
            dio.dio_wait(request);
            dio.dio_write(handle, 32, bytes, 1, request);
            dio.dio_wait(request);
            assertThat(bytes.position()).isEqualTo(2);
            assertThat(dio.dio_size(handle, 1)).isEqualTo(36);
            int[] gotInts = new int[4];
            double[] gotDoubles = new double[2];
            ByteBuffer gotBytes = ByteBuffer.allocate(4);
            dio.dio_read(handle, 0, gotInts, 1, request);
            dio.dio_wait(request);
            dio.dio_read(handle, 16, gotDoubles, 1, request);
            dio.dio_wait(request);
            dio.dio_read(handle, 32, gotBytes, 1, request);
            dio.dio_wait(request);
            assertThat(gotInts).isEqualTo(ints);
            assertThat(gotDoubles).isEqualTo(doubles);
            assertThat(gotBytes.array()).containsExactly(0, 77, 0, 0);
            var parts = List.of(MemorySegment.ofArray(new byte[3]), MemorySegment.ofArray(gotInts));
            dio.dio_read(handle, 13, parts, 1, request);
            dio.dio_wait(request);
            assertThat(gotInts[0]).isEqualTo((int) Double.doubleToRawLongBits(0.5));
          }
        });
  }

  @Test
  void aFileThatAnotherInterfaceMadeIsRegistered() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          OpenOptions local = OpenOptions.create().withStrands(1).withFirstNode(2);
          try (SharedFile file = rank.open("local to node 2", local)) {
            if (rank.number() == 0) {
              file.at(0).write(Memory.of(filled(40, 8)));
            }
          }
          rank.barrier();
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_register("local to node 2");
          assertThat(handle.components()).isEqualTo(1);
          assertThat(handle.layout().node(0)).isEqualTo(2);
          assertThat(read(dio, handle, 0, 0, 40)).containsOnly(8);
          fails(ErrorCode.INVALID, () -> read(dio, handle, 0, 0, 41));
          dio.dio_deregister(handle);
        });
  }
}
