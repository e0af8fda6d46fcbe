package org.millrace.heritage.bridge;

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
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;

/** Bridge's rules, one by one, with late processes and controllers of all numbers. */
@SuppressWarnings("try") // a job is closed by its controller
final class BridgeRulesTest {

  private static final int BLOCK = 8;
  private static final int COLUMNS = 3;
  private static final OpenOptions CREATE =
      OpenOptions.create().withTruncate().withStripeUnit(BLOCK).withStrands(COLUMNS);

  @TempDir private Path directory;

  private static byte[] counting(int from, int to) {
    byte[] bytes = new byte[to - from];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private static byte[] plain(Rank rank, String name) throws IOException {
    try (SequentialFile file = new Bridge(rank).open(name, OpenOptions.read())) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  private static void make(Rank rank, String name, int length) throws IOException {
    if (rank.number() == 0) {
      try (SequentialFile file = new Bridge(rank).open(name, CREATE)) {
        file.write(counting(0, length));
      }
    }
    rank.barrier();
  }

  @Test
  void eachColumnHasAnEndOfItsOwn() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          make(rank, "f", 0);
          try (Columns columns = new Bridge(rank).openColumns("f", OpenOptions.readWrite())) {
            int[] lengths = {5, 0, 40}; // column 1 stays empty
            columns.write(rank.number(), 0, counting(0, lengths[rank.number()]));
            rank.barrier();
            for (int c = 0; c < COLUMNS; c++) {
              assertThat(columns.size(c)).as("column %d", c).isEqualTo(lengths[c]);
              byte[] got = new byte[50];
              assertThat(columns.read(c, 0, got)).isEqualTo(lengths[c]);
              assertThat(Arrays.copyOf(got, lengths[c])).isEqualTo(counting(0, lengths[c]));
              assertThat(columns.read(c, lengths[c], got)).isZero();
              assertThat(columns.read(c, Long.MAX_VALUE - 60, got)).isZero();
            }
            rank.barrier();
            columns.write(rank.number(), lengths[rank.number()], new byte[] {77}); // goes on there
            rank.barrier();
            for (int c = 0; c < COLUMNS; c++) {
              assertThat(columns.size(c)).isEqualTo(lengths[c] + 1);
            }
          }
          rank.barrier();
          byte[] content = plain(rank, "f"); // as long as the longest column says
          assertThat(content).hasSize((5 * COLUMNS + 2) * BLOCK + 1);
          assertThat(content[5]).isEqualTo((byte) 77);
          assertThat(content[6]).isZero();
          assertThat(content[BLOCK]).isEqualTo((byte) 77);
        });
  }

  @Test
  void columnsThatAreNoneAreRefused() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          make(rank, "f", 20);
          try (Columns columns = new Bridge(rank).openColumns("f", OpenOptions.readWrite())) {
            for (int column : new int[] {-1, COLUMNS, Integer.MAX_VALUE}) {
              byte[] one = new byte[1];
              assertThatThrownBy(() -> columns.size(column))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThatThrownBy(() -> columns.node(column))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThatThrownBy(() -> columns.view(column))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThatThrownBy(() -> columns.read(column, 0, one))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThatThrownBy(() -> columns.write(column, 0, one))
                  .isInstanceOf(IndexOutOfBoundsException.class);
            }
            assertThatThrownBy(() -> columns.write(0, -1, new byte[1]))
                .isInstanceOf(IllegalArgumentException.class);
          }
          assertThat(plain(rank, "f")).isEqualTo(counting(0, 20));
        });
  }

  @Test
  void theThreeWaysAreOneFile() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int r = rank.number();
          make(rank, "f", 0);
          try (Columns columns = new Bridge(rank).openColumns("f", OpenOptions.readWrite())) {
            for (int row = 0; row < 4; row++) { // this process's column, block by block
              int block = row * COLUMNS + r;
              columns.write(r, (long) row * BLOCK, counting(block * BLOCK, (block + 1) * BLOCK));
            }
          }
          rank.barrier();
          assertThat(plain(rank, "f")).isEqualTo(counting(0, 4 * COLUMNS * BLOCK));
          try (Job job = new Bridge(rank).openParallel("f", OpenOptions.read())) {
            for (int row = 0; row < 4; row++) {
              byte[] block = new byte[BLOCK];
              long moved = job.isController() ? job.read(block) : job.transfer(block);
              int from = (row * 3 + r) * BLOCK;
              assertThat(moved).isEqualTo(BLOCK);
              assertThat(block).isEqualTo(counting(from, from + BLOCK));
            }
          }
        });
  }

  @Test
  void theSequentialPointerIsEachOpensOwn() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          make(rank, "f", 20);
          Bridge bridge = new Bridge(rank);
          try (SequentialFile first = bridge.open("f", OpenOptions.read());
              SequentialFile second = bridge.open("f", OpenOptions.read())) {
            first.read(new byte[7]);
            byte[] got = new byte[3];
            assertThat(second.read(got)).isEqualTo(3);
            assertThat(got).isEqualTo(counting(0, 3));
            assertThat(first.position()).isEqualTo(7);
          }
          rank.barrier();
          if (rank.number() == 0) { // alone: the others need not come
            try (SequentialFile file = bridge.open("f", OpenOptions.readWrite())) {
              file.seek(25);
              file.write(new byte[] {9}); // behind a hole
              assertThat(plain(rank, "f")).hasSize(26).endsWith(0, 0, 0, 0, 0, 9);
            }
          }
        });
  }

  @Test
  void parallelOpenWaitsForAllProcesses() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          make(rank, "f", 20);
          for (int late = 0; late < 3; late++) {
            String mark = "come" + late;
            Late.before(rank, late, mark);
            try (Job _ = new Bridge(rank).openParallel("f", OpenOptions.read())) {
              assertThat(Late.hasCome(rank, mark)).isTrue();
            }
          }
        });
  }

  @Test
  void everyOperationOfAJobWaitsForALateProcess() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Job job = new Bridge(rank).openParallel("f", CREATE);
          int operation = 0;
          for (int late = 0; late < 3; late++) {
            for (boolean write : new boolean[] {true, false}) {
              String mark = "come" + operation++;
              Late.before(rank, late, mark);
              byte[] block = new byte[BLOCK];
              if (!job.isController()) {
                job.transfer(block);
              } else if (write) {
                job.write(block);
              } else {
                job.read(block);
              }
              assertThat(Late.hasCome(rank, mark)).isTrue();
            }
          }
          Late.before(rank, 1, "closing");
          job.close();
          assertThat(Late.hasCome(rank, "closing")).isTrue();
        });
  }

  @Test
  void anyProcessCanBeChosenAsController() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int r = rank.number();
          for (int controller = 0; controller < 3; controller++) {
            String name = "f" + controller;
            try (Job job = new Bridge(rank).openParallel(name, CREATE, controller)) {
              assertThat(job.controller()).isEqualTo(controller);
              assertThat(job.isController()).isEqualTo(r == controller);
              byte[] block = counting(r * BLOCK, (r + 1) * BLOCK);
              long moved = r == controller ? job.write(block) : job.transfer(block);
              assertThat(moved).isEqualTo(BLOCK); // still in order of the processes' numbers
              if (r == controller) {
                assertThatThrownBy(() -> job.transfer(block))
                    .isInstanceOf(IllegalStateException.class);
              } else {
                assertThatThrownBy(() -> job.write(block))
                    .isInstanceOf(IllegalStateException.class);
              }
            }
            assertThat(plain(rank, name)).isEqualTo(counting(0, 3 * BLOCK));
          }
        });
  }

  @Test
  void aControllerThatIsNoneOrNotTheSameIsRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Bridge bridge = new Bridge(rank);
          Late.before(rank, 2, "come");
          assertThatThrownBy(() -> bridge.openParallel("f", CREATE, 3))
              .isInstanceOf(BridgeException.class)
              .hasMessageContaining("rank 0");
          assertThatThrownBy(() -> bridge.openParallel("f", CREATE, rank.number() == 1 ? -1 : 0))
              .isInstanceOf(BridgeException.class)
              .hasMessageContaining("rank 1");
          assertThatThrownBy(() -> bridge.openParallel("f", CREATE, rank.number() == 2 ? 1 : 0))
              .isInstanceOf(BridgeException.class)
              .hasMessageContaining("rank 2");
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("come"); // no file was made
        });
  }

  @Test
  void numbersAndBuffersAreReadAndWrittenByEveryWay() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          int r = rank.number();
          Bridge bridge = new Bridge(rank);
          try (Job job = bridge.openParallel("f", CREATE)) {
            int[] ints = {1 + r, 2 + r};
            double[] one = {0.5 + r};
            ByteBuffer bytes = ByteBuffer.wrap(counting(0, 12)).position(2 + r).limit(10 + r);
            assertThat(r == 0 ? job.write(ints) : job.transfer(ints)).isEqualTo(8);
            assertThat(r == 0 ? job.write(one) : job.transfer(one)).isEqualTo(8);
            assertThat(r == 0 ? job.write(bytes) : job.transfer(bytes)).isEqualTo(8);
            assertThat(bytes.position()).isEqualTo(2 + r);
          }
          try (Columns columns = bridge.openColumns("f", OpenOptions.read());
              SequentialFile file = bridge.open("f", OpenOptions.read())) {
            int[] ints = new int[4];
            double[] two = new double[2];
            ByteBuffer bytes = ByteBuffer.allocate(16);
            assertThat(file.read(ints)).isEqualTo(16);
            assertThat(file.read(two)).isEqualTo(16);
            assertThat(file.read(bytes)).isEqualTo(16);
            assertThat(ints).containsExactly(1, 2, 2, 3);
            assertThat(two).containsExactly(0.5, 1.5);
            assertThat(bytes.get(8)).isEqualTo((byte) 3);
            double[] third = new double[1]; // block 2 is the third column's first
            assertThat(columns.at(2, 0).read(third)).isEqualTo(8);
            assertThat(third).containsExactly(0.5);
          }
        });
  }

  /** What the text promises of direct access: the user can build Vesta's modes on it. */
  @Test
  void vestasPartitionsCanBeBuiltFromColumns() throws IOException {
    Partition scheme = new Partition(2, 2, 1, 2, 0);
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          make(rank, "f", 6 * COLUMNS * BLOCK);
          Partition mine = new Partition(2, 2, 1, 2, rank.number());
          byte[] wanted = new byte[6 * COLUMNS * BLOCK];
          long length;
          try (Subfile subfile = new Vesta(rank).open("f", OpenOptions.read(), mine)) {
            length = subfile.read(wanted);
          }
          byte[] built = new byte[wanted.length];
          int at = 0;
          try (Columns columns = new Bridge(rank).openColumns("f", OpenOptions.read())) {
            for (Block one : blocks(scheme, rank.number(), columns.count(), 6)) {
              byte[] block = new byte[(int) columns.blockBytes()];
              columns.read(one.column, one.row * columns.blockBytes(), block);
              System.arraycopy(block, 0, built, at, block.length);
              at += block.length;
            }
          }
          assertThat(at).isEqualTo((int) length).isPositive();
          assertThat(built).isEqualTo(wanted);
        });
  }

  private record Block(int column, long row) {}

  /** The blocks of a Vesta partition in its order: downwards, then across, then further down. */
  private static List<Block> blocks(Partition scheme, int number, int columns, int rows) {
    List<Block> blocks = new ArrayList<>();
    long across = number % scheme.hi();
    long down = number / scheme.hi();
    for (long top = down * scheme.vgs(); top < rows; top += scheme.vgs() * scheme.vi()) {
      for (long left = across * scheme.hgs(); left < columns; left += scheme.hgs() * scheme.hi()) {
        for (long c = left; c < Math.min(columns, left + scheme.hgs()); c++) {
          for (long row = top; row < top + scheme.vgs(); row++) {
            blocks.add(new Block((int) c, row));
          }
        }
      }
    }
    return blocks;
  }
}
