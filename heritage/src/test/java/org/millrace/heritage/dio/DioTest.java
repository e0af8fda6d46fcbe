package org.millrace.heritage.dio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Programs;

final class DioTest {

  @TempDir private Path directory;

  private static byte[] content(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void write(Dio dio, DioHandle handle, long offset, int proc, byte[] bytes)
      throws IOException {
    dio.dio_write(handle, offset, MemorySegment.ofArray(bytes), bytes.length, proc);
  }

  private static byte[] read(Dio dio, DioHandle handle, long offset, int proc, int length)
      throws IOException {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 0x55);
    dio.dio_read(handle, offset, MemorySegment.ofArray(bytes), length, proc);
    return bytes;
  }

  @Test
  void componentsAreTheStrandsOfAPlainFile() throws IOException {
    for (int unit : new int[] {1, 3, 8}) {
      Programs.run(
          directory.resolve("unit" + unit),
          2,
          3,
          rank -> {
            Dio dio = new Dio(rank);
            DioHandle handle = dio.dio_create("plain", unit);
            assertThat(handle.components()).isEqualTo(3);
            assertThat(handle.layout().node(2)).isEqualTo(2);
            if (rank.number() == 0) {
              for (int proc = 0; proc < 3; proc++) {
                write(dio, handle, 0, proc, content(20, proc));
              }
            }
            rank.barrier();
            byte[] plain = new byte[60];
            try (var file = rank.open("plain", OpenOptions.read())) {
              file.at(0).read(Memory.of(plain));
            }
            byte[][] components = {content(20, 0), content(20, 1), content(20, 2)};
            for (int i = 0; i < plain.length; i++) { // the layout's formula, spelled out
              int proc = i / unit % 3;
              int offset = i / unit / 3 * unit + i % unit;
              byte expected = offset < 20 ? components[proc][offset] : 0;
              assertThat(plain[i]).as("byte %s with unit %s", i, unit).isEqualTo(expected);
            }
            dio.dio_deregister(handle);
          });
    }
  }

  @Test
  void accessIsOneSided() throws IOException {
    Programs.run(
        directory,
        4,
        4,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("one-sided", 64);
          if (rank.number() == 1) { // the others call nothing
            for (int proc = 0; proc < 4; proc++) {
              write(dio, handle, 7, proc, content(100, proc));
            }
            for (int proc = 3; proc >= 0; proc--) {
              assertThat(read(dio, handle, 7, proc, 100)).isEqualTo(content(100, proc));
            }
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void manyRequestsAreUnderWayAtOnce() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("many", 16);
          List<DioRequest> requests = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            byte[] mine = content(50, 100 * rank.number() + i);
            DioRequest request = new DioRequest();
            long offset = (20L * rank.number() + i) * 50;
            dio.dio_write(handle, offset, MemorySegment.ofArray(mine), 50, i % 2, request);
            assertThat(request.isPending()).isTrue();
            requests.add(request);
          }
          for (DioRequest request : requests) {
            dio.dio_wait(request);
            assertThat(request.isPending()).isFalse();
            assertThat(request.isDone()).isTrue();
            dio.dio_wait(request); // nothing is under way: complete
          }
          rank.barrier();
          int other = (rank.number() + 1) % 3;
          for (int i = 0; i < 20; i++) {
            assertThat(read(dio, handle, (20L * other + i) * 50, i % 2, 50))
                .isEqualTo(content(50, 100 * other + i));
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void testSaysWhetherARequestIsComplete() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("tested", 64);
          byte[] bytes = content(1000, 1);
          DioRequest request = new DioRequest();
          assertThat(dio.dio_test(request)).isTrue();
          dio.dio_write(handle, 5, MemorySegment.ofArray(bytes), 1000, 1, request);
          while (!dio.dio_test(request)) {
            Programs.pause();
          }
          assertThat(request.isPending()).isFalse();
          assertThat(read(dio, handle, 5, 1, 1000)).isEqualTo(bytes);
          dio.dio_deregister(handle);
        });
  }

