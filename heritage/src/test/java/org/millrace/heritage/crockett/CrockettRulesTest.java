package org.millrace.heritage.crockett;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Late;
import org.millrace.heritage.testing.Programs;

/** Crockett's rules, one by one, with late processes and sizes that no file can have. */
final class CrockettRulesTest {

  private static final int RECORD = 2;
  private static final OpenOptions CREATE = OpenOptions.create().withTruncate();

  @TempDir private Path directory;

  private static byte[] record(int number) {
    return new byte[] {(byte) number, (byte) number};
  }

  private static byte[] records(int count) {
    byte[] all = new byte[RECORD * count];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (i / RECORD);
    }
    return all;
  }

  private static byte[] global(Rank rank, String name) throws IOException {
    rank.barrier();
    try (ParallelFile file = new Crockett(rank).openGlobal(name, OpenOptions.read())) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  /** Each organization writes the records that are a process's; the file is the same each time. */
  @Test
  void whateverTheInternalViewTheGlobalViewIsTheRecordsInTheirOrder() throws IOException {
    for (int ranks : new int[] {1, 3, 5}) {
      int count = 4 * ranks + 1; // the last block is cut
      Programs.run(
          directory.resolve("r" + ranks),
          ranks,
          2,
          rank -> {
            Form form = Form.of(RECORD, 2).records(count);
            for (Organization organization : Organization.values()) {
              if (organization == Organization.SELF_SCHEDULED) {
                continue; // which record is whose is not known before
              }
              try (ParallelFile file = new Crockett(rank).open("f", CREATE, form, organization)) {
                for (int r = 0; r < count; r++) {
                  if (organization == Organization.GLOBAL_DIRECT) {
                    int any = count - 1 - r;
                    if (any % ranks == rank.number()) {
                      file.write(any, record(any));
                    }
                  } else if (owner(organization, r, count, ranks) == rank.number()) {
                    write(file, organization, r);
                  }
                }
              }
              assertThat(global(rank, "f")).as("%s", organization).isEqualTo(records(count));
              rank.barrier();
            }
          });
    }
  }

  private static void write(ParallelFile file, Organization organization, int record)
      throws IOException {
    if (organization.isDirect()) {
      file.write(record, record(record));
    } else {
      file.write(record(record));
    }
  }

  private static int owner(Organization organization, int record, int count, int ranks) {
    int block = record / 2;
    int blocks = (count + 1) / 2;
    return switch (organization) {
      case SEQUENTIAL, GLOBAL_DIRECT, SELF_SCHEDULED -> 0;
      case PARTITIONED -> block / ((blocks + ranks - 1) / ranks);
      case INTERLEAVED, PARTITIONED_DIRECT -> block % ranks;
    };
  }

  @Test
  void aStandardFileOutlivesItsProgramAndIsUsedByAnother() throws IOException {
    Form form = Form.of(RECORD, 2);
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (ParallelFile file =
              new Crockett(rank).open("f", CREATE, form, Organization.INTERLEAVED)) {
            for (int block = rank.number(); block < 6; block += 3) {
              file.write(record(2 * block));
              file.write(record(2 * block + 1));
            }
          }
        });
    Programs.run(
        directory,
        1,
        2,
        rank -> { // a sequential program
          assertThat(global(rank, "f")).isEqualTo(records(12));
        });
    Programs.run(
        directory,
        2,
        2,
        rank -> { // another parallel one, of another size and organization
          try (ParallelFile file =
              new Crockett(rank).open("f", OpenOptions.read(), form, Organization.PARTITIONED)) {
            byte[] half = new byte[100];
            assertThat(file.read(half)).isEqualTo(12);
            assertThat(half[0]).isEqualTo((byte) (6 * rank.number()));
          }
        });
  }

  @Test
  void theOpenWaitsForAllAndNoAccessDoes() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          for (Organization organization : Organization.values()) {
            String mark = "come" + organization;
            Late.before(rank, 1, mark);
            Form form = Form.of(RECORD, 1).records(9);
            ParallelFile file = new Crockett(rank).open("f", CREATE, form, organization);
            assertThat(Late.hasCome(rank, mark)).isTrue();
            if (rank.number() == 0) { // the others are not even there
              if (organization.isDirect()) {
                file.write(0, record(1));
                assertThat(file.read(0, new byte[RECORD])).isEqualTo(RECORD);
              } else {
                file.write(record(1));
                file.read(new byte[RECORD]);
              }
              rank.send(1, 4, new byte[0]);
              rank.send(2, 4, new byte[0]);
            } else {
              rank.receive(0, 4);
            }
            file.close();
          }
        });
  }

  @Test
  void selfScheduledWritesTakeTheNextRecordOneAfterTheOther() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Form form = Form.of(RECORD, 1);
          try (ParallelFile file =
              new Crockett(rank).open("f", CREATE, form, Organization.SELF_SCHEDULED)) {
            for (int i = 0; i < 5; i++) {
              assertThat(file.write(record(rank.number()))).isEqualTo(RECORD);
            }
          }
          byte[] content = global(rank, "f");
          assertThat(content).hasSize(20 * RECORD); // none was lost, none lies on another
          List<Integer> whose = new ArrayList<>();
          for (int i = 0; i < content.length; i += RECORD) {
            assertThat(content[i]).isEqualTo(content[i + 1]);
            whose.add((int) content[i]);
          }
          for (int r = 0; r < 4; r++) {
            int one = r;
            assertThat(whose.stream().filter(w -> w == one)).hasSize(5);
          }
        });
  }

  @Test
  void aProcessStaysWithinItsPartition() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Form form = Form.of(RECORD, 1).records(6);
          try (ParallelFile file =
              new Crockett(rank).open("f", CREATE, form, Organization.PARTITIONED)) {
            file.write(records(2));
            assertThatThrownBy(() -> file.write(record(7)))
                .isInstanceOf(CrockettException.class)
                .hasMessageContaining("partition of 4");
            assertThat(file.position()).isEqualTo(2);
          }
          assertThat(global(rank, "f")).isEqualTo(new byte[] {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
        });
  }

  @Test
  void theSmallestUnitOfAccessIsARecordOfOneSize() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (ParallelFile file =
              new Crockett(rank).open("f", CREATE, Form.of(3, 2), Organization.GLOBAL_DIRECT)) {
            assertThatThrownBy(() -> file.write(0, new byte[2]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole records of 3");
            file.write(4, new byte[] {1, 2, 3});
            byte[] got = new byte[3];
            assertThat(file.read(4, got)).isEqualTo(3);
            assertThat(got).containsExactly(1, 2, 3);
          }
          assertThat(rank.names().size("f")).isEqualTo(15); // records lie one behind the other
        });
  }

  @Test
  void sizesBeyondAllPositionsAreRefusedOnAllAndLeaveNothingOpen() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Crockett crockett = new Crockett(rank);
          Form huge = Form.of(1L << 31, 1L << 31); // three such blocks reach beyond 2^63
          Late.before(rank, 1, "come");
          assertThatThrownBy(() -> crockett.open("g", CREATE, huge, Organization.INTERLEAVED))
              .isInstanceOf(CrockettException.class)
              .hasMessageContaining("rank 0");
          assertThat(rank.names().list("")).doesNotContain("g");
          rank.barrier();
          try (ParallelFile file = crockett.open("f", CREATE, huge, Organization.PARTITIONED)) {
            assertThat(file.position()).isZero(); // an empty file has empty partitions
          }
          rank.barrier();
          assertThatThrownBy(
                  () -> crockett.open("f", OpenOptions.read(), huge, Organization.INTERLEAVED))
              .isInstanceOf(CrockettException.class);
          rank.barrier();
          rank.names().checkReplaceable("f"); // nobody has it open
          rank.barrier();
          Form far = new Form(1, 1, Long.MAX_VALUE);
          try (ParallelFile file = crockett.open("f", CREATE, far, Organization.PARTITIONED)) {
            long third = Math.ceilDiv(Long.MAX_VALUE, 3);
            assertThat(file.view().offsetOf(0)).isEqualTo(rank.number() * third);
          }
        });
    assertThatThrownBy(() -> Form.of(1L << 32, 1L << 31))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Form.of(1L << 32, 1).records(1L << 31))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void recordsBeyondAllPositionsAreRefused() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          for (Organization organization :
              List.of(Organization.GLOBAL_DIRECT, Organization.PARTITIONED_DIRECT)) {
            try (ParallelFile file =
                new Crockett(rank).open("f", CREATE, Form.of(2, 1), organization)) {
              assertThatThrownBy(() -> file.write(1L << 62, record(0)))
                  .isInstanceOf(ArithmeticException.class);
              assertThatThrownBy(() -> file.read(Long.MAX_VALUE, new byte[4]))
                  .isInstanceOf(ArithmeticException.class);
              assertThatThrownBy(() -> file.read(-1, new byte[2]))
                  .isInstanceOf(IllegalArgumentException.class);
            }
          }
          assertThat(rank.names().size("f")).isZero();
        });
  }

  @Test
  void numbersAndBuffersAreReadAndWritten() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Form form = Form.of(8, 1);
          Crockett crockett = new Crockett(rank);
          try (ParallelFile file = crockett.open("f", CREATE, form, Organization.INTERLEAVED)) {
            file.write(new int[] {rank.number(), 7});
            file.write(new double[] {0.5 + rank.number()});
            file.write(ByteBuffer.allocate(10).position(2));
          }
          rank.barrier();
          try (ParallelFile file =
              crockett.open("f", OpenOptions.readWrite(), form, Organization.GLOBAL_DIRECT)) {
            int[] ints = new int[2];
            assertThat(file.at(1).read(ints)).isEqualTo(8);
            assertThat(ints).containsExactly(1, 7);
            double[] two = new double[2];
            assertThat(file.at(2).read(two)).isEqualTo(16);
            assertThat(two).containsExactly(0.5, 1.5);
            rank.barrier();
            file.at(rank.number()).write(new long[] {-1});
            ByteBuffer back = ByteBuffer.allocate(8);
            file.at(rank.number()).read(back);
            assertThat(back.getLong(0)).isEqualTo(-1);
          }
        });
  }
}
