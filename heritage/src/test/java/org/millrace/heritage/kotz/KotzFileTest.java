package org.millrace.heritage.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.OpenOptions;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** Plain files: pointers, mapping functions, logical records, both ways to transfer. */
final class KotzFileTest {

  @TempDir private Path directory;

  private static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  /**
   * What the mapping's formula says that process {@code p} of {@code all} sees, record by record.
   */
  private static byte[] model(
      byte[] file, int record, long pointer, long count, LongBinaryOperator places) {
    byte[] seen = new byte[(int) count * record];
    int have = 0;
    for (long x = pointer; x < pointer + count; x++) {
      long place = places.applyAsLong(x, 0);
      if ((place + 1) * record > file.length) {
        break;
      }
      System.arraycopy(file, (int) place * record, seen, have, record);
      have += record;
    }
    return Arrays.copyOf(seen, have);
  }

  private static void checkRead(KotzFile file, long pointer, int count, byte[] wanted)
      throws IOException {
    byte[] found = new byte[count * file.recordBytes()];
    file.seek(pointer);
    Moved moved = file.readPositioned(segment(found));
    assertThat(moved).isEqualTo(new Moved(pointer, wanted.length / file.recordBytes()));
    assertThat(found).isEqualTo(Arrays.copyOf(wanted, found.length)); // the rest is untouched
    assertThat(file.position()).isEqualTo(pointer + moved.records());
  }

