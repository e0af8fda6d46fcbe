package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** The cases with known answers about pointers, lengths and atomicity: 4 to 9, 18 and 23. */
final class MpiioCasesTest {

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void case4SharedWritesAppendWholeBlocksInSomeOrder() throws IOException {
    run(
        4,
        rank -> {
          try (File file = File.open(rank, "shared", Ints.CREATE)) {
            file.setView(0, Datatype.INT, Datatype.INT, Ints.NATIVE);
            MemorySegment mine = Ints.of(1024, i -> 1024 * rank.number() + i);
            file.writeShared(mine, 1024, Datatype.INT);
            rank.barrier();
            assertThat(file.getSize()).isEqualTo(16_384);
            assertThat(file.getPositionShared()).isEqualTo(4096);
            file.seekShared(0, Whence.SEEK_SET);
            MemorySegment block = Ints.of(1024, _ -> -1);
            Status status = file.readShared(block, 1024, Datatype.INT);
            assertThat(status.getCount(Datatype.INT)).isEqualTo(1024);
            int writer = Ints.in(block)[0] / 1024;
            assertThat(Ints.in(block)).isEqualTo(Ints.in(Ints.of(1024, i -> 1024 * writer + i)));
            List<byte[]> writers = rank.gather(0, new byte[] {(byte) writer});
            if (rank.number() == 0) {
              assertThat(writers)
                  .extracting(one -> one[0])
                  .containsExactlyInAnyOrder((byte) 0, (byte) 1, (byte) 2, (byte) 3);
            }
          }
        });
  }

