package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_EXCL;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.O_TRUNC;
import static org.millrace.heritage.pfs.Pfs.O_WRONLY;
import static org.millrace.heritage.pfs.Pfs.SEEK_CUR;
import static org.millrace.heritage.pfs.Pfs.SEEK_END;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** What synchronizes, what is mixed, what a name means, what an asynchronous operation keeps. */
final class PfsRulesTest {

  @TempDir private Path directory;

  private static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  @Test
  void mixedCallsFailOnAllRanksAndTheNextCorrectOneWorks() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          boolean odd = rank.number() == 1;
          failed(pfs, pfs._gopen(odd ? "a" : "b", NEW, IoMode.M_LOG, 0644), Epfsl.EPFSLREMOTE);
          failed(
              pfs,
              pfs._gopen("a", NEW, odd ? IoMode.M_LOG : IoMode.M_SYNC, 0644),
              Epfsl.EPFSLREMOTE);
          assertThat(pfs.pfslib_strerror("gopen")).contains("different things");
          int fd = pfs.gopen("a", NEW, IoMode.M_SYNC, 0644);
          pfs.cwrite(fd, filled(10, rank.number()), 10);
          byte[] ten = new byte[10];
          failed(pfs, pfs._setiomode(fd, odd ? IoMode.M_LOG : IoMode.M_GLOBAL), Epfsl.EPFSLMIXIO);
          failed(pfs, odd ? pfs.close(fd) : pfs._cread(fd, ten, 10), Epfsl.EPFSLMIXIO);
          failed(pfs, odd ? pfs._cwrite(fd, ten, 10) : pfs._cread(fd, ten, 10), Epfsl.EPFSLMIXIO);
          failed(pfs, pfs.lseek(fd, odd ? 1 : 2, SEEK_SET), Epfsl.EPFSLMIXIO);
          failed(
              pfs,
              pfs.lseek(fd, odd ? -1 : 0, SEEK_SET),
              odd ? Epfsl.EPFSLREMOTE : Epfsl.EPFSLMIXIO);
          long id = odd ? pfs.iwrite(fd, ten, 10) : pfs.iread(fd, ten, 10);
          failed(pfs, pfs._iowait(id), Epfsl.EPFSLREMOTE);
          failed(
              pfs,
              pfs._cread(fd, ten, odd ? Pfs.MAX_IO_BYTES + 1 : 10),
              odd ? Epfsl.EPFSLIOLEN : Epfsl.EPFSLMIXIO);
          assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_SYNC);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(30);
          pfs.setiomode(fd, IoMode.M_GLOBAL);
          failed(pfs, pfs._cread(fd, ten, odd ? 9 : 10), Epfsl.EPFSLMIXIO);
          failed(pfs, pfs._cwrite(fd, ten, odd ? 9 : 10), Epfsl.EPFSLMIXIO);
          assertThat(pfs.lseek(fd, 0, SEEK_SET)).isZero();
          for (int r = 0; r < 3; r++) { // unharmed
            pfs.cread(fd, ten, 10);
            assertThat(ten).isEqualTo(filled(10, r));
          }
          assertThat(pfs.lsize(fd, 0, Pfs.SIZE_END)).isEqualTo(30);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void asynchronousOperationsTakeTheirPlacesWhenTheyAreIssued() throws IOException {
    for (IoMode mode : IoMode.values()) {
      Programs.run(
          directory,
          2,
          2,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank);
            int fd = pfs.gopen("pfs." + mode, NEW, mode, 0644);
            long[] ids = new long[16];
            byte[][] pieces = new byte[16][];
            for (int i = 0; i < 16; i++) {
              pieces[i] = filled(100, mode == IoMode.M_GLOBAL ? i : 2 * i + rank.number());
              ids[i] = pfs.iwrite(fd, pieces[i], 100);
            }
            for (int i = 15; i >= 0; i--) { // in any order
              while (i % 2 == 0 && pfs.iodone(ids[i]) == 0) {
                Programs.pause();
              }
              if (i % 2 == 1) {
                pfs.iowait(ids[i]);
              }
            }
            rank.barrier();
            if (mode.mode().sharesPointer() || mode.mode().seekSynchronizes()) {
              pfs.setiomode(fd, IoMode.M_SYNC);
            }
            pfs.setiomode(fd, mode); // pointers of private modes then stand where rank 0's did
            pfs.lseek(fd, 0, SEEK_SET);
            rank.barrier(); // in M_LOG the pointer is everybody's
            byte[] read = new byte[100];
            for (int i = 0; i < 16 && mode != IoMode.M_LOG; i++) {
              pfs.cread(fd, read, 100);
              int who = mode == IoMode.M_UNIX || mode == IoMode.M_ASYNC ? -1 : rank.number();
              if (who >= 0) {
                assertThat(read).isEqualTo(pieces[i]);
              } else {
                assertThat(read[0] / 2).isEqualTo(i); // either's: both wrote to the same place
              }
            }
            assertThat(pfs.close(fd)).isZero();
          });
    }
  }

  @Test
  void pendingOperationsSurviveAChangeOfMode() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.change", NEW, IoMode.M_SYNC, 0644);
          long first = pfs.iwrite(fd, filled(100_000, 1 + rank.number()), 100_000);
          pfs.setiomode(fd, IoMode.M_RECORD); // the sequence begins anew
          long second = pfs.iwrite(fd, filled(10, 3 + rank.number()), 10);
          pfs.setiomode(fd, IoMode.M_GLOBAL);
          pfs.iowait(second);
          pfs.iowait(first);
          assertThat(pfs.lseek(fd, 0, SEEK_END)).isEqualTo(200_020);
          pfs.lseek(fd, 0, SEEK_SET);
          byte[] all = new byte[200_020];
          pfs.cread(fd, all, all.length);
          for (int i = 0; i < all.length; i++) {
            int expected = i < 100_000 ? 1 : i < 200_000 ? 2 : i < 200_010 ? 3 : 4;
            assertThat(all[i]).as("byte %s", i).isEqualTo((byte) expected);
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void anOperationIsNeverPairedWithOneOfALaterMode() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.late", NEW, IoMode.M_SYNC, 0644);
          byte[] ten = filled(10, 1);
          if (rank.number() == 0) {
            long id = pfs.iwrite(fd, ten, 10);
            pfs.setiomode(fd, IoMode.M_GLOBAL);
            failed(pfs, pfs._iowait(id), Epfsl.EPFSLREMOTE); // the original waited for ever
            assertThat(pfs.pfslib_strerror("iowait")).contains("different things");
          } else {
            failed(pfs, pfs._setiomode(fd, IoMode.M_GLOBAL), Epfsl.EPFSLMIXIO);
            pfs.setiomode(fd, IoMode.M_GLOBAL);
          }
          assertThat(pfs.lsize(fd, 0, Pfs.SIZE_END)).isZero();
          pfs.cwrite(fd, ten, 10);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void idsOfAClosedFileCanStillBeAsked(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.ids", NEW, mode, 0644);
          long id = pfs.iwrite(fd, filled(10, 1), 10);
          assertThat(pfs.close(fd)).isZero();
          assertThat(pfs.iodone(id)).isEqualTo(1);
        });
  }

  @Test
  void vectorsGoThroughTheirBuffersOneAfterTheOther() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.v", NEW, IoMode.M_SYNC, 0644);
          pfs.cwritev(
              fd, List.of(segment(filled(3, 1)), segment(new byte[0]), segment(filled(2, 2))));
          pfs.iowait(pfs.iwritev(fd, List.of(segment(filled(1, 3)), segment(filled(4, 4)))));
          pfs.lseek(fd, 0, SEEK_SET);
          byte[] a = new byte[1];
          byte[] b = new byte[4];
          pfs.creadv(fd, List.of(segment(a), segment(b)));
          assertThat(a).containsExactly(1);
          assertThat(b).containsExactly(1, 1, 2, 2);
          pfs.iowait(pfs.ireadv(fd, List.of(segment(b), segment(a))));
          assertThat(b).containsExactly(3, 4, 4, 4);
          assertThat(a).containsExactly(4);
          assertThat(pfs._creadv(fd, List.of(segment(a), segment(b)))).isZero();
          fails(Epfsl.EPFSLNBYTES, () -> pfs.creadv(fd, List.of(segment(a))));
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  @InOneJvm("looks at files of the host")
  void hashesOpenAPrivateFileAndPfsASharedOne() throws IOException {
    Path folder = Files.createDirectories(directory.resolve("local"));
    Programs.run(
        directory.resolve("cluster"),
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (String name : List.of("own.###", "pfs.own####", "x#####y")) {
            int fd = pfs.open(folder + "/" + name, NEW, 0644);
            assertThat(fd).isLessThan(Pfs.FIRST_SHARED);
            assertThat(pfs.write(fd, segment(filled(5, rank.number())))).isEqualTo(5);
            assertThat(pfs.lseek(fd, -3, SEEK_END)).isEqualTo(2);
            byte[] read = new byte[9];
            assertThat(pfs.read(fd, segment(read))).isEqualTo(3);
            assertThat(pfs.read(fd, segment(read))).isZero();
            assertThat(read[2]).isEqualTo((byte) rank.number());
            assertThat(pfs.close(fd)).isZero();
          }
          rank.barrier();
          assertThat(folder.toFile().list())
              .containsExactlyInAnyOrder(
                  "own.000",
                  "own.001",
                  "own.002",
                  "pfs.own000",
                  "pfs.own001",
                  "pfs.own002",
                  "x000y",
                  "x001y",
                  "x002y");
          assertThat(rank.names().list("")).isEmpty();
          rank.barrier();
          if (rank.number() == 2) { // not synchronizing: the others do nothing
            int fd = pfs.open("some.pfs.file", NEW, 0644);
            assertThat(fd).isGreaterThanOrEqualTo(Pfs.FIRST_SHARED);
            assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_UNIX);
            pfs.cwrite(fd, filled(5, 7), 5);
            assertThat(pfs.close(fd)).isZero();
          }
          if (rank.number() == 1) {
            int fd = pfs.open(folder + "/##", NEW, 0644); // two are no pattern
            assertThat(pfs.close(fd)).isZero();
            assertThat(folder.resolve("##")).exists();
          }
        });
  }

  @Test
  void whoComesFirstCutsTheFileAndTheOthersJoin() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int flags = O_RDWR | O_CREAT | O_EXCL | O_TRUNC;
          int fd = -1;
          for (int turn = 0; turn < 3; turn++) {
            if (turn == rank.number()) {
              fd = pfs.open("pfs.turns", flags, 0644);
              assertThat(fd).as(pfs.pfslib_strerror("open")).isNotNegative();
              pfs.lseek(fd, turn, SEEK_SET);
              pfs.cwrite(fd, filled(1, turn + 1), 1);
            }
            rank.barrier();
          }
          byte[] read = new byte[3];
          pfs.lseek(fd, 0, SEEK_SET);
          pfs.cread(fd, read, 3);
          assertThat(read).containsExactly(1, 2, 3);
          rank.barrier();
          assertThat(pfs.close(fd)).isZero();
          rank.barrier();
          failed(pfs, pfs.open("pfs.turns", flags, 0644), Epfsl.EPFSLREMOTE); // nobody has it open
        });
  }

  @Test
  void clientsThatOpenedAloneMeetAtSetiomode() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.open("pfs.meet", O_RDWR | O_CREAT, 0644);
          pfs.lseek(fd, 6, SEEK_SET);
          long id = pfs.iwrite(fd, filled(6, 9), 6); // all to the same place
          failed(
              pfs,
              pfs._setiomode(fd, rank.number() == 0 ? IoMode.M_LOG : IoMode.M_SYNC),
              Epfsl.EPFSLMIXIO);
          assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_UNIX);
          pfs.setiomode(fd, IoMode.M_SYNC);
          pfs.iowait(id);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(12);
          pfs.cwrite(fd, filled(rank.number(), rank.number()), rank.number());
          assertThat(pfs.lseek(fd, 0, SEEK_SET)).isZero();
          pfs.setiomode(fd, IoMode.M_GLOBAL);
          byte[] all = new byte[15];
          pfs.cread(fd, all, 15);
          assertThat(all).containsExactly(0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 1, 2, 2);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void appendsGoToTheEndInEveryMode() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int alone = pfs.open("pfs.appends", O_WRONLY | O_CREAT | O_APPEND, 0644);
          for (int i = 0; i < 50; i++) { // each for itself, and yet nothing is overwritten
            if (i % 2 == 0) {
              pfs.cwrite(alone, filled(7, 1), 7);
            } else {
              pfs.iowait(pfs.iwrite(alone, filled(7, 1), 7));
            }
          }
          rank.barrier();
          assertThat(pfs.lsize(alone, 0, Pfs.SIZE_END)).isEqualTo(1050);
          rank.barrier();
          long end = 1050;
          for (IoMode mode : IoMode.values()) {
            pfs.setiomode(alone, mode);
            pfs.lseek(alone, 0, SEEK_SET); // of no effect on where writes go
            rank.barrier();
            pfs.cwrite(alone, filled(5, 1), 5);
            rank.barrier();
            end += mode == IoMode.M_GLOBAL ? 5 : 15;
            assertThat(pfs.lsize(alone, 0, Pfs.SIZE_END)).as("%s", mode).isEqualTo(end);
            rank.barrier();
          }
          assertThat(pfs.close(alone)).isZero();
          rank.barrier();
          int fd = pfs.gopen("pfs.appends", O_RDONLY, IoMode.M_GLOBAL, 0);
          byte[] all = new byte[(int) end];
          pfs.cread(fd, all, end);
          assertThat(all).containsOnly(1);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void someRanksOpenAFileAndTheOthersNeedNotCare() throws IOException {
    Programs.run(
        directory,
        5,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          if (rank.number() == 4) {
            return; // does something else
          }
          int mine = rank.number() / 2;
          String name = "pfs." + rank.number() % 2; // two files, two clients each
          for (int again = 0; again < 2; again++) {
            int fd = pfs._pfslib_open(name, NEW, 0644, IoMode.M_SYNC, 2, 1 - mine, true);
            assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_SYNC);
            pfs.cwrite(fd, filled(3 + mine, rank.number()), 3 + mine);
            pfs.lseek(fd, 0, SEEK_SET);
            pfs.setiomode(fd, IoMode.M_GLOBAL);
            byte[] all = new byte[7]; // client 0 is the higher rank
            pfs.cread(fd, all, 7);
            assertThat(all[0]).isEqualTo((byte) (rank.number() % 2 + 2));
            assertThat(all[3]).isEqualTo((byte) (rank.number() % 2 + 2));
            assertThat(all[4]).isEqualTo((byte) (rank.number() % 2));
            assertThat(pfs.close(fd)).isZero();
          }
          int fd = pfs._pfslib_open(name, O_RDWR, 0, IoMode.M_SYNC, 2, mine, false);
          assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_UNIX); // IOMode counts only if global
          pfs.setiomode(fd, IoMode.M_RECORD);
          byte[] three = new byte[3];
          pfs.cread(fd, three, 3);
          assertThat(three[0]).isEqualTo((byte) (rank.number() % 2 + 2));
          assertThat(three[2]).isEqualTo((byte) (rank.number() % 2 + (mine == 0 ? 2 : 0)));
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void filesAreDistributedAsSaidBeforeTheyAreMade() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          pfs.distribute(100, 2);
          int fd = pfs.gopen("pfs.stripes", NEW, IoMode.M_SYNC, 0644);
          pfs.cwrite(fd, filled(1001, rank.number()), 1001);
          assertThat(pfs.close(fd)).isZero();
          var layout = rank.names().stat("pfs.stripes").layout().orElseThrow();
          assertThat(layout.stripeUnitBytes()).isEqualTo(100);
          assertThat(layout.strands()).isEqualTo(2);
          pfs.distribute(rank.number() + 1, 0);
          failed(pfs, pfs._gopen("pfs.other", NEW, IoMode.M_SYNC, 0644), Epfsl.EPFSLREMOTE);
          pfs.distribute(0, 0);
          int again = pfs.gopen("pfs.stripes", O_RDONLY, IoMode.M_SYNC, 0);
          byte[] read = new byte[1001];
          pfs.cread(again, read, 1001);
          assertThat(read).containsOnly(rank.number());
          assertThat(pfs.close(again)).isZero();
        });
  }

  @Test
  void sizesGrowAndNeverShrink() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.size", NEW, IoMode.M_GLOBAL, 0644);
          if (rank.number() == 0) { // not synchronizing
            assertThat(pfs.lsize(fd, 100, Pfs.SIZE_SET)).isEqualTo(100);
            assertThat(pfs.lsize(fd, 50, Pfs.SIZE_SET)).isEqualTo(100);
            assertThat(pfs.lsize(fd, 50, Pfs.SIZE_CUR)).isEqualTo(100);
            assertThat(pfs.lsize(fd, 150, Pfs.SIZE_CUR)).isEqualTo(150);
            assertThat(pfs._lsize(fd, -9, Pfs.SIZE_END)).isEqualTo(150);
            assertThat(pfs.esize(fd, 1L << 42, Pfs.SIZE_END)).isEqualTo(150 + (1L << 42));
          }
          rank.barrier();
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isZero();
          assertThat(pfs.eseek(fd, -4, SEEK_END)).isEqualTo(146 + (1L << 42));
          byte[] zeros = filled(4, 1);
          pfs.cread(fd, zeros, 4);
          assertThat(zeros).containsOnly(0);
          assertThat(pfs._iseof(fd)).isEqualTo(1);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void smallAsynchronousOperationsAreOverWhenTheyWereIssued() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs._pfslib_init(rank, "host", 1, 0, 1000, 100);
          int fd = pfs.gopen("pfs.small", NEW, IoMode.M_UNIX, 0644);
          assertThat(pfs.iodone(pfs.iwrite(fd, filled(100, 1), 100))).isEqualTo(1);
          pfs.setiomode(fd, IoMode.M_SYNC);
          pfs.iowait(pfs.iwrite(fd, filled(100, 1), 100));
          assertThat(pfs.close(fd)).isZero();
          assertThat(pfs.errno()).isEqualTo(Epfsl.NONE);
        });
  }
}
