package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.O_TRUNC;
import static org.millrace.heritage.pfs.Pfs.SEEK_CUR;
import static org.millrace.heritage.pfs.Pfs.SEEK_END;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/**
 * Where the bytes go in each mode, against arrays of bytes filled by the formulas of the report.
 */
final class PfsModesTest {

  private static final int NEW = O_RDWR | O_CREAT | O_TRUNC;

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** The whole file, through a descriptor of its own. */
  private static byte[] content(Rank rank, String name) throws IOException {
    Pfs pfs = Pfs.pfslib_init(rank);
    int fd = pfs.gopen(name, O_RDONLY, IoMode.M_UNIX, 0);
    byte[] bytes = new byte[(int) pfs.lseek(fd, 0, SEEK_END)];
    pfs.lseek(fd, 0, SEEK_SET);
    pfs.cread(fd, bytes, bytes.length);
    assertThat(pfs.close(fd)).isZero();
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void syncPutsPiecesOfAnyLengthInOrderOfRank(int ranks) throws IOException {
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.sync", NEW, IoMode.M_SYNC, 0644);
          Random random = new Random(7); // the same on all ranks
          byte[] oracle = new byte[0];
          for (int round = 0; round < 20; round++) {
            int[] lengths = new int[ranks];
            for (int r = 0; r < ranks; r++) {
              lengths[r] = random.nextInt(3) == 0 ? 0 : random.nextInt(40);
              byte[] piece = filled(lengths[r], 10 * round + r);
              oracle = join(oracle, piece);
            }
            byte[] mine = filled(lengths[rank.number()], 10 * round + rank.number());
            pfs.cwrite(fd, mine, mine.length);
            assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(oracle.length);
          }
          pfs.lseek(fd, 0, SEEK_SET);
          random = new Random(7);
          for (int round = 0; round < 20; round++) {
            int mine = 0;
            for (int r = 0; r < ranks; r++) {
              int length = random.nextInt(3) == 0 ? 0 : random.nextInt(40);
              mine = r == rank.number() ? length : mine;
            }
            byte[] read = new byte[mine];
            assertThat(pfs._cread(fd, read, mine)).isEqualTo(mine);
            assertThat(read).isEqualTo(filled(mine, 10 * round + rank.number()));
          }
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          assertThat(pfs.close(fd)).isZero();
          assertThat(content(rank, "pfs.sync")).isEqualTo(oracle);
        });
  }

  private static byte[] join(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void recordPutsTheIthRecordOfEachRankWhereTheFormulaSays(int ranks) throws IOException {
    int length = 7;
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.record", NEW, IoMode.M_RECORD, 0644);
          for (int i = 0; i < 4; i++) {
            pfs.cwrite(fd, filled(length, 10 * i + rank.number()), length);
          }
          pfs.lseek(fd, 0, SEEK_SET);
          for (int i = 0; i < 4; i++) {
            byte[] read = new byte[length];
            pfs.cread(fd, read, length);
            assertThat(read).isEqualTo(filled(length, 10 * i + rank.number()));
          }
          assertThat(pfs.close(fd)).isZero();
          byte[] oracle = new byte[4 * ranks * length];
          for (int i = 0; i < 4; i++) {
            for (int r = 0; r < ranks; r++) {
              int start = (i * ranks + r) * length;
              Arrays.fill(oracle, start, start + length, (byte) (10 * i + r));
            }
          }
          assertThat(content(rank, "pfs.record")).isEqualTo(oracle);
        });
  }

  @Test
  void recordAppendsOfUnequalNumberLieWhereTheFormulaPutsThem() throws IOException {
    int ranks = 3;
    int length = 5;
    int before = 4; // the file has an end that is no multiple of anything
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.append", NEW, IoMode.M_GLOBAL, 0644);
          pfs.cwrite(fd, filled(before, 99), before);
          pfs.close(fd);
          fd = pfs.gopen("pfs.append", O_RDWR | O_APPEND, IoMode.M_RECORD, 0644);
          int appends = 1 + 2 * rank.number(); // 1, 3, 5
          for (int i = 0; i < appends; i++) {
            pfs.cwrite(fd, filled(length, 10 * i + rank.number() + 1), length);
          }
          pfs.close(fd);
          byte[] oracle = new byte[before + (4 * ranks + 3) * length];
          Arrays.fill(oracle, 0, before, (byte) 99);
          for (int r = 0; r < ranks; r++) {
            for (int i = 0; i < 1 + 2 * r; i++) {
              int start = before + (i * ranks + r) * length;
              Arrays.fill(oracle, start, start + length, (byte) (10 * i + r + 1));
            }
          }
          assertThat(content(rank, "pfs.append")).isEqualTo(oracle);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 7})
  void aCheckpointIsRereadByAnyNumberOfProcesses(int readers) throws IOException {
    int total = 840; // divides by all of these numbers
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.checkpoint", NEW, IoMode.M_SYNC, 0644);
          byte[] mine = new byte[total / 3];
          for (int i = 0; i < mine.length; i++) {
            mine[i] = (byte) (rank.number() * mine.length + i);
          }
          pfs.cwrite(fd, mine, mine.length);
          assertThat(pfs.close(fd)).isZero();
        });
    Programs.run(
        directory,
        readers,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.checkpoint", O_RDONLY, IoMode.M_RECORD, 0);
          byte[] mine = new byte[total / readers];
          pfs.cread(fd, mine, mine.length);
          for (int i = 0; i < mine.length; i++) {
            assertThat(mine[i]).isEqualTo((byte) (rank.number() * mine.length + i));
          }
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void logHandsOutRangesWithoutGapsAndWithoutOverlap() throws IOException {
    int ranks = 4;
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.log", NEW, IoMode.M_LOG, 0644);
          for (int i = 0; i < 25; i++) {
            byte[] line = (rank.number() + ":" + i + "\n").getBytes(StandardCharsets.US_ASCII);
            if (i % 2 == 0) {
              pfs.cwrite(fd, line, line.length);
            } else {
              pfs.iowait(pfs.iwrite(fd, line, line.length));
            }
          }
          pfs.close(fd);
          String all = new String(content(rank, "pfs.log"), StandardCharsets.US_ASCII);
          int[] next = new int[ranks];
          for (String line : all.lines().toList()) {
            String[] parts = line.split(":", -1);
            int r = Integer.parseInt(parts[0]);
            assertThat(Integer.parseInt(parts[1])).isEqualTo(next[r]++); // in order of issue
          }
          assertThat(next).containsOnly(25);
        });
  }

  @Test
  void globalWritesOnceAndAllReadTheSame() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("any.name", NEW, IoMode.M_GLOBAL, 0644);
          pfs.cwrite(fd, filled(100, 42), 100);
          pfs.cwrite(fd, filled(50, 43), 50);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(150);
          assertThat(pfs.lseek(fd, 75, SEEK_SET)).isEqualTo(75);
          byte[] read = new byte[50];
          pfs.cread(fd, read, 50);
          assertThat(read).isEqualTo(join(filled(25, 42), filled(25, 43)));
          assertThat(pfs._cread(fd, read, 50)).isEqualTo(25);
          assertThat(pfs._cread(fd, read, 50)).isZero();
          assertThat(pfs.close(fd)).isZero();
          assertThat(content(rank, "any.name")).hasSize(150);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"M_UNIX", "M_ASYNC"})
  void privateModesHaveAPointerForEachRank(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.own", NEW, mode, 0644);
          assertThat(pfs.iomode(fd)).isEqualTo(mode);
          int mine = 10 * (2 - rank.number());
          assertThat(pfs.lseek(fd, mine, SEEK_SET)).isEqualTo(mine);
          pfs.cwrite(fd, filled(10, rank.number() + 1), 10);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(mine + 10);
          assertThat(pfs.close(fd)).isZero();
          rank.barrier();
          assertThat(content(rank, "pfs.own"))
              .isEqualTo(join(join(filled(10, 3), filled(10, 2)), filled(10, 1)));
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void nothingMovesNothingInAnyMode(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.zero", NEW, mode, 0644);
          byte[] none = new byte[0];
          assertThat(pfs._cread(fd, none, 0)).isZero();
          assertThat(pfs._cwrite(fd, none, 0)).isZero();
          pfs.cread(fd, none, 0);
          pfs.cwrite(fd, none, 0);
          pfs.iowait(pfs.iread(fd, none, 0));
          pfs.iowait(pfs.iwrite(fd, none, 0));
          assertThat(pfs._creadv(fd, List.of())).isZero();
          assertThat(pfs._cwritev(fd, List.of())).isZero();
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isZero();
          assertThat(pfs.lsize(fd, 0, Pfs.SIZE_END)).isZero();
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void readingPastTheEndIsShortWithUnderscoreAndAnErrorWithout(IoMode mode) throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.end", NEW, mode, 0644);
          pfs.cwrite(fd, filled(10, 1), 10);
          pfs.lseek(fd, 4, SEEK_SET);
          byte[] read = new byte[20];
          assertThat(pfs._cread(fd, read, 20)).isEqualTo(6);
          assertThat(pfs._cread(fd, read, 20)).isZero();
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          pfs.lseek(fd, 4, SEEK_SET);
          assertThat(pfs.iseof(fd)).isZero();
          assertThatThrownBy(() -> pfs.cread(fd, read, 20))
              .isInstanceOfSatisfying(
                  PfsException.class, e -> assertThat(e.code()).isEqualTo(Epfsl.EPFSLNBYTES));
          assertThat(pfs.errno()).isEqualTo(Epfsl.EPFSLNBYTES);
          assertThatThrownBy(() -> pfs.cread(fd, read, 20))
              .isInstanceOf(PfsException.class); // 0 bytes of 20
          pfs.iowait(pfs.iread(fd, read, 20)); // the manual gives iread no error for it
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void oneFileIsOpenInTwoModesAtOnce() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int sync = pfs.gopen("pfs.two", NEW, IoMode.M_SYNC, 0644);
          int own = pfs.gopen("pfs.two", O_RDWR, IoMode.M_UNIX, 0);
          pfs.cwrite(sync, filled(4, 1 + rank.number()), 4);
          rank.barrier(); // each returns when its own bytes are there
          assertThat(pfs.lseek(own, 0, SEEK_CUR)).isZero(); // a pointer of its own
          byte[] read = new byte[12];
          pfs.cread(own, read, 12);
          assertThat(read).containsExactly(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
          assertThat(pfs.iomode(sync)).isEqualTo(IoMode.M_SYNC);
          assertThat(pfs.iomode(own)).isEqualTo(IoMode.M_UNIX);
          assertThat(pfs.lseek(sync, 0, SEEK_CUR)).isEqualTo(12);
          assertThat(pfs.close(own)).isZero();
          assertThat(pfs.close(sync)).isZero();
        });
  }

  @Test
  void theLaterOfTwoWritesToOnePlaceStays() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.over", NEW, IoMode.M_UNIX, 0644);
          for (int turn = 0; turn < 4; turn++) {
            if (turn % 2 == rank.number()) {
              pfs.lseek(fd, turn, SEEK_SET);
              pfs.cwrite(fd, filled(10, 1 + turn), 10);
            }
            rank.barrier();
          }
          assertThat(pfs.close(fd)).isZero();
          assertThat(content(rank, "pfs.over"))
              .containsExactly(1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4);
        });
  }

  @Test
  void unixAccessesAreAtomic() throws IOException {
    int length = 300_000; // over several stripes and nodes
    Programs.run(
        directory,
        3,
        3,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.atomic", NEW, IoMode.M_UNIX, 0644);
          if (rank.number() == 0) {
            pfs.cwrite(fd, filled(length, 1), length);
          }
          rank.barrier();
          for (int i = 0; i < 20; i++) {
            pfs.lseek(fd, 0, SEEK_SET);
            if (rank.number() < 2) {
              pfs.cwrite(fd, filled(length, 1 + rank.number()), length);
            } else {
              byte[] read = new byte[length];
              pfs.cread(fd, read, length);
              assertThat(read).containsOnly(read[0]); // one writer's, never both
            }
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void logReadsFollowEachOther() throws IOException {
    int pieces = 60;
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.log", NEW, IoMode.M_GLOBAL, 0644);
          byte[] all = new byte[pieces];
          for (int i = 0; i < pieces; i++) {
            all[i] = (byte) i;
          }
          pfs.cwrite(fd, all, pieces);
          pfs.lseek(fd, 0, SEEK_SET);
          pfs.setiomode(fd, IoMode.M_LOG);
          long[] seen = new long[1]; // the pieces that this client has read, as bits
          byte[] one = new byte[1];
          while (pfs._cread(fd, one, 1) == 1) {
            seen[0] |= 1L << one[0];
          }
          long everything = rank.allReduceLong(seen[0], (a, b) -> a | b);
          long twice = rank.allReduceLong(Long.bitCount(seen[0]), Long::sum);
          assertThat(everything).isEqualTo((1L << pieces) - 1);
          assertThat(twice).isEqualTo(pieces); // each by one client
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void lengthsOfRecordsAreNotChecked() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.uneven", NEW, IoMode.M_RECORD, 0644);
          int length = 2 + rank.number();
          pfs.cwrite(fd, filled(length, 1 + rank.number()), length);
          assertThat(pfs.close(fd)).isZero();
          assertThat(content(rank, "pfs.uneven")).containsExactly(1, 1, 0, 2, 2, 2);
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void readsBeyondTheEndBringThePointerThere(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.beyond", NEW, IoMode.M_GLOBAL, 0644);
          pfs.cwrite(fd, filled(50, 1), 50);
          pfs.lseek(fd, 45, SEEK_SET);
          pfs.setiomode(fd, mode);
          rank.barrier();
          byte[] read = new byte[20];
          if (mode == IoMode.M_LOG) {
            pfs._cread(fd, read, 20);
            rank.barrier();
          } else {
            assertThat(pfs._cread(fd, read, 20)).isBetween(0L, 5L);
          }
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(50);
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          assertThat(pfs._cread(fd, read, 20)).isZero();
          rank.barrier();
          assertThat(pfs.lseek(fd, 70, SEEK_SET)).isEqualTo(70);
          rank.barrier();
          assertThat(pfs._cread(fd, read, 20)).isZero();
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(70); // as in Unix
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {49, 50, 51, 59, 60, 61})
  void recordsBeyondTheEndBringAllPointersThere(int size) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.rows", NEW, IoMode.M_GLOBAL, 0644);
          byte[] all = new byte[size];
          for (int i = 0; i < size; i++) {
            all[i] = (byte) i;
          }
          pfs.cwrite(fd, all, size);
          pfs.lseek(fd, 0, SEEK_SET);
          pfs.setiomode(fd, IoMode.M_RECORD);
          byte[] record = new byte[10];
          long read = 0;
          int rows = 0;
          while (pfs.iseof(fd) == 0) { // ends on every client
            assertThat(rows++).isLessThan(size);
            long count = pfs._cread(fd, record, 10);
            for (int i = 0; i < count; i++) {
              assertThat(record[i] % 30 / 10).isEqualTo(rank.number());
            }
            read += count;
          }
          assertThat(rank.allReduceLong(read, Long::sum)).isEqualTo(size);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(size); // no mixed operation
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
