package org.millrace.heritage.edonio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.edonio.Edonios.ALL;
import static org.millrace.heritage.edonio.Edonios.BLOCK;
import static org.millrace.heritage.edonio.Edonios.fails;
import static org.millrace.heritage.edonio.Fcntl.O_RDONLY;
import static org.millrace.heritage.edonio.Fcntl.O_RDWR;
import static org.millrace.heritage.edonio.Fcntl.O_WRONLY;
import static org.millrace.heritage.edonio.Fcntl.SEEK_END;
import static org.millrace.heritage.edonio.Fcntl.SEEK_SET;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** What the caches hold, and what is durable when. */
final class EdonioCacheTest {

  @TempDir private Path directory;

  private static List<Long> counters(Rank rank, String name) throws IOException {
    return rank.report().stream().map(node -> node.getOrDefault(name, -1L)).toList();
  }

  private static byte[] block(int number) {
    byte[] bytes = new byte[BLOCK];
    Arrays.fill(bytes, (byte) (number + 1));
    return bytes;
  }

  /** Writes block after block, dealt to the ranks, each block full of its number plus one. */
  private static void make(Edonio io, Rank rank, int blocks) throws IOException {
    int fd = io.do_open("f", O_WRONLY, ALL);
    for (int b = rank.number(); b < blocks; b += rank.size()) {
      io.do_lseek(fd, (long) b * BLOCK, SEEK_SET);
      io.do_write(fd, block(b));
    }
    io.do_close(fd);
  }

