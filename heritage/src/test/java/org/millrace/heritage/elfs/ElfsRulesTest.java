package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.elfs.DistributedMatrixFile.Decomposition;
import org.millrace.heritage.elfs.KeyField.Kind;
import org.millrace.heritage.testing.Late;
import org.millrace.heritage.testing.Programs;

/** Rules of ELFS's classes that need several groups, late ranks or operations under way. */
final class ElfsRulesTest {

  private static final RecordFormat FORMAT =
      new RecordFormat(16, List.of(new KeyField(Kind.FLOAT64, 0)));
  private static final List<KeyRange> ALL = List.of(KeyRange.all());

  @TempDir private Path directory;

  private static byte[] record(long tag, double key) {
    ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return bytes.putDouble(key).putLong(tag).array();
  }

  @Test
  void aSecondGroupOfWritersIsRefusedAndNothingIsLost() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Rank half = rank.split(rank.number() == 2 ? -1 : 0, rank.number());
          if (rank.number() < 2) {
            try (RangeSearchFile file = RangeSearchFile.create(half, "r", FORMAT)) {
              for (int i = 0; i < 150; i++) {
                file.insert(record(2L * i + half.number(), i));
              }
              rank.barrier();
              rank.barrier(); // meanwhile the other group has tried
              file.insert(record(1000 + half.number(), 5));
            }
            rank.barrier();
          } else {
            rank.barrier();
            assertInUse(() -> RangeSearchFile.open(half, "r", FORMAT).close());
            assertInUse(() -> RangeSearchFile.create(half, "r", FORMAT).close()); // cuts nothing
            try (RangeSearchFile file = RangeSearchFile.openToRead(half, "r", FORMAT)) {
              assertThat(file.find(ALL)).hasSize(300);
            }
            rank.barrier();
            rank.barrier();
            try (RangeSearchFile file = RangeSearchFile.open(half, "r", FORMAT)) { // now it may
              assertThat(file.find(ALL)).hasSize(302);
              file.insert(record(5000, 1));
              assertThat(file.find(ALL)).hasSize(303);
            }
            assertThat(rank.names().list("")).containsExactly("r", "r.index");
          }
          rank.barrier();
          half.leave("");
        });
  }

  private static void assertInUse(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
  }

  @Test
  void aWriterThatEndedWithoutClosingKeepsNobodyOut() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          RangeSearchFile lost = RangeSearchFile.create(rank, "r", FORMAT);
          lost.insert(record(1, 1));
          lost.fsync(); // and the program ends
        });
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.open(rank, "r", FORMAT)) {
            assertThat(file.find(ALL)).hasSize(1);
          }
          assertThat(rank.names().list("")).containsExactly("r", "r.index");
        });
  }

  /** A reader has the old index open while a writer, whose predecessor was lost, makes another. */
  @Test
  void thoseWhoSearchKeepTheirIndexWhileAnotherIsMade() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "r", FORMAT)) {
            for (int i = rank.number(); i < 600; i += 2) {
              file.insert(record(i, i));
            }
          }
          Rank alone = rank.alone();
          if (rank.number() == 0) {
            try (RangeSearchFile reader = RangeSearchFile.openToRead(alone, "r", FORMAT)) {
              assertThat(reader.isIndexed()).isTrue();
              rank.barrier();
              for (int i = 0; i < 60; i++) {
                assertThat(reader.find(ALL)).hasSize(600);
              }
              rank.barrier();
              rank.barrier(); // until the other has tried other keys
            }
          } else {
            rank.barrier();
            for (int i = 0; i < 5; i++) {
              markAsLost(alone);
              RangeSearchFile.open(alone, "r", FORMAT).close(); // makes it again
            }
            rank.barrier();
            RecordFormat other = new RecordFormat(16, List.of(new KeyField(Kind.INT64, 8)));
            assertInUse(() -> RangeSearchFile.open(alone, "r", other).close());
            rank.barrier();
          }
          rank.barrier();
          alone.leave("");
        });
  }

  /** The index as a writer leaves it that ends without closing. */
  private static void markAsLost(Rank rank) throws IOException {
    try (SharedFile side = rank.open("r.index", OpenOptions.readWrite())) {
      side.at(16).write(Memory.of(ByteBuffer.allocate(8).putLong(0, 1)));
    }
  }

  @Test
  void boundsBeyond2To53CompareExactly() throws IOException {
    long large = 1L << 53;
    long[] bounds = {
      large - 1,
      large,
      large + 1,
      large + 2,
      large + 3,
      Long.MAX_VALUE - 1,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      Long.MIN_VALUE + 1,
      -large - 1
    };
    double[] keys = {
      large - 1, large, large + 2, large + 4, 0x1p62, 0x1p63, -0x1p63, -large - 2, 0.5, 0x1p64
    };
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "k", FORMAT)) {
            for (int i = 0; i < keys.length; i++) {
              file.insert(record(i, keys[i]));
            }
            for (long bound : bounds) {
              var exact = new BigDecimal(bound);
              long atLeast = 0;
              long atMost = 0;
              for (double key : keys) {
                int compared = new BigDecimal(key).compareTo(exact);
                atLeast += compared >= 0 ? 1 : 0;
                atMost += compared <= 0 ? 1 : 0;
              }
              assertThat(file.find(List.of(KeyRange.atLeast(bound))))
                  .as("%d", bound)
                  .hasSize((int) atLeast);
              assertThat(file.find(List.of(KeyRange.atMost(bound))))
                  .as("%d", bound)
                  .hasSize((int) atMost);
            }
          }
        });
  }

  @Test
  void wholeKeysAndFractionalBoundsCompareExactly() throws IOException {
    long[] keys = {Long.MIN_VALUE, -(1L << 53) - 1, -1, 0, (1L << 53) + 1, Long.MAX_VALUE};
    double[] bounds = {-0x1p64, -0x1p63, -0x1p53, -0.5, 0.5, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1p64};
    RecordFormat whole = new RecordFormat(8, List.of(new KeyField(Kind.INT64, 0)));
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "k", whole)) {
            for (long key : keys) {
              file.insert(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, key));
            }
            for (double bound : bounds) {
              var exact = new BigDecimal(bound);
              long atLeast = 0;
              long atMost = 0;
              for (long key : keys) {
                int compared = new BigDecimal(key).compareTo(exact);
                atLeast += compared >= 0 ? 1 : 0;
                atMost += compared <= 0 ? 1 : 0;
              }
              assertThat(file.find(List.of(KeyRange.atLeast(bound))))
                  .as("%s", bound)
                  .hasSize((int) atLeast);
              assertThat(file.find(List.of(KeyRange.atMost(bound))))
                  .as("%s", bound)
                  .hasSize((int) atMost);
            }
          }
        });
  }

  @Test
  void aPrefetchedRowShowsWhatOthersHaveWrittenSince() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (MatrixFile file = MatrixFile.create(rank, "m", 4, 4, ElementType.FLOAT64)) {
            for (int round = 1; round < 20; round++) {
              if (rank.number() == 1) {
                file.prefetchRow(2);
                file.prefetchColumn(1);
              }
              rank.barrier();
              if (rank.number() == 0) {
                file.writeRow(2, new double[] {round, round, round, round});
              }
              rank.barrier();
              double[] row = new double[4];
              file.readRow(2, row);
              assertThat(row).containsOnly(round);
              double[] column = new double[4];
              file.readColumn(1, column);
              assertThat(column).containsExactly(0, 0, round, 0);
              rank.barrier();
            }
          }
        });
  }

  @Test
  void eachRowShowsWhatWasWrittenWhileTheRowBeforeWasWorkedOn() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (MatrixFile file = MatrixFile.create(rank, "m", 6, 3, ElementType.FLOAT64)) {
            if (rank.number() == 0) {
              file.eachRow(
                  0,
                  6,
                  (row, elements) -> {
                    assertThat(elements).containsOnly((double) row);
                    rank.send(1, 1, new byte[] {(byte) row});
                    rank.receive(1, 2); // now the next row is written
                  });
            } else {
              for (int next = 1; next <= 6; next++) {
                rank.receive(0, 1);
                if (next < 6) {
                  file.writeRow(next, new double[] {next, next, next});
                }
                rank.send(0, 2, new byte[0]);
              }
            }
          }
        });
  }

  @Test
  void searchesGoOnWhileTheProgramDoesSomethingElse() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "s", FORMAT)) {
            for (int i = rank.number(); i < 800; i += 2) {
              file.insert(record(i, i));
            }
            rank.barrier();
            List<Long> found = new ArrayList<>();
            CompletableFuture<Long> searching =
                file.searchAsync(
                    List.of(KeyRange.between(100, 299)),
                    (number, record) -> found.add(record.get(ValueLayout.JAVA_LONG_UNALIGNED, 8)));
            for (int i = 0; i < 20; i++) {
              file.insert(record(5000 + i, 5000 + i)); // meanwhile, outside of the box
            }
            assertThat(rank.await(searching)).isEqualTo(200);
            assertThat(found)
                .hasSize(200)
                .doesNotHaveDuplicates()
                .allMatch(t -> t >= 100 && t < 300);
            rank.barrier();
            long mine = rank.await(file.searchShareAsync(ALL, (_, _) -> {}));
            assertThat(rank.allReduceLong(mine, Long::sum)).isEqualTo(840);
            assertThatThrownBy(() -> file.searchAsync(List.of(), (_, _) -> {}))
                .isInstanceOf(IllegalArgumentException.class);
            CompletableFuture<Long> failing =
                file.searchAsync(
                    ALL,
                    (_, _) -> {
                      throw new IOException("the visitor's own");
                    });
            assertThatThrownBy(() -> rank.await(failing)).hasMessage("the visitor's own");
          }
          rank.barrier();
          CompletableFuture<Long> last;
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "s", FORMAT)) {
            last = file.searchAsync(ALL, (_, _) -> {}); // closing waits for it
          }
          assertThat(last.join()).isEqualTo(840);
        });
  }

  @Test
  void recordsThatAreBeingOverwrittenAtClosingAreFoundAfterwards() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          for (int round = 0; round < 5; round++) {
            int value = 100 + round;
            try (RangeSearchFile file = RangeSearchFile.create(rank, "w", FORMAT)) {
              if (rank.number() == 0) {
                for (int i = 0; i < 50; i++) {
                  file.insert(record(i, i));
                }
              }
              rank.barrier();
              if (rank.number() == 1) {
                for (int i = 0; i < 8; i++) { // under way while it is closed
                  var _ = file.pwriteAsync(MemorySegment.ofArray(record(i, value)), 16L * i);
                }
              }
            }
            rank.barrier();
            try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "w", FORMAT)) {
              assertThat(file.find(List.of(KeyRange.at(value)))).hasSize(8);
            }
            rank.barrier();
          }
        });
  }

  @Test
  void openingWaitsForAllRanks() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Late.before(rank, 1, "unix");
          try (UnixFile file = new UnixFile(rank, "u", OpenOptions.create())) {
            assertThat(Late.hasCome(rank, "unix")).isTrue();
            assertThat(file.size()).isZero();
          }
          Late.before(rank, 0, "matrix");
          try (MatrixFile file = MatrixFile.create(rank, "m", 2, 2, ElementType.INT32)) {
            assertThat(Late.hasCome(rank, "matrix")).isTrue();
            assertThat(file.rows()).isEqualTo(2);
          }
          Late.before(rank, 1, "range");
          try (RangeSearchFile file = RangeSearchFile.create(rank, "r", FORMAT)) {
            assertThat(Late.hasCome(rank, "range")).isTrue();
            assertThat(file.records()).isZero();
          }
          assertThatThrownBy(
                  () -> RangeSearchFile.open(rank, rank.number() == 0 ? "r" : "m", FORMAT).close())
              .isInstanceOf(MixedCallException.class)
              .hasMessageContaining("rank 1");
        });
  }

  @Test
  void subclassesInheritTheOperationsOfAUnixFile() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (MatrixFile matrix = MatrixFile.create(rank, "m", 2, 2, ElementType.INT8);
              RangeSearchFile range = RangeSearchFile.create(rank, "r", FORMAT);
              VariableConsistencyFile vary =
                  new VariableConsistencyFile(rank, "v", OpenOptions.create(), 2)) {
            range.insert(record(1, 1));
            vary.write(new byte[16]);
            for (UnixFile file : List.of(matrix, range, vary)) {
              long end = file.lseek(0, UnixFile.Whence.SEEK_END);
              assertThat(end).isEqualTo(file.size());
              file.pwrite(MemorySegment.ofArray(new byte[] {7}), end - 1);
              file.lseek(-1, UnixFile.Whence.SEEK_END);
              byte[] last = new byte[1];
              assertThat(file.read(last)).isEqualTo(1);
              assertThat(last[0]).isEqualTo((byte) 7);
              assertThat(file.preadAsync(MemorySegment.ofArray(last), 0).join()).isEqualTo(1);
              file.fsync();
            }
          }
        });
  }

  @Test
  void partsAreMovedWhileTheProgramGoesOn() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (var file =
              DistributedMatrixFile.create(
                  rank, "d", 6, 6, ElementType.FLOAT64, Decomposition.ROWS)) {
            double[] mine = new double[12];
            Arrays.fill(mine, rank.number());
            Late.before(rank, 2, "come");
            var writing = file.writePartAsync(Local.of(mine, file.part()));
            assertThat(rank.await(writing)).isEqualTo(96);
            double[] back = new double[12];
            assertThat(rank.await(file.readPartAsync(Local.of(back, file.part())))).isEqualTo(96);
            assertThat(back).isEqualTo(mine);
          }
        });
  }

  @Test
  void numbersAndBuffersAreReadAndWritten() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (UnixFile file = new UnixFile(rank, "u", OpenOptions.create())) {
            file.write(new int[] {1, 2});
            file.write(new double[] {0.5});
            file.at(16).write(ByteBuffer.wrap(new byte[] {9, 8}).position(1));
            int[] ints = new int[2];
            assertThat(file.at(0).read(ints)).isEqualTo(8);
            assertThat(ints).containsExactly(1, 2);
            double[] one = new double[1];
            file.at(8).read(one);
            assertThat(one).containsExactly(0.5);
            assertThat(file.size()).isEqualTo(17);
          }
          try (MatrixFile file = MatrixFile.create(rank, "m", 2, 3, ElementType.INT32)) {
            assertThat(file.row(1).write(new int[] {4, 5, 6})).isEqualTo(12);
            int[] column = new int[2];
            assertThat(file.column(2).read(column)).isEqualTo(8);
            assertThat(column).containsExactly(0, 6);
            ByteBuffer row = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder());
            file.row(1).read(row);
            assertThat(row.getInt(4)).isEqualTo(5);
          }
        });
  }

  /** Time-indexed images of x and y, as the text's example has them. */
  @Test
  void aVolumeOfADataSpaceOfImagesIsFoundByARangeForEachDimension() throws IOException {
    RecordFormat pixel =
        new RecordFormat(
            13,
            List.of(
                new KeyField(Kind.INT32, 0),
                new KeyField(Kind.INT32, 4),
                new KeyField(Kind.INT32, 8)));
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "images", pixel)) {
            for (int t = rank.number(); t < 6; t += 2) {
              ByteBuffer image = ByteBuffer.allocate(13 * 64).order(ByteOrder.LITTLE_ENDIAN);
              for (int k = 0; k < 64; k++) {
                image.putInt(k % 8).putInt(k / 8).putInt(t).put((byte) (t + k));
              }
              file.insert(image.flip());
            }
            rank.barrier();
            List<byte[]> found =
                file.find(
                    List.of(KeyRange.between(2, 4), KeyRange.atLeast(5), KeyRange.between(1, 3)));
            assertThat(found).hasSize(27);
            for (byte[] one : found) {
              ByteBuffer bytes = ByteBuffer.wrap(one).order(ByteOrder.LITTLE_ENDIAN);
              assertThat(bytes.getInt(0)).isBetween(2, 4);
              assertThat(bytes.getInt(4)).isBetween(5, 7);
              assertThat(bytes.getInt(8)).isBetween(1, 3);
            }
          }
        });
  }
}