  @Test
  void case5OrderedAccessesGoInOrderOfRank() throws IOException {
    run(
        4,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "ordered", Ints.CREATE)) {
            file.setView(0, Datatype.INT, Datatype.INT, Ints.NATIVE);
            file.writeOrdered(Ints.of(200, i -> 200 * r + i), 200, Datatype.INT);
            rank.barrier();
            assertThat(Ints.file(rank, "ordered")).isEqualTo(IntStream.range(0, 800).toArray());
            file.seekShared(0, Whence.SEEK_SET);
            MemorySegment mine = Ints.of(200, _ -> -1);
            file.readOrdered(mine, 200, Datatype.INT);
            assertThat(Ints.in(mine)).isEqualTo(Ints.in(Ints.of(200, i -> 200 * r + i)));
            file.seekShared(0, Whence.SEEK_SET);
            int count = r % 2 == 0 ? 0 : 10;
            MemorySegment some = Ints.of(10, _ -> -1);
            Status status = file.readOrdered(some, count, Datatype.INT);
            assertThat(status.getCount(Datatype.INT)).isEqualTo(count);
            int first = r % 2 == 0 ? -1 : r / 2 * 10;
            assertThat(Ints.in(some)[0]).isEqualTo(first);
            assertThat(file.getPositionShared()).isEqualTo(20);
          }
        });
  }

  @Test
  void case6AccessesOfNothingMoveNothing() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "nothing", Ints.CREATE)) {
            file.setView(0, Datatype.INT, Datatype.INT, Ints.NATIVE);
            file.seek(3, Whence.SEEK_SET);
            file.seekShared(5, Whence.SEEK_SET);
            MemorySegment none = Ints.of(1, _ -> 7);
            Datatype i = Datatype.INT;
            Status[] all = {
              file.readAt(9, none, 0, i),
              file.writeAt(9, none, 0, i),
              file.readAtAll(9, none, 0, i),
              file.writeAtAll(9, none, 0, i),
              file.read(none, 0, i),
              file.write(none, 0, i),
              file.readAll(none, 0, i),
              file.writeAll(none, 0, i),
              file.readShared(none, 0, i),
              file.writeShared(none, 0, i),
              file.readOrdered(none, 0, i),
              file.writeOrdered(none, 0, i),
              file.iReadAt(9, none, 0, i).waitStatus(),
              file.iWriteAt(9, none, 0, i).waitStatus(),
              file.iReadAtAll(9, none, 0, i).waitStatus(),
              file.iWriteAtAll(9, none, 0, i).waitStatus(),
              file.iRead(none, 0, i).waitStatus(),
              file.iWrite(none, 0, i).waitStatus(),
              file.iReadAll(none, 0, i).waitStatus(),
              file.iWriteAll(none, 0, i).waitStatus(),
              file.iReadShared(none, 0, i).waitStatus(),
              file.iWriteShared(none, 0, i).waitStatus(),
            };
            for (Status status : all) {
              assertThat(status.bytes()).isZero();
              assertThat(status.getCount(i)).isZero();
            }
            assertThat(file.getPosition()).isEqualTo(3);
            assertThat(file.getPositionShared()).isEqualTo(5);
            assertThat(file.getSize()).isZero();
            assertThat(Ints.in(none)).containsExactly(7);
          }
        });
  }

  @Test
  void case7CollectiveReadsAreShortAtTheEnd() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "short", Ints.CREATE)) {
            if (rank.number() == 0) {
              file.write(new byte[] {0, 1, 2, 3, 4}, 5, Datatype.BYTE);
            }
            rank.barrier();
            byte[] into = new byte[10];
            Arrays.fill(into, (byte) 9);
            Status status = file.readAtAll(0, into, 10, Datatype.BYTE);
            assertThat(status.getCount(Datatype.BYTE)).isEqualTo(5);
            assertThat(into).containsExactly(0, 1, 2, 3, 4, 9, 9, 9, 9, 9);
          }
        });
  }

  @Test
  void case8SomeRanksMayWantNothing() throws IOException {
    run(
        16,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "some", Ints.CREATE)) {
            byte[] mine = {(byte) r, (byte) r};
            file.writeAtAll(2L * r, mine, r < 8 ? 2 : 0, Datatype.BYTE);
            rank.barrier();
            assertThat(file.getSize()).isEqualTo(16);
            byte[] into = new byte[10];
            Status status = file.readAtAll(0, into, r == 0 ? 10 : 0, Datatype.BYTE);
            assertThat(status.bytes()).isEqualTo(r == 0 ? 10 : 0);
            byte[] expected =
                r == 0 ? new byte[] {0, 0, 1, 1, 2, 2, 3, 3, 4, 4} : new byte[into.length];
            assertThat(into).isEqualTo(expected);
          }
        });
  }

  @Test
  void case9PreallocatingOnlyGrows() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "grown", Ints.CREATE)) {
            long[][] steps = {{1, 1}, {100, 100}, {10, 100}, {200, 200}};
            for (long[] step : steps) {
              file.preallocate(step[0]);
              assertThat(file.getSize()).isEqualTo(step[1]);
            }
          }
        });
  }

  @Test
  void case18AtomicReadersSeeAllOrNothing() throws IOException {
    Datatype everyOther = Datatype.createVector(10_000, 1, 2, Datatype.INT);
    run(
        4,
        rank -> {
          assertThat(torn(rank, Datatype.INT, true, 15)).isZero();
          assertThat(torn(rank, everyOther, true, 15)).isZero();
        });
  }

  @Test
  void case18ControlWithoutAtomicityIsTornSometimes() throws IOException {
    AtomicInteger torn = new AtomicInteger();
    Datatype everyOther = Datatype.createVector(10_000, 1, 2, Datatype.INT);
    run(
        4,
        rank -> {
          long sum = 0;
          for (int i = 0; i < 100 && sum == 0; i++) {
            sum = rank.allReduceLong(torn(rank, everyOther, false, 20), Long::sum);
          }
          torn.addAndGet((int) sum);
        });
    assertThat(torn.get()).isPositive();
  }

  /** How many reads of this rank saw part of a write. */
  private static int torn(Rank rank, Datatype filetype, boolean atomic, int rounds)
      throws IOException {
    int torn = 0;
    // small stripes: many places where a write can be seen half done
    try (File file = File.open(rank, "torn", Ints.CREATE, Info.of("striping_unit", "512"))) {
      file.setView(0, Datatype.INT, filetype, Ints.NATIVE);
      file.setAtomicity(atomic);
      assertThat(file.getAtomicity()).isEqualTo(atomic);
      MemorySegment memory = Ints.of(10_000, _ -> 0);
      for (int round = 0; round < rounds; round++) {
        if (rank.number() == 0) {
          file.writeAt(0, Ints.of(10_000, _ -> 0), 10_000, Datatype.INT);
        }
        rank.barrier();
        if (rank.number() == 0) {
          file.writeAt(0, Ints.of(10_000, _ -> 10), 10_000, Datatype.INT);
        } else {
          file.readAt(0, memory, 10_000, Datatype.INT);
          var seen = new TreeSet<Integer>();
          Arrays.stream(Ints.in(memory)).forEach(seen::add);
          assertThat(seen).isSubsetOf(0, 10);
          torn += seen.size() - 1;
        }
        rank.barrier();
      }
    }
    return torn;
  }

  @Test
  void case23AdjacentPiecesAreExactAndNothingElseIsWritten() throws IOException {
    run(
        4,
        rank -> {
          int r = rank.number();
          for (int start : new int[] {0, 2235}) {
            String name = "adjacent" + start;
            try (File file = File.open(rank, name, Ints.CREATE)) {
              byte[] mine = new byte[100];
              Arrays.fill(mine, (byte) (r + 1));
              file.writeAtAll(start + 100L * r, mine, 100, Datatype.BYTE);
            }
            byte[] expected = new byte[start + 400];
            for (int i = 0; i < 400; i++) {
              expected[start + i] = (byte) (i / 100 + 1);
            }
            assertThat(Ints.bytes(rank, name)).isEqualTo(expected);
          }
        });
  }
}