  @Test
  void theSizesAreKeptAndDirtyBlocksThatLeaveAreWritten() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          assertThat(io.do_csize(0, 1)).as("less than a block is a block").isZero();
          assertThat(counters(rank, "limitBytes")).containsOnly((long) BLOCK);
          assertThat(rank.dataCache().limitBytes()).isZero();
          make(io, rank, 21);
          io.do_csize(512, 192);
          assertThat(counters(rank, "limitBytes")).containsOnly(3L * BLOCK);
          assertThat(rank.dataCache().limitBytes()).isEqualTo(512 << 10);
          int fd = io.do_open("f", O_RDONLY, 0);
          for (int b = 0; b < 21; b++) {
            byte[] bytes = new byte[BLOCK];
            io.do_read(fd, bytes);
            assertThat(Arrays.equals(bytes, block(b))).isTrue();
          }
          assertThat(counters(rank, "usedBytes")).allMatch(used -> used <= 3L * BLOCK);
          io.do_close(fd);
        });
  }

  @Test
  void preloadFillsEmptySlotsFromTheLowestPointerAndPushesNothingOut() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          make(io, rank, 40);
          io.do_csize(0, 64); // contract, then reset: the manual's way to a nearly empty cache
          io.do_csize(0, 8 * 64);
          int fd = io.do_open("f", O_RDONLY, 0);
          int lowest = 10;
          io.do_lseek(fd, (lowest + rank.number()) * (long) BLOCK, SEEK_SET);
          io.do_preload(fd);
          assertThat(counters(rank, "blocks")).containsOnly(8L);
          List<Long> misses = counters(rank, "misses");
          io.do_gsync();
          for (int b = lowest + 13; b >= lowest; b--) { // from behind, so that nothing reads ahead
            io.do_lseek(fd, (long) b * BLOCK + b, SEEK_SET);
            byte[] one = new byte[1];
            io.do_read(fd, one);
            assertThat(one[0]).isEqualTo((byte) (b + 1));
          }
          assertThat(counters(rank, "misses")).as("all were there").isEqualTo(misses);
          io.do_gsync();
          io.do_lseek(fd, 30L * BLOCK, SEEK_SET);
          List<Long> reads = counters(rank, "bytesRead");
          io.do_gsync();
          io.do_preload(fd); // the caches are full
          assertThat(counters(rank, "bytesRead")).isEqualTo(reads);
          io.do_close(fd);
        });
  }

  private static long sum(Rank rank, String name) throws IOException {
    return counters(rank, name).stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void flushAndCloseWriteOnlyWhatChanged() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          io.do_csize(0, 4096);
          make(io, rank, 8);
          io.do_csize(0, 64); // nearly empty, and nothing is dirty
          io.do_csize(0, 4096);
          int fd = io.do_open("f", O_RDWR, ALL);
          io.do_gsync();
          long written = sum(rank, "bytesWritten");
          long read = sum(rank, "bytesRead");
          io.do_flush(fd);
          assertThat(sum(rank, "bytesWritten")).as("nothing has changed").isEqualTo(written);
          io.do_gsync();
          if (rank.number() == 0) {
            io.do_lseek(fd, 3L * BLOCK + 7, SEEK_SET);
            io.do_read(fd, new byte[1]);
          }
          io.do_gsync();
          assertThat(sum(rank, "bytesRead") - read).as("whole blocks").isPositive();
          assertThat((sum(rank, "bytesRead") - read) % BLOCK).isZero();
          io.do_gsync();
          if (rank.number() == 1) {
            io.do_lseek(fd, 2L * BLOCK + 7, SEEK_SET);
            io.do_write(fd, new byte[1]);
            io.do_lseek(fd, 5L * BLOCK + 7, SEEK_SET);
            io.do_write(fd, new byte[1]);
          }
          io.do_flush(fd);
          assertThat(sum(rank, "bytesWritten") - written).as("two blocks").isEqualTo(2L * BLOCK);
          io.do_gsync();
          long before = sum(rank, "bytesWritten");
          io.do_gsync();
          io.do_flush(fd);
          io.do_close(fd);
          int again = io.do_open("f", O_RDONLY, 0);
          io.do_read(again, new byte[10]);
          io.do_close(again);
          assertThat(sum(rank, "bytesWritten")).isEqualTo(before);
        });
  }

  @Test
  void atFirstTheDataCacheIsTheReportsAndTheDiskCacheTheClusters() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          List<Long> before = counters(rank, "limitBytes");
          Edonio io = new Edonio(rank);
          io.do_nio(rank.number(), rank.size());
          assertThat(rank.dataCache().limitBytes()).isEqualTo(512 << 10);
          assertThat(counters(rank, "limitBytes")).isEqualTo(before);
        });
  }

  @Test
  void memoryIsTakenOnlyAsNeeded() throws IOException {
    Edonios.run(
        directory,
        1,
        2,
        (io, rank) -> {
          io.do_csize(1 << 20, 1 << 20); // a gigabyte each
          make(io, rank, 3);
          assertThat(sum(rank, "usedBytes")).isLessThan(64L << 20);
          assertThat(sum(rank, "blocks")).isBetween(1L, 3L);
          assertThat(rank.dataCache().bytes()).isZero();
        });
  }

  @Test
  void anEnlargedCacheIsPreloadedFurther() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          make(io, rank, 40);
          io.do_csize(0, 64);
          io.do_csize(0, 4 * 64);
          int fd = io.do_open("f", O_RDONLY, 0);
          io.do_preload(fd);
          assertThat(counters(rank, "blocks")).containsOnly(4L);
          io.do_csize(0, 10 * 64);
          io.do_preload(fd);
          assertThat(counters(rank, "blocks")).containsOnly(10L);
          io.do_close(fd);
        });
  }

  @Test
  void aHintOfTheSizeLeavesTheFileAsLongAsItIs() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          assertThat(io.do_lsize(fd, 5_000_000)).isEqualTo(5_000_000);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          io.do_gsync();
          io.do_lseek(fd, 70_000, SEEK_SET);
          io.do_write(fd, new byte[10]);
          io.do_lsize(fd, 100); // less than there is
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isEqualTo(70_010);
          io.do_close(fd);
          assertThat(rank.names().size("f")).isEqualTo(70_010);
        });
  }

  @Test
  @InOneJvm("it copies the files of a cluster that runs, as a machine that stops leaves them")
  void aProgramThatEndsWithoutCloseSaysSoAndLosesNothing() throws IOException {
    Path copy = directory.resolve("copy");
    Path original = directory.resolve("original");
    assertThatThrownBy(
            () ->
                Edonios.run(
                    original,
                    2,
                    2,
                    (io, rank) -> {
                      int fd = io.do_open("f", O_RDWR, ALL);
                      io.do_lseek(fd, rank.number() * 3L * BLOCK, SEEK_SET);
                      io.do_write(fd, block(rank.number()));
                      io.do_flush(fd);
                      if (rank.number() == 0) {
                        copyTree(original, copy); // what a machine that stops now would keep
                      }
                      rank.barrier();
                      io.do_write(fd, block(8 + rank.number()));
                      rank.barrier();
                    }))
        .isInstanceOfSatisfying(
            EdonioException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LEFT_OPEN))
        .hasMessageContaining("without do_close of f")
        .hasMessageContaining("what was flushed is safe");
    Edonios.run(
        copy,
        3,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDONLY, 0);
          for (int r = 0; r < 2; r++) {
            io.do_lseek(fd, r * 3L * BLOCK, SEEK_SET);
            byte[] bytes = new byte[BLOCK];
            io.do_read(fd, bytes);
            assertThat(Arrays.equals(bytes, block(r))).as("flushed").isTrue();
          }
          io.do_close(fd);
        });
    Edonios.run(
        original,
        1,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDONLY, 0);
          io.do_lseek(fd, BLOCK, SEEK_SET);
          byte[] bytes = new byte[BLOCK];
          io.do_read(fd, bytes);
          assertThat(Arrays.equals(bytes, block(8))).as("only written").isTrue();
          io.do_close(fd);
        });
  }

  private static void copyTree(Path from, Path to) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(from)) {
      all = walk.toList();
    }
    for (Path one : all) {
      Path target = to.resolve(from.relativize(one));
      if (Files.isDirectory(one)) {
        Files.createDirectories(target);
      } else {
        Files.copy(one, target);
      }
    }
  }

  @Test
  void donioHoldsWholeFilesAndWantsToKnowTheirSize() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (Edonio io = Edonio.donio(rank)) {
            io.do_nio(rank.number(), rank.size());
            io.do_csize(0, 64);
            int fd = io.do_open("f", O_WRONLY, ALL);
            fails(Reason.SIZE_NOT_GIVEN, () -> io.do_write(fd, new byte[1]));
            io.do_lsize(fd, 20L * BLOCK);
            assertThat(counters(rank, "limitBytes")).allMatch(limit -> limit >= 10L * BLOCK);
            for (int b = rank.number(); b < 20; b += 2) {
              io.do_lseek(fd, (long) b * BLOCK, SEEK_SET);
              io.do_write(fd, block(b));
            }
            fails(Reason.SIZE_NOT_GIVEN, () -> writeAt(io, fd, 20L * BLOCK));
            assertThat(io.do_lseek(fd, 0, SEEK_END)).isLessThanOrEqualTo(20L * BLOCK);
            io.do_close(fd);
            io.do_csize(0, 64);
            int again = io.do_open("f", O_RDWR, ALL);
            List<Long> bytesRead = counters(rank, "bytesRead");
            io.do_gsync();
            for (int b = 0; b < 20; b++) {
              byte[] bytes = new byte[BLOCK];
              io.do_read(again, bytes);
              assertThat(Arrays.equals(bytes, block(b))).isTrue();
            }
            assertThat(counters(rank, "bytesRead")).as("all was read in").isEqualTo(bytesRead);
            io.do_gsync(); // the other may still read what this writes over
            writeAt(io, again, 0); // its size is known
            fails(Reason.SIZE_NOT_GIVEN, () -> writeAt(io, again, 20L * BLOCK));
            io.do_close(again);
          }
        });
  }

  @Test
  void donioSizesFilesBeyondTwoGigabytes() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          try (Edonio io = Edonio.donio(rank)) {
            io.do_nio(0, 1);
            int fd = io.do_open("f", O_RDWR, ALL);
            io.do_esize(fd, 3L << 30);
            writeAt(io, fd, (3L << 30) - 1);
            assertThat(io.do_eseek(fd, 0, SEEK_END)).isEqualTo(3L << 30);
            fails(Reason.SIZE_NOT_GIVEN, () -> writeAt(io, fd, 3L << 30));
            io.do_close(fd);
          }
        });
  }

  private static void writeAt(Edonio io, int fd, long position) throws IOException {
    io.do_lseek(fd, position, SEEK_SET);
    io.do_write(fd, new byte[1]);
  }
}
