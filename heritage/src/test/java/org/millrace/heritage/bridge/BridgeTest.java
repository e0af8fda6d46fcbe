package org.millrace.heritage.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** The three ways to a file, and that they are one file. */
@SuppressWarnings("try") // closing at the wrong moment is what is tried
final class BridgeTest {

  private static final int BLOCK = 4;
  private static final OpenOptions CREATE =
      OpenOptions.create().withTruncate().withStripeUnit(BLOCK).withStrands(3);

  @TempDir private Path directory;

  private static byte[] bytes(int from, int to) {
    byte[] bytes = new byte[Math.max(0, to - from)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private static void make(Rank rank, int length) throws IOException {
    if (rank.number() == 0) {
      try (SequentialFile file = new Bridge(rank).open("f", CREATE)) {
        file.write(bytes(0, length));
      }
    }
    rank.barrier();
  }

  private static byte[] plain(Rank rank) throws IOException {
    try (SequentialFile file = new Bridge(rank).open("f", OpenOptions.read())) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  @Test
  void theSequentialViewIsAnOrdinaryFile() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          try (SequentialFile file = new Bridge(rank).open("f", CREATE)) {
            assertThat(file.write(bytes(0, 10))).isEqualTo(10);
            assertThat(file.position()).isEqualTo(10);
            file.seek(3);
            byte[] got = new byte[20];
            assertThat(file.read(got)).isEqualTo(7);
            assertThat(Arrays.copyOf(got, 7)).isEqualTo(bytes(3, 10));
            assertThat(file.read(got)).isZero();
            assertThat(file.read(new byte[0])).isZero();
            assertThatThrownBy(() -> file.seek(-1)).isInstanceOf(RuntimeException.class);
            assertThat(file.position()).isEqualTo(10);
          }
          assertThatThrownBy(() -> new Bridge(rank).open("none", OpenOptions.read()))
              .isInstanceOf(IOException.class);
        });
  }

  @Test
  void aJobReadsABlockForEachProcessWithCountsAtRaggedEnds() throws IOException {
    for (int ranks = 1; ranks <= 4; ranks++) {
      Programs.run(
          directory.resolve("" + ranks),
          ranks,
          2,
          rank -> {
            for (int length = 0; length <= 2 * BLOCK * rank.size() + 1; length++) {
              make(rank, length);
              readByJob(rank, length);
              rank.barrier();
            }
          });
    }
  }

  private static void readByJob(Rank rank, int length) throws IOException {
    try (Job job = new Bridge(rank).openParallel("f", OpenOptions.read())) {
      for (int row = 0; row < 3; row++) {
        byte[] block = new byte[BLOCK + 2];
        long moved = job.isController() ? job.read(block) : job.transfer(block);
        int from = Math.min(length, (row * rank.size() + rank.number()) * BLOCK);
        int to = Math.min(length, from + BLOCK);
        assertThat(moved).isEqualTo(to - from);
        assertThat(Arrays.copyOf(block, (int) moved)).isEqualTo(bytes(from, to));
      }
    }
  }

