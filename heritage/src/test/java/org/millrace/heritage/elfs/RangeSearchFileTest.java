package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.elfs.KeyField.Kind;
import org.millrace.heritage.testing.Programs;

/** Range searching, against a look at every record. */
final class RangeSearchFileTest {

  @TempDir private Path directory;

  /** Records of n doubles and a long that tells them apart. */
  private static RecordFormat format(int dimensions) {
    List<KeyField> keys = new ArrayList<>();
    for (int d = 0; d < dimensions; d++) {
      keys.add(new KeyField(Kind.FLOAT64, 8 * d));
    }
    return new RecordFormat(8 * dimensions + 8, keys);
  }

  private static byte[] record(long tag, double... keys) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * keys.length + 8).order(ByteOrder.LITTLE_ENDIAN);
    for (double key : keys) {
      bytes.putDouble(key);
    }
    return bytes.putLong(tag).array();
  }

  /** The point of a tag: few different values, so that many are equal. */
  private static double[] point(long tag, int dimensions) {
    Random random = new Random(tag * 31 + dimensions);
    double[] point = new double[dimensions];
    for (int d = 0; d < dimensions; d++) {
      point[d] = random.nextInt(4) == 0 ? random.nextInt(8) : random.nextGaussian() * 4;
    }
    return point;
  }

  private static boolean isInside(double[] point, List<KeyRange> box) {
    for (int d = 0; d < point.length; d++) {
      if (point[d] < box.get(d).lower().doubleValue()
          || point[d] > box.get(d).upper().doubleValue()) {
        return false;
      }
    }
    return true;
  }

  private static List<Long> tags(RangeSearchFile file, List<KeyRange> box) throws IOException {
    List<Long> tags = new ArrayList<>();
    int at = file.format().recordBytes() - 8;
    for (byte[] record : file.find(box)) {
      tags.add(ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getLong(at));
    }
    Collections.sort(tags); // a list: one that is found twice shows
    return tags;
  }

  private static void checkBoxes(RangeSearchFile file, int count, long seed) throws IOException {
    Random random = new Random(seed);
    int dimensions = file.format().dimensions();
    for (int i = 0; i < 40; i++) {
      List<KeyRange> box = new ArrayList<>();
      for (int d = 0; d < dimensions; d++) {
        double lower = random.nextGaussian() * 4;
        int value = random.nextInt(8);
        box.add(
            switch (random.nextInt(6)) {
              case 0 -> KeyRange.at(value);
              case 1 -> KeyRange.all();
              case 2 -> KeyRange.atLeast(lower);
              case 3 -> KeyRange.atMost(value);
              default -> KeyRange.between(lower, lower + random.nextDouble() * 10 - 1);
            });
      }
      List<Long> wanted = new ArrayList<>();
      for (long tag = 0; tag < count; tag++) {
        if (isInside(point(tag, dimensions), box)) {
          wanted.add(tag);
        }
      }
      assertThat(tags(file, box)).as("%s", box).isEqualTo(wanted);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void searchesFindExactlyWhatALookAtEveryRecordFinds(int dimensions) throws IOException {
    int count = 3000;
    RecordFormat format = format(dimensions);
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "r", format)) {
            for (int tag = rank.number(); tag < count; tag += 3) { // all ranks at once
              file.insert(record(tag, point(tag, dimensions)));
            }
            rank.barrier();
            assertThat(file.records()).isEqualTo(count);
            checkBoxes(file, count, rank.number());
          }
        });
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "r", format)) {
            assertThat(file.isIndexed()).isTrue(); // it persists
            checkBoxes(file, count, 10 + rank.number());
            assertThatThrownBy(() -> file.insert(record(0, point(0, dimensions))))
                .isInstanceOf(MillraceException.class);
            assertThatThrownBy(file::rebuild).isInstanceOf(MillraceException.class);
          }
          // the file itself is plain: the records and nothing else
          assertThat(rank.names().size("r")).isEqualTo((long) count * format.recordBytes());
          try (SharedFile raw = rank.open("r", OpenOptions.read())) {
            byte[] bytes = new byte[count * format.recordBytes()];
            raw.at(0).read(Memory.of(bytes));
            TreeSet<Long> seen = new TreeSet<>();
            ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < count; i++) {
              int at = i * format.recordBytes();
              long tag = all.getLong(at + 8 * dimensions);
              assertThat(all.getDouble(at)).isEqualTo(point(tag, dimensions)[0]);
              seen.add(tag);
            }
            assertThat(seen).hasSize(count);
          }
        });
  }

  @Test
  void theSharesOfAllRanksAreTheWhole() throws IOException {
    int count = 2000;
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          byte[] all = new byte[count * 24];
          for (int tag = 0; tag < count; tag++) {
            System.arraycopy(record(tag, point(tag, 2)), 0, all, tag * 24, 24);
          }
          RecordFormat format = format(2);
          try (RangeSearchFile file = RangeSearchFile.create(rank, "s", format)) {
            if (rank.number() == 1) {
              file.insert(all);
            }
            rank.barrier();
            List<KeyRange> box = List.of(KeyRange.atLeast(0), KeyRange.all());
            for (int round = 0; round < 2; round++) {
              long[] seen = new long[count];
              file.searchShare(
                  box,
                  (number, bytes) -> {
                    assertThat(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 16)).isEqualTo(number);
                    seen[(int) number]++;
                  });
              long[] sum = rank.allReduce(seen, Long::sum);
              for (int tag = 0; tag < count; tag++) {
                assertThat(sum[tag]).isEqualTo(isInside(point(tag, 2), box) ? 1 : 0);
              }
              rank.barrier();
              if (rank.number() == 2) {
                file.rebuild();
              }
              rank.barrier();
            }
          }
        });
  }

  @Test
  void duplicatesAreAllFoundAndDoNotHideTheirNeighbours() throws IOException {
    int same = 1500; // many pages of equal keys
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "d", format(2))) {
            for (int i = 0; i < same; i++) {
              file.insert(record(2L * i + rank.number(), 1, 1));
              if (i % 300 == 200) { // another point while a chain is there
                file.insert(record(-1, 1, i % 2 == 0 ? 2 + i : -i));
                file.insert(record(-2, 1 - i, 1));
              }
            }
            rank.barrier();
            assertThat(tags(file, List.of(KeyRange.at(1), KeyRange.at(1)))).hasSize(2 * same);
            assertThat(file.find(List.of(KeyRange.all(), KeyRange.all()))).hasSize(2 * same + 20);
            assertThat(file.find(List.of(KeyRange.at(1), KeyRange.atLeast(1.5)))).hasSize(10);
            assertThat(file.find(List.of(KeyRange.at(1), KeyRange.atMost(0.5)))).isEmpty();
            assertThat(file.find(List.of(KeyRange.atMost(0), KeyRange.all()))).hasSize(10);
          }
        });
  }

  @Test
  void emptyFilesAndDegenerateBoxesFindNothing() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "e", format(1))) {
            assertThat(file.find(List.of(KeyRange.all()))).isEmpty();
            file.insert(new byte[0]);
            rank.barrier();
            if (rank.number() == 0) {
              file.insert(record(1, 5));
            }
            rank.barrier();
            assertThat(file.find(List.of(KeyRange.between(6, 4)))).isEmpty();
            assertThat(file.find(List.of(KeyRange.between(4.5, 4.9)))).isEmpty();
            assertThat(file.find(List.of(KeyRange.at(5)))).hasSize(1);
            assertThatThrownBy(() -> file.find(List.of(KeyRange.all(), KeyRange.all())))
                .hasMessageContaining("2 ranges for 1 dimensions");
            assertThatThrownBy(() -> file.insert(new byte[17])).hasMessageContaining("no number");
            assertThatThrownBy(() -> KeyRange.at(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> KeyRange.at(java.math.BigInteger.ONE))
                .isInstanceOf(IllegalArgumentException.class);
          }
        });
  }

  @Test
  void keysOfEveryKindAreOrderedAsNumbers() throws IOException {
    RecordFormat format =
        new RecordFormat(
            25,
            List.of(
                new KeyField(Kind.INT32, 1),
                new KeyField(Kind.INT64, 5),
                new KeyField(Kind.FLOAT32, 13),
                new KeyField(Kind.FLOAT64, 17)));
    int[] ints = {Integer.MIN_VALUE, -1, 0, 7, Integer.MAX_VALUE};
    long[] longs = {Long.MIN_VALUE, -(1L << 53) - 1, 0, (1L << 53) + 1, Long.MAX_VALUE};
    float[] floats = {Float.NEGATIVE_INFINITY, -2.5f, -0.0f, 1e-40f, Float.MAX_VALUE};
    double[] doubles = {-Double.MAX_VALUE, -1e-300, 0.0, 3, Double.POSITIVE_INFINITY};
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "k", format)) {
            for (int i = 0; i < 5; i++) {
              ByteBuffer bytes = ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN);
              bytes.put((byte) i).putInt(ints[i]).putLong(longs[i]).putFloat(floats[i]);
              file.insert(bytes.putDouble(doubles[i]).array());
            }
            for (int low = 0; low < 5; low++) {
              for (int high = 0; high < 5; high++) {
                int wanted = Math.max(0, high - low + 1);
                check(file, 0, KeyRange.between(ints[low], ints[high]), wanted);
                check(file, 1, KeyRange.between(longs[low], longs[high]), wanted);
                check(file, 2, KeyRange.between(floats[low], floats[high]), wanted);
                check(file, 3, KeyRange.between(doubles[low], doubles[high]), wanted);
              }
            }
            check(file, 0, KeyRange.between(-1.5, 6.9), 2);
            check(file, 0, KeyRange.between(-0.5, 0.5), 1);
            check(file, 1, KeyRange.atLeast(1e30), 0);
            check(file, 1, KeyRange.atMost(-1e30), 0);
            check(file, 1, KeyRange.atLeast(Double.NEGATIVE_INFINITY), 5);
            check(file, 2, KeyRange.at(0), 1); // minus zero is zero
          }
        });
    assertThatThrownBy(() -> new RecordFormat(8, List.of(new KeyField(Kind.INT64, 1))))
        .hasMessageContaining("does not lie in a record of 8");
    assertThatThrownBy(() -> new RecordFormat(8, List.of())).hasMessageContaining("0 keys");
    assertThatThrownBy(() -> new KeyField(Kind.INT32, -1)).hasMessageContaining("-1");
  }

  private static void check(RangeSearchFile file, int dimension, KeyRange range, int wanted)
      throws IOException {
    List<KeyRange> box = new ArrayList<>(Collections.nCopies(4, KeyRange.all()));
    box.set(dimension, range);
    assertThat(file.find(box)).as("dimension %d %s", dimension, range).hasSize(wanted);
  }

  private static void store(Rank rank, String path, int count) throws IOException {
    try (SharedFile raw = rank.open(path, OpenOptions.create().withTruncate())) {
      for (int tag = 0; tag < count && rank.number() == 0; tag++) {
        raw.at(tag * 16L).write(Memory.of(record(tag, tag % 10)));
      }
    }
    rank.barrier();
  }

  @Test
  void filesOfOtherInterfacesAreIndexedWhenTheyAreOpened() throws IOException {
    List<KeyRange> three = List.of(KeyRange.at(3));
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          store(rank, "o", 500);
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "o", format(1))) {
            assertThat(file.isIndexed()).isFalse(); // none there, and none can be made
            assertThat(file.find(three)).hasSize(50);
          }
          try (RangeSearchFile file = RangeSearchFile.open(rank, "o", format(1))) {
            assertThat(file.find(three)).hasSize(50);
          }
          // somebody adds a record past us
          try (SharedFile raw = rank.open("o", OpenOptions.readWrite())) {
            if (rank.number() == 0) {
              raw.at(500 * 16).write(Memory.of(record(500, 3)));
            }
            rank.barrier();
          }
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "o", format(1))) {
            assertThat(file.isIndexed()).isFalse();
            assertThat(file.find(three)).hasSize(51);
          }
          try (RangeSearchFile file = RangeSearchFile.open(rank, "o", format(1))) {
            assertThat(file.find(three)).hasSize(51);
            rank.barrier();
            if (rank.number() == 1) { // by the operations of every file
              file.pwrite(MemorySegment.ofArray(record(0, 3)), 0);
              file.pwriteAsync(MemorySegment.ofArray(record(1, 3)), 16).join();
              file.lseek(32, UnixFile.Whence.SEEK_SET);
              file.write(record(2, 3));
            }
            rank.barrier();
            assertThat(file.find(three)).hasSize(54);
            file.ftruncate(16 * 3);
            assertThat(file.find(List.of(KeyRange.all()))).hasSize(3);
          }
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "o", format(1))) {
            assertThat(file.isIndexed()).isTrue();
          }
          rank.barrier();
          RecordFormat other = new RecordFormat(16, List.of(new KeyField(Kind.INT64, 8)));
          try (RangeSearchFile file = RangeSearchFile.open(rank, "o", other)) { // by another key
            assertThat(file.find(List.of(KeyRange.between(1, 2)))).hasSize(2);
          }
        });
  }

  @Test
  void anIndexThatWasNotClosedIsMadeAgain() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          RangeSearchFile lost = RangeSearchFile.create(rank, "l", format(1));
          for (int tag = 0; tag < 300; tag++) {
            lost.insert(record(tag, tag));
          }
          lost.fsync(); // and the program ends
        });
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "l", format(1))) {
            assertThat(file.isIndexed()).isFalse();
            assertThat(file.find(List.of(KeyRange.between(100, 199)))).hasSize(100);
          }
          try (RangeSearchFile file = RangeSearchFile.open(rank, "l", format(1))) {
            assertThat(file.find(List.of(KeyRange.between(100, 199)))).hasSize(100);
          }
          try (RangeSearchFile file = RangeSearchFile.openToRead(rank, "l", format(1))) {
            assertThat(file.isIndexed()).isTrue();
          }
        });
  }

  /** Rank 0 searches while the others insert: what was complete before is always found, once. */
  @Test
  void searchesGoOnWhileOthersInsert() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "c", format(2))) {
            for (int tag = rank.number(); tag < 600; tag += 3) {
              file.insert(record(tag, point(tag, 2)));
            }
            rank.barrier();
            if (rank.number() > 0) {
              for (int tag = 600 + rank.number(); tag < 2400; tag += 3) {
                file.insert(record(tag, point(tag, 2)));
              }
            } else {
              for (int i = 0; i < 60; i++) {
                List<Long> found = tags(file, List.of(KeyRange.all(), KeyRange.all()));
                assertThat(found).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(600);
                assertThat(found.subList(0, 600)).last().isEqualTo(599L);
              }
            }
            rank.barrier();
            assertThat(file.find(List.of(KeyRange.all(), KeyRange.all()))).hasSize(1800);
          }
        });
  }

  @Test
  void wrongFilesAndDifferentFormatsAreToldToAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          store(rank, "w", 3);
          assertThatThrownBy(() -> RangeSearchFile.open(rank, "w", format(4)))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("48 bytes, which is no number of records of 40");
          assertThatThrownBy(() -> RangeSearchFile.open(rank, "w", format(1 + rank.number())))
              .isInstanceOf(MixedCallException.class);
          assertThatThrownBy(() -> RangeSearchFile.open(rank, "none", format(1)))
              .isInstanceOf(MillraceException.class);
          RangeSearchFile.open(rank, "w", format(1)).close(); // and the next one works
        });
  }
}