  @Test
  void interleavedRecordsLieWhereTheFormulaSaysForAllSmallSizes() throws IOException {
    byte[] content = Files.counting(61);
    for (int processes = 1; processes <= 3; processes++) {
      int all = processes;
      Programs.run(
          directory.resolve("p" + processes),
          processes,
          2,
          rank -> {
            Files.store(rank, "f", content);
            for (int record = 1; record <= 3; record++) {
              MultiOpen how = MultiOpen.read(FileType.records(record));
              try (KotzFile file = new Kotz(rank).multiopen("f", how)) {
                assertThat(file.records()).isEqualTo(61 / record);
                for (int size = 1; size <= 4; size++) {
                  int block = size;
                  LongBinaryOperator formula =
                      (x, _) -> ((x / block) * all + rank.number()) * block + x % block;
                  file.mapping(Mapping.interleaved(size));
                  for (int pointer = 0; pointer < 30; pointer++) {
                    for (int count : new int[] {0, 1, 5}) {
                      byte[] wanted = model(content, record, pointer, count, formula);
                      if (count == 0) {
                        wanted = new byte[0];
                      }
                      checkRead(file, pointer, count, wanted);
                    }
                  }
                }
              }
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Transfers.class)
  void bothFileSystemsWriteAndReadTheSameBytes(Transfers transfers) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          Shape shape = Shape.rowMajor(6, 4);
          for (Spread spread : new Spread[] {Spread.block(), Spread.cyclic()}) {
            var rows = Distribution.of(shape, Grid.of(3, 1), spread, Spread.none());
            MultiOpen how = MultiOpen.create(FileType.records(5)).by(transfers);
            try (KotzFile file = kotz.multiopen("t", how.mapped(Mapping.part(rows)))) {
              assertThat(file.writeTogether(segment(Files.filled(40, rank.number() + 1))))
                  .isEqualTo(8);
              assertThat(file.position()).isEqualTo(8);
              file.seek(4);
              byte[] back = new byte[40];
              assertThat(file.readTogether(segment(back))).isEqualTo(4); // the file ends there
              assertThat(Arrays.copyOf(back, 20)).containsOnly(rank.number() + 1);
              file.mapping(Mapping.of("backwards", 23, (x, last) -> last - x));
              file.seek(rank.number() * 8L);
              byte[] part = new byte[40];
              assertThat(file.readTogether(segment(part))).isEqualTo(8);
              for (int k = 0; k < 8; k++) {
                long place = 23 - (rank.number() * 8L + k);
                int owner = rows.owner(shape.index(place));
                assertThat(part[k * 5]).isEqualTo((byte) (owner + 1));
              }
            }
          }
        });
  }

  @Test
  void onesOwnMappingIsReadAndWrittenInWindows() throws IOException {
    int records = 10_000; // more than a window
    LongBinaryOperator scramble = (x, by) -> x * by % 10_007;
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          byte[] content = new byte[10_007 * 2];
          MultiOpen how =
              MultiOpen.create(FileType.records(2)).mapped(Mapping.of("scramble", 4001, scramble));
          try (KotzFile file = kotz.multiopen("own", how)) {
            byte[] mine = new byte[records / 2 * 2];
            for (int k = 0; k < mine.length; k++) {
              mine[k] = (byte) (k * 31 + rank.number());
            }
            file.seek(rank.number() * records / 2);
            assertThat(file.write(mine)).isEqualTo(records / 2);
            for (int p = 0; p < 2; p++) {
              for (int k = 0; k < mine.length; k++) {
                long place = scramble.applyAsLong(p * records / 2 + k / 2, 4001);
                content[(int) place * 2 + k % 2] = (byte) (k * 31 + p);
              }
            }
            rank.barrier();
            byte[] back = new byte[mine.length];
            file.seek(rank.number() * records / 2);
            assertThat(file.read(back)).isEqualTo(records / 2);
            assertThat(back).isEqualTo(mine);
          }
          byte[] found = Files.bytes(rank, "own");
          assertThat(Arrays.copyOf(found, content.length)).isEqualTo(content);
        });
  }

  @Test
  void whatOnesOwnMappingWritesTwiceStaysAsWrittenLast() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          MultiOpen how =
              MultiOpen.create(FileType.BYTES).mapped(Mapping.of("folded", 3, (x, n) -> x % n));
          try (KotzFile file = new Kotz(rank).multiopen("fold", how)) {
            assertThat(file.write(Files.counting(8))).isEqualTo(8);
          }
          assertThat(Files.bytes(rank, "fold")).containsExactly(7, 8, 6);
        });
  }

  @Test
  void recordsOfTheGlobalPointerAreGivenOutOnceWithTheirPositions() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          for (Mapping mapping :
              new Mapping[] {
                Mapping.plain(),
                Mapping.interleaved(2, 1, 3),
                Mapping.of("odd", 1, (x, odd) -> 2 * x + odd)
              }) {
            MultiOpen how = MultiOpen.create(FileType.records(3)).globalPointer().mapped(mapping);
            try (KotzFile file = kotz.multiopen("log", how)) {
              byte[] mine = Files.filled(3 * (1 + rank.number()), rank.number() + 1);
              long at = file.writePositioned(segment(mine)).position();
              rank.barrier();
              assertThat(file.position()).isEqualTo(10);
              rank.barrier();
              if (rank.number() == 0) {
                file.seek(0);
              }
              rank.barrier();
              long[] seen = new long[10];
              byte[] four = new byte[12];
              while (true) {
                Moved moved = file.readPositioned(segment(four));
                if (moved.records() == 0) {
                  break;
                }
                for (int i = 0; i < moved.records(); i++) {
                  seen[(int) moved.position() + i] = 100L + four[3 * i];
                }
              }
              long[] all = rank.allReduce(seen, Long::sum); // each was given to one process
              for (int i = 0; i < 10; i++) {
                assertThat(all[i]).isBetween(101L, 104L);
              }
              assertThat(all[(int) at]).isEqualTo(101 + rank.number());
              rank.barrier();
              assertThat(file.position()).isEqualTo(10); // not beyond the end
              assertThatThrownBy(() -> file.readTogether(segment(four)))
                  .isInstanceOf(IllegalStateException.class);
            }
          }
        });
  }

  @Test
  void bytePlainFilesAreFilesOfRecordsOfOneByte() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          try (KotzFile file =
              kotz.multiopen("b", MultiOpen.create(FileType.BYTES).atomicCalls())) {
            file.seek(rank.number() * 4L);
            assertThat(file.write(Files.filled(4, rank.number() + 1))).isEqualTo(4);
            assertThat(file.write(new byte[0])).isZero();
            assertThat(file.position()).isEqualTo(4 + rank.number() * 4);
            file.flush();
          }
          assertThat(Files.bytes(rank, "b")).containsExactly(1, 1, 1, 1, 2, 2, 2, 2);
          assertThat(rank.names().list("")).containsExactly("b"); // no type need be kept
        });
  }

  @Test
  void noRecordOfANewFileLiesOnTwoDisks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          for (int record : new int[] {1, 3, 1000, 65_537}) {
            FileType type = FileType.records(record);
            try (KotzFile _ = new Kotz(rank).multiopen("striped" + record, MultiOpen.create(type));
                var raw = rank.open("striped" + record, OpenOptions.read())) {
              assertThat(raw.layout().stripeUnitBytes() % record).isZero();
            }
          }
        });
  }

  @Test
  void aTypeThatCannotGoIsToldToAllBeforeTheBytesGo() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          try (KotzFile file = kotz.multiopen("t", MultiOpen.create(FileType.records(4)))) {
            file.write(Files.counting(8));
          }
          rank.barrier();
          try (var _ = rank.open("t.kotz", OpenOptions.read())) {
            for (FileType type : new FileType[] {FileType.BYTES, FileType.records(2)}) {
              assertThatThrownBy(() -> kotz.multiopen("t", MultiOpen.create(type)))
                  .isInstanceOfSatisfying(
                      MillraceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
            }
            assertThatThrownBy(
                    () ->
                        kotz.multiopenSubfiles("t", MultiOpen.create(FileType.BYTES.multifile(2))))
                .isInstanceOf(MillraceException.class);
            rank.barrier();
          }
          assertThat(Files.bytes(rank, "t")).isEqualTo(Files.counting(8));
          assertThat(kotz.type("t")).isEqualTo(FileType.records(4));
        });
  }

  @Test
  void aTransferThatFailsLeavesTheGlobalPointer() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Files.store(rank, "g", Files.counting(8));
          try (KotzFile file = new Kotz(rank).multiopen("g", MultiOpen.read().globalPointer())) {
            assertThatThrownBy(() -> file.write(new byte[4])).isInstanceOf(MillraceException.class);
            rank.barrier();
            assertThat(file.position()).isZero();
            rank.barrier();
            assertThat(file.read(new byte[4])).isEqualTo(4);
          }
        });
  }

  @Test
  void wrongUseIsToldToAllAndMovesNothing() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          MultiOpen create = MultiOpen.create(FileType.records(4));
          boolean odd = rank.number() == 1;
          assertThatThrownBy(() -> kotz.multiopen("w", odd ? create.globalPointer() : create))
              .isInstanceOf(MixedCallException.class);
          assertThatThrownBy(
                  () -> kotz.multiopen("w", create.globalPointer().mapped(Mapping.interleaved(1))))
              .isInstanceOf(IllegalArgumentException.class);
          var tooMany = Distribution.of(Shape.rowMajor(4), Grid.of(2), Spread.block());
          assertInvalid(
              () -> kotz.multiopen("w", odd ? create.mapped(Mapping.part(tooMany)) : create));
          try (KotzFile file = kotz.multiopen("w", create)) {
            file.writeTogether(segment(odd ? Files.counting(8) : new byte[0]));
            assertThatThrownBy(() -> file.write(new byte[5]))
                .hasMessageContaining("no number of records");
            assertThatThrownBy(() -> file.seek(-1)).hasMessageContaining("-1");
            byte[] bad = new byte[odd ? 5 : 4];
            assertInvalid(() -> file.writeTogether(segment(bad)));
            Mapping below = Mapping.of("below", 2, (x, two) -> two - x);
            file.mapping(odd ? below : Mapping.plain());
            file.seek(0);
            assertThatThrownBy(() -> file.write(odd ? new byte[16] : new byte[1]))
                .isInstanceOf(odd ? IndexOutOfBoundsException.class : RuntimeException.class);
            assertThat(file.position()).isZero();
            assertInvalid(() -> file.writeTogether(segment(new byte[odd ? 16 : 4])));
            assertThat(file.position()).isZero();
            assertThat(Files.bytes(rank, "w")).isEqualTo(Files.counting(8));
          }
          MultiOpen shared = MultiOpen.read().globalPointer();
          try (KotzFile file = kotz.multiopen("w", shared)) {
            Mapping mine = Mapping.of("mine", rank.number(), Long::sum);
            assertThatThrownBy(() -> file.mapping(mine)).isInstanceOf(MixedCallException.class);
            file.mapping(Mapping.of("ours", 1, Long::sum));
            assertThat(file.mapping()).isInstanceOf(Mapping.Own.class);
            assertThatThrownBy(() -> file.write(new byte[4])).isInstanceOf(MillraceException.class);
          }
          assertThatThrownBy(() -> kotz.multiopen("none", MultiOpen.read()))
              .isInstanceOf(MillraceException.class);
        });
    assertThatThrownBy(() -> Mapping.interleaved(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Mapping.interleaved(1, 2, 2)).hasMessageContaining("process 2 of 2");
    assertThatThrownBy(() -> FileType.records(0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertInvalid(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