  @Test
  void aJobWritesABlockOfEachProcessAndMayEndWithACutOne() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int r = rank.number();
          try (Job job = new Bridge(rank).openParallel("f", CREATE)) {
            assertThat(job.isController()).isEqualTo(r == 0);
            assertThat(job.blockBytes()).isEqualTo(BLOCK);
            byte[] block = bytes(BLOCK * r, BLOCK * r + BLOCK);
            assertThat(r == 0 ? job.write(block) : job.transfer(block)).isEqualTo(BLOCK);
            byte[] rest = bytes(12 + BLOCK * r, Math.min(12 + BLOCK * r + BLOCK, 18));
            assertThat(r == 0 ? job.write(rest) : job.transfer(rest)).isEqualTo(rest.length);
          }
          assertThat(plain(rank)).isEqualTo(bytes(0, 18));
        });
  }

  @Test
  void whatAProcessCannotDoFailsOnAllAndMovesNothing() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int r = rank.number();
          make(rank, 24);
          try (Job job = new Bridge(rank).openParallel("f", OpenOptions.readWrite())) {
            byte[] small = new byte[r == 1 ? BLOCK - 1 : BLOCK];
            assertThatThrownBy(() -> either(job, small, false))
                .isInstanceOf(BridgeException.class)
                .hasMessageContaining("process 1 has memory of 3 bytes");
            assertThatThrownBy(() -> either(job, small, true)) // a gap within
                .isInstanceOf(BridgeException.class)
                .hasMessageContaining("behind a cut one");
            byte[] large = new byte[BLOCK + 1];
            assertThatThrownBy(() -> either(job, large, true)).isInstanceOf(BridgeException.class);
            assertThatThrownBy(
                    () -> {
                      if (r == 2) {
                        end(job);
                      } else {
                        either(job, new byte[BLOCK], false);
                      }
                    })
                .isInstanceOf(BridgeException.class)
                .hasMessageContaining("process 2 closes while");
            byte[] block = new byte[BLOCK];
            assertThat(either(job, block, false)).isEqualTo(BLOCK); // the first row still
            assertThat(block).isEqualTo(bytes(BLOCK * r, BLOCK * r + BLOCK));
            if (r > 0) {
              assertThatThrownBy(() -> job.read(block)).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> job.write(block)).isInstanceOf(IllegalStateException.class);
            } else {
              assertThatThrownBy(() -> job.transfer(block))
                  .isInstanceOf(IllegalStateException.class);
            }
          }
          assertThat(plain(rank)).isEqualTo(bytes(0, 24));
        });
  }

  @Test
  void memoryThatCannotBeUsedFailsOnAllAndMovesNothing() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          make(rank, 2 * BLOCK);
          MemorySegment closed;
          try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(BLOCK);
          }
          MemorySegment good = MemorySegment.ofArray(new byte[BLOCK]);
          try (Job job = new Bridge(rank).openParallel("f", OpenOptions.readWrite())) {
            for (int bad = 0; bad < 2; bad++) {
              boolean mine = rank.number() == bad;
              assertThatThrownBy(() -> either(job, mine ? closed : good, true))
                  .isInstanceOf(BridgeException.class)
                  .hasMessageContaining("process " + bad + " has memory that cannot be written");
              assertThatThrownBy(() -> either(job, mine ? closed : good, false))
                  .isInstanceOf(BridgeException.class);
              assertThatThrownBy(() -> either(job, mine ? good.asReadOnly() : good, false))
                  .isInstanceOf(BridgeException.class)
                  .hasMessageContaining("process " + bad + " has memory that cannot be read into");
            }
            assertThat(either(job, good.asReadOnly(), true)).isEqualTo(BLOCK);
          }
          assertThat(plain(rank)).isEqualTo(new byte[2 * BLOCK]);
        });
  }

  private static void end(Job job) throws IOException {
    job.close();
  }

  private static long either(Job job, byte[] block, boolean write) throws IOException {
    return either(job, MemorySegment.ofArray(block), write);
  }

  private static long either(Job job, MemorySegment block, boolean write) throws IOException {
    if (!job.isController()) {
      return job.transfer(block);
    }
    return write ? job.write(block) : job.read(block);
  }

  @Test
  void workersFollowTheControllerUntilItCloses() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          make(rank, 30);
          Job job = new Bridge(rank).openParallel("f", OpenOptions.read());
          byte[] block = new byte[BLOCK];
          long mine = 0;
          if (job.isController()) {
            long moved;
            while ((moved = job.read(block)) > 0) {
              mine += moved;
            }
            job.close();
          } else {
            long moved;
            while ((moved = job.transfer(block)) >= 0) {
              mine += moved;
            }
          }
          job.close(); // again: nothing
          assertThat(rank.allReduceLong(mine, Long::sum)).isEqualTo(30);
        });
  }

  @Test
  void columnsAreWhatTheLayoutSays() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int length = 29; // rows 0..2: 12, 12, 5
          make(rank, length);
          try (Columns columns = new Bridge(rank).openColumns("f", OpenOptions.readWrite())) {
            assertThat(columns.count()).isEqualTo(3);
            assertThat(columns.blockBytes()).isEqualTo(BLOCK);
            for (int c = 0; c < 3; c++) {
              byte[] expected = column(c, length);
              assertThat(columns.size(c)).isEqualTo(expected.length);
              assertThat(columns.node(c)).isEqualTo((columns.node(0) + c) % 2);
              byte[] got = new byte[40];
              assertThat(columns.read(c, 0, got)).isEqualTo(expected.length);
              assertThat(Arrays.copyOf(got, expected.length)).isEqualTo(expected);
              assertThat(columns.read(c, 5, new byte[3]))
                  .isEqualTo(Math.min(3, expected.length - 5));
              assertThat(columns.read(c, 100, got)).isZero();
            }
            rank.barrier();
            columns.write(rank.number(), 2, new byte[] {90, 91, 92}); // crosses blocks
            int beyond = 3;
            assertThatThrownBy(() -> columns.read(beyond, 0, new byte[1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> columns.read(0, -1, new byte[1]))
                .isInstanceOf(RuntimeException.class);
          }
          rank.barrier();
          byte[] content = plain(rank);
          for (int c = 0; c < 3; c++) {
            assertThat(content[BLOCK * c + 2]).isEqualTo((byte) 90);
            assertThat(content[BLOCK * c + 3]).isEqualTo((byte) 91);
            assertThat(content[BLOCK * (c + 3)]).isEqualTo((byte) 92);
          }
        });
  }

  private static byte[] column(int column, int length) {
    byte[] bytes = new byte[length];
    int count = 0;
    for (int i = 0; i < length; i++) {
      if (i / BLOCK % 3 == column) {
        bytes[count++] = (byte) i;
      }
    }
    return Arrays.copyOf(bytes, count);
  }
}
