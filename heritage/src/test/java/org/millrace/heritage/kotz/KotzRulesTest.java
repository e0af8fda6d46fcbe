package org.millrace.heritage.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Late;
import org.millrace.heritage.testing.Programs;

/** Kotz's rules that need late processes, several groups or ends that move. */
final class KotzRulesTest {

  private static final FileType RECORDS = FileType.records(4);

  @TempDir private Path directory;

  private static MemorySegment records(int count, int value) {
    return MemorySegment.ofArray(Files.filled(4 * count, value));
  }

  @Test
  void multiopenWaitsForAllProcesses() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          for (int late = 0; late < 3; late++) {
            Late.before(rank, late, "plain" + late);
            try (KotzFile file = kotz.multiopen("f", MultiOpen.create(RECORDS))) {
              assertThat(Late.hasCome(rank, "plain" + late)).isTrue();
              assertThat(file.records()).isZero();
            }
            Late.before(rank, late, "multi" + late);
            MultiOpen multi = MultiOpen.create(RECORDS.multifile(3));
            try (Multifile file = kotz.multiopenSubfiles("m", multi)) {
              assertThat(Late.hasCome(rank, "multi" + late)).isTrue();
              assertThat(file.subfiles()).hasSize(1);
            }
          }
        });
  }

  @Test
  void processesThatAskForDifferentThingsAreToldWhoDoes() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          boolean odd = rank.number() == 2;
          Late.before(rank, 1, "come");
          assertThatThrownBy(() -> kotz.multiopen(odd ? "g" : "f", MultiOpen.create(RECORDS)))
              .isInstanceOf(MixedCallException.class)
              .hasMessageContaining("rank 2");
          assertThatThrownBy(
                  () -> kotz.multiopen("f", MultiOpen.create(FileType.records(odd ? 3 : 4))))
              .isInstanceOf(MixedCallException.class)
              .hasMessageContaining("rank 2");
          var tooFew = Distribution.of(Shape.rowMajor(4), Grid.of(2), Spread.block());
          MultiOpen create = MultiOpen.create(RECORDS);
          assertThatThrownBy(
                  () -> kotz.multiopen("f", odd ? create.mapped(Mapping.part(tooFew)) : create))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
              .hasMessageContaining("rank 2");
          rank.barrier();
          rank.names().checkReplaceable("f"); // what the last one made is open nowhere
          rank.barrier();
          assertThatThrownBy(
                  () -> {
                    if (odd) {
                      kotz.multiopenSubfiles("f", MultiOpen.create(RECORDS.multifile(2)));
                    } else {
                      kotz.multiopen("f", MultiOpen.create(RECORDS));
                    }
                  })
              .isInstanceOf(MixedCallException.class);
        });
  }

  /** What was reported: ends of subfiles that no process has open were given as 0. */
  @Test
  void endsAreTrueForSubfilesThatNoProcessHasOpen() throws IOException {
    FileType type = RECORDS.multifile(4, 2);
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.create(type))) {
            for (Subfile one : file.subfiles()) {
              one.append(records(1 + one.number(), 1));
            }
            Late.before(rank, 1, "come");
            assertThat(file.ends()).containsExactly(1, 2, 3, 4);
          }
          try (Multifile file =
              kotz.multiopenSubfiles("m", MultiOpen.read().mySubfiles(3 * rank.number()))) {
            assertThat(file.ends()).containsExactly(1, 2, 3, 4); // 1 and 2 are nobody's
          }
          try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.read().mySubfiles())) {
            assertThat(file.subfiles()).isEmpty();
            assertThat(file.ends()).containsExactly(1, 2, 3, 4);
          }
          FileType other = RECORDS.multifile(2, 4);
          try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.read(other))) {
            assertThat(file.ends()).containsExactly(8, 8); // as the plain file has them
          }
        });
  }

  @Test
  void endsThatAnotherGroupMovesAreSeen() throws IOException {
    FileType type = RECORDS.multifile(2, 2);
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz both = new Kotz(rank);
          both.multiopenSubfiles("m", MultiOpen.create(type)).close();
          Rank alone = rank.alone();
          Kotz mine = new Kotz(alone);
          MultiOpen how =
              rank.number() == 0
                  ? MultiOpen.update().mySubfiles(0)
                  : MultiOpen.read().mySubfiles(0);
          try (Multifile file = mine.multiopenSubfiles("m", how)) {
            Subfile one = file.subfile(0);
            for (int round = 1; round < 6; round++) {
              if (rank.number() == 0) {
                one.append(records(2, round));
              }
              rank.barrier();
              assertThat(one.end()).isEqualTo(2L * round);
              assertThat(file.ends()).containsExactly(2L * round, 0);
              byte[] last = new byte[100];
              one.seek(2L * round - 2);
              assertThat(one.read(last)).isEqualTo(2);
              assertThat(last[0]).isEqualTo((byte) round);
              rank.barrier();
            }
          }
          rank.barrier();
          try (Multifile file = mine.multiopenSubfiles("m", MultiOpen.update().mySubfiles(0))) {
            for (int turn = 0; turn < 6; turn++) { // groups that append in turn lose nothing
              if (turn % 2 == rank.number()) {
                assertThat(file.subfile(0).append(records(1, 50 + turn)).position())
                    .isEqualTo(10 + turn);
              }
              rank.barrier();
            }
            assertThat(file.ends()).containsExactly(16, 0);
          }
          rank.barrier();
          alone.leave("");
        });
  }

  /** Each process is a group of its own, and nobody takes turns. */
  @Test
  void groupsThatAppendAtTheSameTimeLoseNothing() throws IOException {
    FileType type = RECORDS.multifile(2);
    int each = 12;
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          new Kotz(rank).multiopenSubfiles("m", MultiOpen.create(type)).close();
          Rank alone = rank.alone();
          MultiOpen how = MultiOpen.update().mySubfiles(1);
          try (Multifile file = new Kotz(alone).multiopenSubfiles("m", how)) {
            Subfile one = file.subfile(1);
            rank.barrier();
            for (int i = 0; i < each; i++) {
              one.append(records(1, 1 + rank.number()));
            }
            rank.barrier();
            assertThat(one.end()).isEqualTo(3L * each);
            int[] found = new int[4];
            one.seek(0);
            byte[] record = new byte[type.recordBytes()];
            while (one.read(record) > 0) {
              found[record[0]]++;
            }
            assertThat(found).containsExactly(0, each, each, each);
            rank.barrier();
          }
          alone.leave("");
        });
  }

  @Test
  void aSubfileThatIsAskedForTwiceOrIsNoneIsToldToAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          kotz.multiopenSubfiles("m", MultiOpen.create(RECORDS.multifile(3))).close();
          for (int[] wrong : new int[][] {{3}, {-1}, {1, 1}}) {
            MultiOpen how = MultiOpen.read();
            MultiOpen mine = rank.number() == 1 ? how.mySubfiles(wrong) : how;
            Late.before(rank, 0, "come");
            assertThatThrownBy(() -> kotz.multiopenSubfiles("m", mine))
                .isInstanceOfSatisfying(
                    MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
                .hasMessageContaining("rank 1");
          }
          rank.barrier();
          rank.names().checkReplaceable("m"); // and nothing is left open
          rank.names().checkReplaceable("m.kotz");
          rank.barrier();
        });
  }

  @Test
  void aFileHasOneNameThoughItLiesOnManyDisks() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          Kotz kotz = new Kotz(rank);
          try (KotzFile file = kotz.multiopen("one", MultiOpen.create(FileType.BYTES))) {
            file.seek(300_000L * rank.number());
            file.write(Files.filled(300_000, 1 + rank.number()));
          }
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("one");
          assertThat(rank.names().layout("one").strands()).isEqualTo(3);
          assertThat(Files.bytes(rank, "one")).hasSize(600_000); // and is an ordinary file
        });
  }

  /** A multifile has one entry for its bytes, however many subfiles there are. */
  @Test
  void aMultifileIsOneFileWithOneName() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          try (Multifile file =
              kotz.multiopenSubfiles("m", MultiOpen.create(RECORDS.multifile(6, 1)))) {
            for (Subfile one : file.subfiles()) {
              one.append(records(1, one.number()));
            }
          }
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("m", "m.kotz");
          assertThat(rank.names().size("m")).isEqualTo(24);
          rank.barrier();
          if (rank.number() == 0) {
            kotz.remove("m");
          }
          rank.barrier();
          assertThat(rank.names().list("")).isEmpty();
          assertThatThrownBy(() -> kotz.multiopen("m", MultiOpen.read()))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void eachProcessHasALocalPointerUnlessAskedOtherwise() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Files.store(rank, "f", Files.counting(30));
          try (KotzFile file = new Kotz(rank).multiopen("f", MultiOpen.read())) {
            file.seek(rank.number());
            byte[] got = new byte[1 + rank.number()];
            assertThat(file.readPositioned(MemorySegment.ofArray(got)))
                .isEqualTo(new Moved(rank.number(), got.length));
            rank.barrier();
            assertThat(file.position()).isEqualTo(2L * rank.number() + 1);
          }
        });
  }

  @Test
  void aGlobalPointersTransferAndMoveAreOneStep() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          MultiOpen how = MultiOpen.create(RECORDS).globalPointer();
          try (KotzFile file = new Kotz(rank).multiopen("log", how)) {
            long[] places = new long[10];
            for (int i = 0; i < 10; i++) {
              places[i] = file.writePositioned(records(2, 1 + rank.number())).position();
            }
            rank.barrier();
            assertThat(file.position()).isEqualTo(80);
            byte[] all = Files.bytes(rank, "log");
            for (long place : places) { // what this process was told is where its records are
              for (int b = 0; b < 8; b++) {
                assertThat(all[(int) place * 4 + b]).isEqualTo((byte) (1 + rank.number()));
              }
            }
          }
        });
  }

  /** All four types, made by one and read as each of them by all. */
  @Test
  void anyTypeIsReadAsAnyTypeAndStaysWhatItIs() throws IOException {
    List<FileType> types =
        List.of(FileType.BYTES, RECORDS, FileType.BYTES.multifile(2, 4), RECORDS.multifile(2, 1));
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          for (FileType made : types) {
            if (made.isMultifile()) {
              try (Multifile file = kotz.multiopenSubfiles("f", MultiOpen.create(made))) {
                file.subfile(rank.number()).append(records(3, 1 + rank.number()));
              }
            } else {
              try (KotzFile file = kotz.multiopen("f", MultiOpen.create(made))) {
                if (rank.number() == 0) {
                  for (int block = 0; block < 6; block++) {
                    file.write(records(1, 1 + block % 2));
                  }
                }
              }
            }
            rank.barrier();
            for (FileType as : types) {
              if (as.isMultifile()) {
                try (Multifile file = kotz.multiopenSubfiles("f", MultiOpen.read(as))) {
                  byte[] got = new byte[12];
                  assertThat(file.subfile(rank.number()).read(got))
                      .isEqualTo(12 / as.recordBytes());
                  assertThat(got).containsOnly(1 + rank.number());
                }
              } else {
                try (KotzFile file = kotz.multiopen("f", MultiOpen.read(as))) {
                  byte[] got = new byte[24];
                  assertThat(file.read(got)).isEqualTo(24 / as.recordBytes());
                  assertThat(got[0]).isEqualTo((byte) 1);
                  assertThat(got[4]).isEqualTo((byte) 2);
                }
              }
            }
            assertThat(kotz.type("f")).isEqualTo(made);
            rank.barrier();
          }
        });
  }

  @Test
  void theMappingCanBeGivenAtTheOpenOrLater() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Files.store(rank, "f", Files.counting(16));
          MultiOpen how = MultiOpen.read().mapped(Mapping.interleaved(4));
          try (KotzFile file = new Kotz(rank).multiopen("f", how)) {
            byte[] four = new byte[4];
            file.read(four);
            assertThat(four[0]).isEqualTo((byte) (1 + 4 * rank.number()));
            file.mapping(Mapping.of("twice", 2, (pointer, by) -> pointer * by)); // x and parameter
            assertThat(file.position()).isEqualTo(4); // the pointer stays
            file.read(four);
            assertThat(four).containsExactly(9, 11, 13, 15);
          }
        });
  }

  @Test
  void sizesThatNoFileCanHaveAreRefused() {
    assertThatThrownBy(() -> FileType.records(1 << 20).multifile(2, 1 << 12))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than");
    assertThatThrownBy(() -> new FileType(4, -1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RECORDS.multifile(2, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void numbersAndBuffersAreReadAndWritten() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          FileType eight = FileType.records(8);
          MultiOpen create = MultiOpen.create(eight).mapped(Mapping.interleaved(1));
          try (KotzFile file = kotz.multiopen("f", create)) {
            assertThat(file.write(new int[] {rank.number(), 2})).isEqualTo(1);
            assertThat(file.together().write(new double[] {0.5})).isEqualTo(1);
            assertThat(file.write(ByteBuffer.allocate(10).position(2))).isEqualTo(1);
            file.seek(0);
            int[] ints = new int[2];
            double[] one = new double[1];
            file.read(ints);
            assertThat(file.together().read(one)).isEqualTo(1);
            assertThat(ints).containsExactly(rank.number(), 2);
            assertThat(one).containsExactly(0.5);
          }
          try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.create(eight.multifile(2)))) {
            Subfile mine = file.subfile(rank.number());
            mine.append(new int[] {3, rank.number()});
            mine.append(new double[] {0.25});
            mine.append(ByteBuffer.wrap(Files.counting(8)));
            mine.seek(0);
            long[] three = new long[3];
            assertThat(mine.read(three)).isEqualTo(3);
            assertThat(Double.longBitsToDouble(three[1])).isEqualTo(0.25);
          }
        });
  }

  @Test
  void aFailedOpenLeavesNothingOpen() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          kotz.multiopenSubfiles("m", MultiOpen.create(RECORDS.multifile(2))).close();
          assertThatThrownBy(() -> kotz.multiopen("m", MultiOpen.update()))
              .isInstanceOf(WrongFileTypeException.class);
          FileType other = RECORDS.multifile(5);
          assertThatThrownBy(() -> kotz.multiopenSubfiles("m", MultiOpen.update(other)))
              .isInstanceOf(WrongFileTypeException.class);
          assertThatThrownBy(() -> kotz.multiopenSubfiles("m", MultiOpen.update().mySubfiles(0)))
              .isInstanceOf(MillraceException.class);
          MultiOpen mapped =
              MultiOpen.read()
                  .mapped(
                      Mapping.part(Distribution.of(Shape.rowMajor(4), Grid.of(7), Spread.block())));
          assertThatThrownBy(() -> kotz.multiopen("m", mapped))
              .isInstanceOf(MillraceException.class);
          rank.barrier();
          rank.names().checkReplaceable("m");
          rank.names().checkReplaceable("m.kotz");
          rank.barrier();
          try (var _ = rank.open("m", OpenOptions.read())) {
            rank.barrier();
          }
        });
  }
}