  @Test
  void extendingNeverWritesOverWhatOthersWrite() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("race", 4, DioMode.EXTENDING);
          for (int i = 0; i < 200; i++) {
            long place = 10L * i + rank.number();
            if (rank.number() % 2 == 0) {
              write(dio, handle, place, 1, new byte[] {(byte) (rank.number() + 1)});
            } else {
              read(dio, handle, 10L * i, 1, 3);
            }
          }
          rank.barrier();
          byte[] all = read(dio, handle, 0, 1, 2000);
          for (int i = 0; i < 200; i++) {
            assertThat(all[10 * i]).isEqualTo((byte) 1);
            assertThat(all[10 * i + 2]).isEqualTo((byte) 3);
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void theDirectoryGivesAHandleToOneRankAlone() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle registered = dio.dio_create("listed", 5);
          if (rank.number() == 0) {
            write(dio, registered, 0, 0, content(30, 3));
          }
          rank.barrier();
          if (rank.number() == 2) {
            DioHandle found = dio.dio_lookup("listed");
            assertThat(read(dio, found, 0, 0, 30)).isEqualTo(content(30, 3));
            dio.dio_deregister(found);
            dio.dio_deregister(found); // once is enough
            assertThatThrownBy(() -> dio.dio_lookup("nobody knows"))
                .isInstanceOf(NoSuchNameException.class);
          }
          dio.dio_deregister(registered);
          rank.barrier();
        });
    Programs.run(
        directory,
        1,
        2,
        rank -> { // another number of ranks
          Dio dio = new Dio(rank);
          DioHandle again = dio.dio_register("listed");
          assertThat(read(dio, again, 0, 0, 30)).isEqualTo(content(30, 3));
          dio.dio_deregister(again);
          dio.dio_unlink("listed");
          assertThatThrownBy(() -> dio.dio_lookup("listed"))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void wrongUseIsRefusedAndLeavesAllAsItWas() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_create("wrong", 8);
          MemorySegment buffer = MemorySegment.ofArray(content(8, 1));
          DioRequest request = new DioRequest();
          refused(() -> dio.dio_write(handle, 0, buffer, 8, 2, request), "processor 2");
          refused(() -> dio.dio_read(handle, 0, buffer, 8, -1, request), "processor -1");
          refused(() -> dio.dio_write(handle, -1, buffer, 8, 0, request), "-1");
          refused(() -> dio.dio_write(handle, 0, buffer, 9, 0, request), "9 bytes");
          refused(() -> dio.dio_read(handle, 0, buffer, -1, 0, request), "-1 bytes");
          refused(() -> dio.dio_read(handle, 0, buffer.asReadOnly(), 8, 0, request), "read-only");
          refused(() -> dio.dio_read(handle, Long.MAX_VALUE / 2, buffer, 8, 1, request), "");
          try (Arena confined = Arena.ofConfined()) {
            assertThatThrownBy(() -> dio.dio_write(handle, 0, confined.allocate(8), 8, 0, request))
                .isInstanceOf(WrongThreadException.class);
          }
          assertThat(request.isPending()).isFalse();
          assertThat(rank.names().size("wrong")).isZero();
          dio.dio_write(handle, 0, buffer, 8, 0, request);
          assertThatThrownBy(() -> dio.dio_read(handle, 0, buffer, 8, 0, request))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("under way");
          dio.dio_wait(request);
          refusedUnlink(dio, rank);
          dio.dio_deregister(handle);
          assertThatThrownBy(() -> dio.dio_read(handle, 0, buffer, 8, 0))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        });
  }

  private static void refusedUnlink(Dio dio, Rank rank) throws IOException {
    assertThatThrownBy(() -> dio.dio_unlink("wrong")).isInstanceOf(MillraceException.class);
    assertThat(rank.names().size("wrong")).isEqualTo(8);
  }

  private interface Call {
    void run() throws IOException;
  }

  private static void refused(Call call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class)
        .hasMessageContaining(message);
  }
}
