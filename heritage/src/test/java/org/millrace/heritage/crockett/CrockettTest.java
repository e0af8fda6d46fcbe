package org.millrace.heritage.crockett;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Programs;

/** The six organizations against records that are numbered by their place. */
@SuppressWarnings("EnumOrdinal") // another organization for each rank
final class CrockettTest {

  private static final int RECORD = 3;

  @TempDir private Path directory;

  /** A record is its number, three times. */
  private static byte[] records(int... numbers) {
    byte[] bytes = new byte[numbers.length * RECORD];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) numbers[i / RECORD];
    }
    return bytes;
  }

  private static byte[] numbered(int from, int to) {
    int[] numbers = new int[Math.max(0, to - from)];
    Arrays.setAll(numbers, i -> from + i);
    return records(numbers);
  }

  private static byte[] global(Rank rank) throws IOException {
    rank.barrier();
    try (ParallelFile file = new Crockett(rank).openGlobal("f", OpenOptions.read())) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  private static void make(Rank rank, int records) throws IOException {
    if (rank.number() == 0) {
      OpenOptions create = OpenOptions.create().withTruncate().withStripeUnit(5).withStrands(2);
      try (ParallelFile file = new Crockett(rank).openGlobal("f", create)) {
        file.write(numbered(0, records));
      }
    }
    rank.barrier();
  }

  @Test
  void partitionsAreContiguousAndHoldEveryRecordOnceForAllSmallNumbers() throws IOException {
    for (int ranks = 1; ranks <= 3; ranks++) {
      Programs.run(
          directory.resolve("" + ranks),
          ranks,
          2,
          rank -> {
            for (int records = 0; records <= 8; records++) {
              for (int perBlock = 1; perBlock <= 3; perBlock++) {
                partition(rank, records, perBlock);
              }
            }
          });
    }
  }

  private static void partition(Rank rank, int records, int perBlock) throws IOException {
    int blocks = (records + perBlock - 1) / perBlock;
    int share = (blocks + rank.size() - 1) / rank.size() * perBlock;
    int from = Math.min(records, rank.number() * share);
    int to = Math.min(records, from + share);
    Form form = Form.of(RECORD, perBlock).records(records);
    Crockett crockett = new Crockett(rank);
    OpenOptions create = OpenOptions.create().withTruncate();
    try (ParallelFile file = crockett.open("f", create, form, Organization.PARTITIONED)) {
      for (int i = from; i < to && records > 0; i++) {
        assertThat(file.write(records(i))).isEqualTo(RECORD);
      }
      if (records > 0) {
        assertThatThrownBy(() -> file.write(records(99))).isInstanceOf(CrockettException.class);
        assertThat(file.position()).isEqualTo(to - from);
      }
    }
    assertThat(global(rank)).isEqualTo(numbered(0, records));
    rank.barrier();
    try (ParallelFile file =
        crockett.open(
            "f", OpenOptions.read(), Form.of(RECORD, perBlock), Organization.PARTITIONED)) {
      byte[] got = new byte[(records + 1) * RECORD];
      int count = (int) file.read(got);
      assertThat(Arrays.copyOf(got, count)).isEqualTo(numbered(from, to));
      assertThat(file.read(got)).isZero(); // the end of the partition, not of the file
    }
    rank.barrier();
  }

  @Test
  void interleavedBlocksComeRoundForAllSmallNumbers() throws IOException {
    for (int ranks = 1; ranks <= 3; ranks++) {
      Programs.run(
          directory.resolve("" + ranks),
          ranks,
          2,
          rank -> {
            for (int records = 0; records <= 8; records++) {
              for (int perBlock = 1; perBlock <= 3; perBlock++) {
                interleave(rank, records, perBlock);
              }
            }
          });
    }
  }

  private static void interleave(Rank rank, int records, int perBlock) throws IOException {
    Crockett crockett = new Crockett(rank);
    Form form = Form.of(RECORD, perBlock);
    int[] mine =
        IntStream.range(0, records)
            .filter(i -> i / perBlock % rank.size() == rank.number())
            .toArray();
    OpenOptions create = OpenOptions.create().withTruncate();
    try (ParallelFile file = crockett.open("f", create, form, Organization.INTERLEAVED)) {
      for (int one : mine) {
        file.write(records(one));
      }
      assertThat(file.position()).isEqualTo(mine.length);
    }
    assertThat(global(rank)).isEqualTo(numbered(0, records));
    rank.barrier();
    try (ParallelFile file =
        crockett.open("f", OpenOptions.read(), form, Organization.INTERLEAVED)) {
      byte[] got = new byte[(records + 1) * RECORD];
      assertThat(Arrays.copyOf(got, (int) file.read(got))).isEqualTo(records(mine));
    }
    rank.barrier();
  }

  @Test
  void selfScheduledGivesEachRecordToOneProcess() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          make(rank, 20);
          Form form = Form.of(RECORD, 4);
          try (ParallelFile file =
              new Crockett(rank).open("f", OpenOptions.read(), form, Organization.SELF_SCHEDULED)) {
            int[] counts = new int[20];
            byte[] got = new byte[RECORD];
            while (file.read(got) > 0) {
              assertThat(got).containsOnly(got[0]);
              counts[got[0]]++;
            }
            for (int count : counts) {
              assertThat(rank.allReduceLong(count, Long::sum)).isEqualTo(1);
            }
            assertThat(file.position()).isEqualTo(20);
            rank.barrier();
          }
        });
  }

  @Test
  void sequentialIsForProcessZeroAlone() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Form form = Form.of(RECORD, 1);
          try (ParallelFile file =
              new Crockett(rank).open("f", OpenOptions.create(), form, Organization.SEQUENTIAL)) {
            if (rank.number() == 0) {
              file.write(numbered(0, 4));
            } else {
              assertThatThrownBy(() -> file.write(records(7)))
                  .isInstanceOf(CrockettException.class);
              assertThatThrownBy(() -> file.read(records(7))).isInstanceOf(CrockettException.class);
            }
          }
          assertThat(global(rank)).isEqualTo(numbered(0, 4));
        });
  }

  @Test
  void directAccessIsToAnyRecordOrToOnesOwnBlocks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          make(rank, 9);
          Crockett crockett = new Crockett(rank);
          Form form = Form.of(RECORD, 2);
          OpenOptions both = OpenOptions.readWrite();
          byte[] one = new byte[RECORD];
          try (ParallelFile file = crockett.open("f", both, form, Organization.GLOBAL_DIRECT)) {
            for (int i = 8; i >= 0; i--) {
              assertThat(file.read(i, one)).isEqualTo(RECORD);
              assertThat(one).isEqualTo(records(i));
            }
            assertThat(file.read(9, one)).isZero();
            byte[] several = new byte[4 * RECORD];
            assertThat(file.read(7, several)).isEqualTo(2 * RECORD);
            assertThatThrownBy(() -> file.read(one)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> file.read(-1, one))
                .isInstanceOf(IllegalArgumentException.class);
          }
          rank.barrier();
          try (ParallelFile file =
              crockett.open("f", both, form, Organization.PARTITIONED_DIRECT)) {
            for (int i = 0; i < 10; i++) {
              int record = i;
              if (i / 2 % 2 == rank.number()) {
                assertThat(file.write(i, records(50 + i))).isEqualTo(RECORD);
              } else {
                assertThatThrownBy(() -> file.write(record, one))
                    .isInstanceOf(CrockettException.class);
                assertThatThrownBy(() -> file.read(record, one))
                    .isInstanceOf(CrockettException.class);
              }
            }
            int first = 2 * rank.number() + 1; // the last of the own block, and a foreign one
            assertThatThrownBy(() -> file.read(first, new byte[2 * RECORD]))
                .isInstanceOf(CrockettException.class);
          }
          assertThat(global(rank)).isEqualTo(numbered(50, 60));
        });
  }

  @Test
  void accessesAreOfWholeRecordsAndNothingMovesNothing() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          make(rank, 3);
          for (Organization organization : Organization.values()) {
            try (ParallelFile file =
                new Crockett(rank)
                    .open("f", OpenOptions.readWrite(), Form.of(RECORD, 1), organization)) {
              byte[] wrong = new byte[RECORD + 1];
              if (organization.isDirect()) {
                assertThatThrownBy(() -> file.read(0, wrong)).hasMessageContaining("4 bytes");
                assertThatThrownBy(() -> file.write(0, wrong)).hasMessageContaining("4 bytes");
                assertThat(file.read(0, new byte[0])).isZero();
              } else {
                assertThatThrownBy(() -> file.read(wrong)).hasMessageContaining("4 bytes");
                assertThatThrownBy(() -> file.write(wrong)).hasMessageContaining("4 bytes");
                assertThatThrownBy(() -> file.read(0, wrong))
                    .isInstanceOf(IllegalStateException.class);
                assertThat(file.write(new byte[0])).isZero();
              }
              assertThat(file.position()).isZero();
            }
          }
          assertThat(global(rank)).isEqualTo(numbered(0, 3));
        });
  }

  @Test
  void aSpecializedFileGoesWithItsProgram() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Crockett crockett = new Crockett(rank);
          Form form = Form.of(RECORD, 1);
          try (ParallelFile file = crockett.openSpecialized("s", form, Organization.INTERLEAVED)) {
            file.write(records(rank.number()));
            assertThatThrownBy(() -> crockett.openSpecialized("s", form, Organization.INTERLEAVED))
                .isInstanceOf(NameExistsException.class);
          }
          assertThatThrownBy(() -> crockett.openGlobal("s", OpenOptions.read()))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void processesThatOpenDifferentlyAreRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Crockett crockett = new Crockett(rank);
          OpenOptions create = OpenOptions.create();
          assertThatThrownBy(
                  () ->
                      crockett.open(
                          "f", create, Form.of(1 + rank.number(), 1), Organization.GLOBAL_DIRECT))
              .isInstanceOf(CrockettException.class)
              .hasMessageContaining("rank 1 calls open");
          assertThatThrownBy(
                  () ->
                      crockett.open(
                          "f",
                          create,
                          Form.of(1, 1),
                          rank.number() == 0
                              ? Organization.SEQUENTIAL
                              : Organization.GLOBAL_DIRECT))
              .isInstanceOf(CrockettException.class);
          assertThat(rank.names().list("")).isEmpty();
          assertThatThrownBy(() -> Form.of(0, 1)).isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> Form.of(1, 0)).isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> Form.of(1, 1).records(-1))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }
}
