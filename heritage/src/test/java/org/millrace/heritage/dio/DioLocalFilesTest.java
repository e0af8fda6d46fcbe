package org.millrace.heritage.dio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/** Files of the ranks' own machines, registered as they are. */
@InOneJvm("local files are files of the machine, which threads of the ranks serve")
final class DioLocalFilesTest {

  private static final int LARGE = 350_001;

  @TempDir private Path directory;

  private static byte[] content(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private Path local(int rank) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("disk" + rank));
    return folder.resolve("data");
  }

  private static byte[] read(Dio dio, DioHandle handle, long offset, int proc, int length)
      throws IOException {
    byte[] bytes = new byte[length];
    dio.dio_read(handle, offset, MemorySegment.ofArray(bytes), length, proc);
    return bytes;
  }

  private void useEachOthersFiles(Rank rank) throws IOException {
    Path mine = local(rank.number());
    Files.write(mine, content(LARGE + rank.number(), rank.number()));
    Dio dio = new Dio(rank);
    DioHandle handle = dio.dio_register("disks", Optional.of(mine), DioMode.STANDARD);
    assertThat(handle.isLocal()).isTrue();
    assertThat(handle.components()).isEqualTo(rank.size());
    for (int proc = 0; proc < rank.size(); proc++) {
      assertThat(dio.dio_size(handle, proc)).isEqualTo(LARGE + proc);
      assertThat(
              Arrays.equals(read(dio, handle, 0, proc, LARGE + proc), content(LARGE + proc, proc)))
          .isTrue();
      int whose = proc;
      assertThatThrownBy(() -> read(dio, handle, LARGE, whose, whose + 1))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
    }
    rank.barrier();
    int next = (rank.number() + 1) % rank.size();
    byte[] news = content(LARGE, 100 + rank.number());
    DioRequest request = new DioRequest();
    dio.dio_write(handle, 7, news, next, request);
    dio.dio_wait(request);
    dio.dio_deregister(handle);
    int before = Math.floorMod(rank.number() - 1, rank.size());
    byte[] all = Files.readAllBytes(mine);
    assertThat(Arrays.equals(Arrays.copyOfRange(all, 7, 7 + LARGE), content(LARGE, 100 + before)))
        .as("the local file itself was written")
        .isTrue();
    assertThatThrownBy(() -> read(dio, handle, 0, next, 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
  }

  @Test
  void ranksReadAndWriteEachOthersLocalFiles() throws IOException {
    for (int ranks : new int[] {1, 3}) {
      Programs.run(directory.resolve("cluster" + ranks), ranks, 1, this::useEachOthersFiles);
    }
  }

  @Test
  void soTheyDoOverSockets() throws Exception {
    onPeers(2, this::useEachOthersFiles);
  }

  private void onPeers(int ranks, Program program) throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Launch launch = new Launch("test", "job", r, ranks);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (ProcessRank peer =
                    ProcessRank.asPeer(
                        launch, directory.resolve("peers"), ranks, ProcessRankOptions.DEFAULT)) {
                  peer.run(program);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  @Test
  void theOwnerNeedNotCallAnythingWhileItsFileIsUsed() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        1,
        rank -> {
          Path mine = local(rank.number());
          Files.write(mine, content(1000, rank.number()));
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_register("d", Optional.of(mine), DioMode.EXTENDING);
          if (rank.number() == 0) {
            for (int i = 0; i < 50; i++) {
              assertThat(read(dio, handle, i, 1, 950))
                  .isEqualTo(Arrays.copyOfRange(content(1000, 1), i, i + 950));
            }
            assertThat(read(dio, handle, 990, 1, 20)).endsWith(new byte[10]);
            assertThat(dio.dio_size(handle, 1)).as("it was extended").isEqualTo(1010);
            assertThat(dio.dio_size(handle, 0)).isEqualTo(1000);
            rank.send(1, 5, new byte[1]);
          } else {
            rank.receive(0, 5); // busy with something else
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void extendingNeverWritesOverWhatTheOwnerWrites() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        1,
        rank -> {
          Path mine = Files.createFile(local(rank.number()));
          Dio dio = new Dio(rank);
          DioHandle handle = dio.dio_register("race", Optional.of(mine), DioMode.EXTENDING);
          for (int i = 0; i < 500; i++) {
            if (rank.number() == 1) {
              byte[] one = {(byte) 7};
              dio.dio_write(handle, 10L * i + 9, MemorySegment.ofArray(one), 1, 1);
            } else {
              read(dio, handle, 10L * i, 1, 10); // its last byte is the one that is written
            }
          }
          rank.barrier();
          byte[] all = read(dio, handle, 0, 1, 5000);
          for (int i = 0; i < 500; i++) {
            assertThat(all[10 * i + 9]).as("write %s", i).isEqualTo((byte) 7);
          }
          dio.dio_deregister(handle);
        });
  }

  @Test
  void aRankWithoutAFileHasNoComponentAndOneWhoseFileIsMissingFailsOnAll() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        3,
        1,
        rank -> {
          Path mine = local(rank.number());
          Files.write(mine, content(10, rank.number()));
          rank.barrier();
          Dio dio = new Dio(rank);
          Path wrong = rank.number() == 2 ? mine.resolveSibling("none") : mine;
          assertThatThrownBy(() -> dio.dio_register("d", Optional.of(wrong), DioMode.STANDARD))
              .isInstanceOf(NoSuchNameException.class);
          Optional<Path> given = rank.number() == 2 ? Optional.empty() : Optional.of(mine);
          DioHandle handle = dio.dio_register("d", given, DioMode.STANDARD);
          assertThat(read(dio, handle, 0, 1, 10)).isEqualTo(content(10, 1));
          assertThatThrownBy(() -> read(dio, handle, 0, 2, 1))
              .isInstanceOf(NoSuchNameException.class)
              .hasMessageContaining("processor 2");
          dio.dio_deregister(handle);
        });
  }
}
