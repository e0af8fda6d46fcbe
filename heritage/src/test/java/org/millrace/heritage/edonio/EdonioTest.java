package org.millrace.heritage.edonio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.edonio.Edonios.ALL;
import static org.millrace.heritage.edonio.Edonios.BLOCK;
import static org.millrace.heritage.edonio.Edonios.fails;
import static org.millrace.heritage.edonio.Fcntl.O_CREAT;
import static org.millrace.heritage.edonio.Fcntl.O_EXCL;
import static org.millrace.heritage.edonio.Fcntl.O_RDONLY;
import static org.millrace.heritage.edonio.Fcntl.O_RDWR;
import static org.millrace.heritage.edonio.Fcntl.O_TRUNC;
import static org.millrace.heritage.edonio.Fcntl.O_WRONLY;
import static org.millrace.heritage.edonio.Fcntl.SEEK_CUR;
import static org.millrace.heritage.edonio.Fcntl.SEEK_END;
import static org.millrace.heritage.edonio.Fcntl.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.heritage.edonio.EdonioException.Reason;

/** Reading, writing, seeking, opening and closing. */
final class EdonioTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"1,1", "2,2", "3,2", "4,3", "5,1"})
  void whatRanksDoAtTheirPointersIsWhatAPlainArrayDoes(int ranks, int nodes) throws IOException {
    int share = 3 * BLOCK + 111; // each rank's own region, across blocks and nodes
    byte[][] models = new byte[ranks][];
    Edonios.run(
        directory,
        ranks,
        nodes,
        (io, rank) -> {
          io.do_csize(64, 128); // two blocks on each node: most accesses find something else
          int fd = io.do_open("/f", O_RDWR, ALL);
          byte[] model = new byte[share];
          long base = (long) rank.number() * share;
          io.do_eseek(fd, base + share - 1, SEEK_SET);
          io.do_write(fd, new byte[] {1});
          model[share - 1] = 1;
          io.do_flush(fd);
          Random random = new Random(rank.number());
          for (int i = 0; i < 200; i++) {
            int length = random.nextInt(random.nextBoolean() ? 100 : BLOCK + 200);
            int at = random.nextInt(share - length);
            long now = io.do_lseek(fd, 0, SEEK_CUR);
            assertThat(io.do_lseek(fd, base + at - now, SEEK_CUR)).isEqualTo(base + at);
            byte[] bytes = new byte[length];
            if (random.nextBoolean()) {
              random.nextBytes(bytes);
              assertThat(io.do_write(fd, bytes)).isEqualTo(length);
              System.arraycopy(bytes, 0, model, at, length);
            } else {
              assertThat(io.do_read(fd, bytes)).isEqualTo(length);
              assertThat(bytes).isEqualTo(Arrays.copyOfRange(model, at, at + length));
            }
            assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(base + at + length);
          }
          models[rank.number()] = model;
          io.do_close(fd);
        });
    int others = ranks % 3 + 1;
    Edonios.run(
        directory,
        others,
        nodes,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDONLY, 0);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isEqualTo((long) ranks * share);
          for (int r = rank.number(); r < ranks; r += others) {
            io.do_lseek(fd, (long) r * share, SEEK_SET);
            byte[] bytes = new byte[share];
            io.do_read(fd, bytes);
            assertThat(Arrays.equals(bytes, models[r])).isTrue();
          }
          io.do_close(fd);
        });
  }

  @Test
  void blocksAreDealtToTheNodesInTurnFromNodeZeroOn() throws IOException {
    Edonios.run(
        directory,
        2,
        3,
        (io, rank) -> {
          for (int file = 0; file < 3; file++) {
            io.do_close(io.do_open("f" + file, O_WRONLY, ALL));
            try (SharedFile shared = rank.open("f" + file, OpenOptions.read())) {
              for (long block = 0; block < 20; block++) {
                int strand = shared.layout().strandOf(block * BLOCK + block * 7);
                assertThat(shared.layout().node(strand)).isEqualTo((int) (block % 3));
              }
            }
          }
        });
  }

  @Test
  void writeOnlyCutsWhatIsThereAndReadWriteKeepsIt() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_WRONLY | O_CREAT, ALL); // as the manual's program does
          if (rank.number() == 0) {
            io.do_write(fd, new byte[100]);
          }
          io.do_close(fd);
          fd = io.do_open("f", O_RDWR, ALL);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isEqualTo(100);
          io.do_close(fd);
          fd = io.do_open("f", O_WRONLY, ALL);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          io.do_close(fd);
          fd = io.do_open("f", O_RDWR, ALL);
          io.do_write(fd, new byte[5]);
          io.do_close(fd);
          fd = io.do_open("f", O_RDWR | O_TRUNC, ALL);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          io.do_close(fd);
          fails(Reason.FILE_EXISTS, () -> io.do_open("f", O_RDWR | O_EXCL, ALL));
          io.do_close(io.do_open("g", O_WRONLY | O_EXCL, ALL));
        });
  }

  @Test
  void permissionsAreThoseOfTheOpenThatMadeTheFile() throws IOException {
    Edonios.run(
        directory,
        2,
        1,
        (io, rank) -> {
          io.do_close(io.do_open("f", O_WRONLY, 0640));
          assertThat(rank.names().stat("f").permissions()).isEqualTo(0640);
          io.do_close(io.do_open("f", O_RDWR, 0600));
          assertThat(rank.names().stat("f").permissions()).isEqualTo(0640);
        });
  }

  @Test
  void theModeIsIgnoredWhereTheFileExists() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          io.do_close(io.do_open("f", O_WRONLY, 0640));
          int other = 0100 * rank.number(); // each rank another one
          for (int flags : new int[] {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_TRUNC}) {
            io.do_close(io.do_open("f", flags, other));
            io.do_close(io.do_open("f", flags, -1));
          }
          fails(Reason.FILE_EXISTS, () -> io.do_open("f", O_RDWR | O_EXCL, -1));
          assertThat(rank.names().stat("f").permissions()).isEqualTo(0640);
          fails(Reason.NO_SUCH_FILE, () -> io.do_open("none", O_RDONLY, -1));
          fails(Reason.BAD_ARGUMENT, () -> io.do_open("none", O_WRONLY, -1));
          fails(Reason.MIXED_CALL, () -> io.do_open("none", O_WRONLY, other));
          assertThat(rank.names().list("")).containsExactly("f");
        });
  }

  @Test
  void aModeForbidsWhatItForbidsToItsOwnerToo() throws IOException {
    Edonios.run(
        directory,
        2,
        1,
        (io, rank) -> {
          int made = io.do_open("readable", O_RDWR, 0444);
          io.do_write(made, new byte[] {1}); // who made it may go on
          io.do_close(made);
          io.do_close(io.do_open("writable", O_RDWR, 0222));
          io.do_close(io.do_open("none", O_RDWR, 0));
          fails(Reason.NOT_PERMITTED, () -> io.do_open("readable", O_WRONLY, ALL));
          fails(Reason.NOT_PERMITTED, () -> io.do_open("readable", O_RDWR, ALL));
          fails(Reason.NOT_PERMITTED, () -> io.do_open("writable", O_RDONLY, ALL));
          fails(Reason.NOT_PERMITTED, () -> io.do_open("none", O_RDONLY, ALL));
          int fd = io.do_open("readable", O_RDONLY, 0);
          byte[] one = new byte[1];
          io.do_read(fd, one);
          assertThat(one).containsExactly(1);
          io.do_close(fd);
          io.do_close(io.do_open("writable", O_WRONLY, 0));
        });
  }

  @Test
  void anyKindOfBufferIsReadAndWritten() throws IOException {
    Edonios.run(
        directory,
        1,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          int[] ints = {1, -2, 3};
          double[] doubles = {0.5, -1e300};
          ByteBuffer bytes = ByteBuffer.allocateDirect(10).put(3, (byte) 77).position(2).limit(6);
          assertThat(io.do_write(fd, ints)).isEqualTo(12);
          assertThat(io.do_write(fd, doubles)).isEqualTo(16);
          assertThat(io.do_write(fd, bytes)).isEqualTo(4);
          assertThat(bytes.position()).as("of the buffer").isEqualTo(2);
          io.do_lseek(fd, 0, SEEK_SET);
          int[] gotInts = new int[3];
          double[] gotDoubles = new double[2];
          ByteBuffer gotBytes = ByteBuffer.allocate(4);
          assertThat(io.do_read(fd, gotInts)).isEqualTo(12);
          assertThat(io.do_read(fd, gotDoubles)).isEqualTo(16);
          assertThat(io.do_read(fd, gotBytes)).isEqualTo(4);
          assertThat(gotInts).isEqualTo(ints);
          assertThat(gotDoubles).isEqualTo(doubles);
          assertThat(gotBytes.array()).containsExactly(0, 77, 0, 0);
          io.do_close(fd);
        });
  }

  @Test
  void collectiveCallsWaitForAllRanks() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          int[] fd = {-1};
          List<Edonios.Body> calls =
              List.of(
                  (e, _) -> fd[0] = e.do_open("f", O_RDWR, ALL),
                  (e, _) -> e.do_csize(64, 128),
                  (e, _) -> e.do_lsize(fd[0], 1000),
                  (e, _) -> e.do_esize(fd[0], 1000),
                  (e, _) -> e.do_flush(fd[0]),
                  (e, _) -> e.do_preload(fd[0]),
                  (e, _) -> e.do_gsync(),
                  (e, _) -> e.do_close(fd[0]));
          for (int i = 0; i < calls.size(); i++) {
            if (rank.number() == i % 3) {
              rank.names().makeDirectory("late" + i); // the others may be there long before
            }
            calls.get(i).run(io, rank);
            assertThat(rank.names().list("")).as("call %s", i).contains("late" + i + "/");
          }
        });
  }

  @Test
  void rangesThatDoNotOverlapAreWrittenAtOnceWithoutWaitingForEachOther() throws IOException {
    Edonios.run(
        directory,
        4,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          if (rank.number() == 3) { // the others neither write nor poll meanwhile
            io.do_lseek(fd, 3L * BLOCK - 5, SEEK_SET);
            io.do_write(fd, new byte[2 * BLOCK]);
            rank.send(0, 1, new byte[1]);
          } else if (rank.number() == 0) {
            rank.receive(3, 1);
          }
          assertThat(io.do_lseek(fd, 0, SEEK_CUR))
              .as("pointers are private")
              .isEqualTo(rank.number() == 3 ? 5L * BLOCK - 5 : 0);
          io.do_gsync();
          io.do_lseek(fd, rank.number() * 100L, SEEK_SET);
          byte[] mine = new byte[100];
          Arrays.fill(mine, (byte) (1 + rank.number()));
          io.do_write(fd, mine);
          io.do_gsync();
          byte[] all = new byte[400];
          io.do_lseek(fd, 0, SEEK_SET);
          io.do_read(fd, all);
          for (int i = 0; i < 400; i++) {
            assertThat(all[i]).isEqualTo((byte) (1 + i / 100));
          }
          io.do_close(fd);
        });
  }

  @Test
  void ofSeveralWritesToTheSameBytesOneWins() throws IOException {
    Edonios.run(
        directory,
        4,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          byte[] mine = new byte[100];
          Arrays.fill(mine, (byte) (1 + rank.number()));
          io.do_write(fd, mine);
          io.do_gsync();
          io.do_lseek(fd, 0, SEEK_SET);
          byte[] got = new byte[100];
          io.do_read(fd, got);
          assertThat(got[0]).isBetween((byte) 1, (byte) 4);
          assertThat(got).containsOnly(got[0]);
          io.do_close(fd);
        });
  }

  @Test
  void appendingIsSeekingToTheEndAndWriting() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          for (int round = 0; round < 3; round++) {
            int fd = io.do_open("log", O_RDWR, ALL);
            io.do_flush(fd);
            long end = io.do_lseek(fd, 0, SEEK_END);
            assertThat(end).isEqualTo(20L * round);
            io.do_gsync(); // both know the end before one moves it
            io.do_lseek(fd, 10L * rank.number(), SEEK_CUR);
            io.do_write(fd, new byte[10]);
            io.do_close(fd);
          }
        });
  }

  @Test
  void seekingToTheEndNeedsNoFlushAndGapsAreZeros() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          io.do_lseek(fd, rank.number() * 5L * BLOCK, SEEK_SET);
          io.do_write(fd, new byte[] {7});
          io.do_gsync();
          assertThat(io.do_lseek(fd, 3, SEEK_END)).isEqualTo(10L * BLOCK + 4);
          assertThat(io.do_lseek(fd, -1, SEEK_CUR)).isEqualTo(10L * BLOCK + 3);
          byte[] all = new byte[10 * BLOCK + 1];
          io.do_lseek(fd, 0, SEEK_SET);
          io.do_read(fd, all);
          for (int i = 0; i < all.length; i++) {
            if (all[i] != (i % (5 * BLOCK) == 0 ? 7 : 0)) {
              assertThat(i).as("the first wrong byte").isEqualTo(-1);
            }
          }
          io.do_close(fd);
        });
  }

  @Test
  void aFileOfMoreThanSixteenTerabytesIsSparseAndExact() throws IOException {
    long far = (16L << 40) + 12_345;
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          int fd = io.do_open("huge", O_WRONLY, ALL);
          assertThat(io.do_esize(fd, far + 100)).isEqualTo(far + 100);
          assertThat(io.do_eseek(fd, 0, SEEK_END)).as("only a hint").isZero();
          io.do_gsync();
          io.do_eseek(fd, far + rank.number() * 10L, SEEK_SET);
          io.do_write(fd, "0123456789".getBytes(StandardCharsets.US_ASCII));
          io.do_close(fd);
          fd = io.do_open("huge", O_RDONLY, 0);
          assertThat(io.do_eseek(fd, -21, SEEK_END)).isEqualTo(far - 1);
          byte[] tail = new byte[21];
          io.do_read(fd, tail);
          assertThat(tail)
              .startsWith(0, '0', '1')
              .endsWith('9', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9');
          io.do_eseek(fd, 8L << 40, SEEK_SET);
          io.do_read(fd, tail);
          assertThat(tail).isEqualTo(new byte[21]);
          io.do_close(fd);
        });
  }

  @Test
  void descriptorsAreTheSameOnAllRanksAndUsedAgain() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          int a = io.do_open("a", O_RDWR, ALL);
          int b = io.do_open("b", O_RDWR, ALL);
          int c = io.do_open("a", O_RDONLY, ALL); // open twice, with pointers of its own
          assertThat(new int[] {a, b, c}).containsExactly(0, 1, 2);
          io.do_close(b);
          assertThat(io.do_open("d", O_RDWR, ALL)).isEqualTo(b);
          io.do_lseek(a, rank.number(), SEEK_SET);
          io.do_write(a, new byte[] {(byte) (10 + rank.number())});
          io.do_flush(a);
          assertThat(io.do_lseek(c, 0, SEEK_CUR)).isZero();
          byte[] all = new byte[3];
          io.do_read(c, all);
          assertThat(all).containsExactly(10, 11, 12);
          for (int fd : new int[] {c, b, a}) {
            io.do_close(fd);
          }
        });
  }

  @Test
  void nothingMovesNothing() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          assertThat(io.do_write(fd, new byte[0])).isZero();
          assertThat(io.do_read(fd, new byte[0])).isZero();
          io.do_lseek(fd, 99, SEEK_SET);
          assertThat(io.do_read(fd, new byte[0])).as("not past the end").isZero();
          assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(99);
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          io.do_gsync();
          io.do_lseek(fd, 99, SEEK_SET);
          MemorySegment four = MemorySegment.ofArray(new byte[] {1, 2, 3, 4});
          if (rank.number() == 0) {
            assertThat(io.do_write(fd, four, 2)).isEqualTo(2);
            assertThat(io.do_lseek(fd, 0, SEEK_END)).isEqualTo(101);
          }
          assertThat(io.do_check()).isZero();
          assertThat(io.do_flush(fd)).isZero();
          assertThat(io.do_close(fd)).isZero();
        });
  }
}
