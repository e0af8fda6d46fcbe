package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Rules and examples of the standard's chapter that no other test is about. */
final class StandardTest {

  private static final Datatype INT = Datatype.INT;
  private static final Datatype BYTE = Datatype.BYTE;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void aFileBeginsWithAViewOfBytesPointersAtZeroAndNotAtomic() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "begin", Ints.CREATE)) {
            assertThat(file.getView()).isEqualTo(new FileView(0, BYTE, BYTE, Ints.NATIVE));
            assertThat(file.getPosition()).isZero();
            assertThat(file.getPositionShared()).isZero();
            assertThat(file.getAtomicity()).isFalse();
            assertThat(file.getSize()).isZero();
          }
        });
  }

  @Test
  void aRankMayOpenAFileForItself() throws IOException {
    run(
        3,
        rank -> {
          String mine = "own" + rank.number();
          try (File file = File.open(rank.alone(), mine, Ints.CREATE)) {
            assertThat(file.getGroup().size()).isEqualTo(1);
            file.writeAll(new int[] {rank.number()}, 1, INT); // collective among one
          }
          assertThat(Ints.file(rank, mine)).containsExactly(rank.number());
        });
  }

  @Test
  void everyOpeningHasASharedPointerOfItsOwn() throws IOException {
    run(
        2,
        rank -> {
          try (File one = File.open(rank, "twice", Ints.CREATE);
              File other = File.open(rank, "twice", Amode.RDWR)) {
            one.writeOrdered(new byte[3], 3, BYTE);
            assertThat(one.getPositionShared()).isEqualTo(6);
            assertThat(other.getPositionShared()).isZero();
          }
        });
  }

  @Test
  void whatLiesBehindACutIsZeroWhenTheFileGrowsAgain() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "cut", Ints.CREATE)) {
            file.writeOrdered(new byte[] {1, 2, 3}, 3, BYTE);
            file.setSize(2);
            file.setSize(5);
            byte[] all = new byte[5];
            file.readAt(0, all, 5, BYTE);
            assertThat(all).containsExactly(1, 2, 0, 0, 0);
          }
        });
  }

  @Test
  void writesThatHaveReturnedAreSeenByOtherRanksAndOtherOpenings() throws IOException {
    run(
        2,
        rank -> {
          try (File one = File.open(rank, "seen", Ints.CREATE);
              File other = File.open(rank, "seen", Amode.RDONLY)) {
            if (rank.number() == 0) {
              one.writeAt(5, new byte[] {9}, 1, BYTE);
              rank.send(1, 1, new byte[0]);
            } else {
              rank.receive(0, 1);
              byte[] back = new byte[6];
              assertThat(other.readAt(0, back, 6, BYTE).bytes()).isEqualTo(6);
              assertThat(back).containsExactly(0, 0, 0, 0, 0, 9);
            }
          }
        });
  }

  @Test
  void bytesOutlastTheirGroupAfterClosing() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "kept", Ints.CREATE)) {
            file.writeOrdered(new byte[] {(byte) rank.number()}, 1, BYTE);
            file.sync();
          }
        });
    run(1, rank -> assertThat(Ints.bytes(rank, "kept")).containsExactly(0, 1));
  }

  @Test
  void offsetsAndCountsAreNotLimitedToInts() throws IOException {
    long far = 3L << 32;
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "far", Ints.CREATE)) {
            file.writeAt(far, new byte[] {1}, 1, BYTE);
            assertThat(file.getSize()).isEqualTo(far + 1);
            file.seek(far, Whence.SEEK_SET);
            assertThat(file.getPosition()).isEqualTo(far);
            assertThat(file.getByteOffset(far)).isEqualTo(far);
            Datatype nothing = Datatype.createContiguous(0, BYTE);
            assertThat(file.read(new byte[0], far, nothing).bytes()).isZero();
          }
        });
  }

  @Test
  void internalIsReadBackAsItWasWritten() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "internal", Ints.CREATE)) {
            file.setView(0, INT, Filetypes.scatter(2, r, 1, INT), "internal");
            file.writeAll(new int[] {r, 10 + r}, 2, INT);
            int[] back = new int[2];
            file.readAtAll(0, back, 2, INT);
            assertThat(back).containsExactly(r, 10 + r);
          }
        });
  }

  @Test
  void hintsOfADeletionAreIgnored() throws IOException {
    run(
        1,
        rank -> {
          File.open(rank, "gone", Ints.CREATE).close();
          new Environment().delete(rank, "gone", Info.of("filename", "other"));
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.open(rank, "gone", Amode.RDONLY));
        });
  }

  /** The chapter's first example: two buffers, one filled while the other one is written. */
  @Test
  void doubleBufferingWithSplitCallsWritesEveryBuffer() throws IOException {
    int size = 1000;
    int rounds = 6;
    run(
        2,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "double", Ints.CREATE)) {
            file.setView(0, INT, Filetypes.scatter(2, r, size, INT), Ints.NATIVE);
            int[][] buffers = new int[2][size];
            for (int round = 0; round < rounds; round++) {
              int[] next = buffers[round % 2];
              for (int i = 0; i < size; i++) { // while the other one is under way
                next[i] = (2 * round + r) * size + i;
              }
              if (round > 0) {
                file.writeAllEnd(buffers[(round - 1) % 2]);
              }
              file.writeAllBegin(next, size, INT);
            }
            file.writeAllEnd(buffers[(rounds - 1) % 2]);
          }
          assertThat(Ints.file(rank, "double"))
              .isEqualTo(IntStream.range(0, 2 * rounds * size).toArray());
        });
  }

  @Test
  void twoFilesHaveSplitCallsAtTheSameTime() throws IOException {
    run(
        2,
        rank -> {
          int[] a = {1};
          int[] b = {2};
          try (File one = File.open(rank, "one", Ints.CREATE);
              File other = File.open(rank, "other", Ints.CREATE)) {
            one.writeAtAllBegin(4L * rank.number(), a, 1, INT);
            other.writeOrderedBegin(b, 1, INT);
            one.writeAtAllEnd(a);
            other.writeOrderedEnd(b);
          }
          assertThat(Ints.file(rank, "one")).containsExactly(1, 1);
          assertThat(Ints.file(rank, "other")).containsExactly(2, 2);
        });
  }

  @Test
  void aFileOfADeadGroupIsClosedByThoseWhoLive() throws IOException {
    assertThatThrownBy(
            () ->
                run(
                    2,
                    rank -> {
                      File file = File.open(rank, "left", Ints.CREATE);
                      if (rank.number() == 0) {
                        throw new IllegalStateException("rank 0 gives up");
                      }
                      assertFails(ErrorClass.PROC_FAILED, file::close);
                      assertFails(ErrorClass.FILE, file::getSize);
                      file.close(); // does nothing more
                    }))
        .hasStackTraceContaining("rank 0 gives up");
  }
}
