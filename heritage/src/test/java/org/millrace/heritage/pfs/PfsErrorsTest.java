package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_EXCL;
import static org.millrace.heritage.pfs.Pfs.O_NDELAY;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.O_WRONLY;
import static org.millrace.heritage.pfs.Pfs.SEEK_CUR;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** Every error that a process finds by itself, under the condition that its page names. */
final class PfsErrorsTest {

  private static final byte[] SOME = new byte[8];
  private static final List<MemorySegment> IOV = List.of(MemorySegment.ofArray(SOME));

  @TempDir private Path directory;

  private String plain(String name) {
    return directory.resolve(name).toString();
  }

  private static void checkBadFile(Pfs pfs, int fd) {
    failed(pfs, pfs._cread(fd, SOME, 8), Epfsl.EPFSLBADF);
    failed(pfs, pfs._creadv(fd, IOV), Epfsl.EPFSLBADF);
    failed(pfs, pfs._cwrite(fd, SOME, 8), Epfsl.EPFSLBADF);
    failed(pfs, pfs._cwritev(fd, IOV), Epfsl.EPFSLBADF);
    failed(pfs, pfs._iread(fd, SOME, 8), Epfsl.EPFSLBADF);
    failed(pfs, pfs._ireadv(fd, IOV), Epfsl.EPFSLBADF);
    failed(pfs, pfs._iwrite(fd, SOME, 8), Epfsl.EPFSLBADF);
    failed(pfs, pfs._iwritev(fd, IOV), Epfsl.EPFSLBADF);
    failed(pfs, pfs._iseof(fd), Epfsl.EPFSLBADF);
    failed(pfs, pfs._lsize(fd, 0, Pfs.SIZE_SET), Epfsl.EPFSLBADF);
    failed(pfs, pfs._esize(fd, 0, Pfs.SIZE_SET), Epfsl.EPFSLBADF);
    failed(pfs, pfs._setiomode(fd, IoMode.M_LOG), Epfsl.EPFSLBADF);
    failed(pfs, pfs._iomode(fd), Epfsl.EPFSLBADF);
    fails(Epfsl.EPFSLBADF, () -> pfs.cread(fd, SOME, 8));
    fails(Epfsl.EPFSLBADF, () -> pfs.creadv(fd, IOV));
    fails(Epfsl.EPFSLBADF, () -> pfs.cwrite(fd, SOME, 8));
    fails(Epfsl.EPFSLBADF, () -> pfs.cwritev(fd, IOV));
    fails(Epfsl.EPFSLBADF, () -> pfs.iread(fd, SOME, 8));
    fails(Epfsl.EPFSLBADF, () -> pfs.ireadv(fd, IOV));
    fails(Epfsl.EPFSLBADF, () -> pfs.iwrite(fd, SOME, 8));
    fails(Epfsl.EPFSLBADF, () -> pfs.iwritev(fd, IOV));
    fails(Epfsl.EPFSLBADF, () -> pfs.iseof(fd));
    fails(Epfsl.EPFSLBADF, () -> pfs.lsize(fd, 0, Pfs.SIZE_SET));
    fails(Epfsl.EPFSLBADF, () -> pfs.esize(fd, 0, Pfs.SIZE_SET));
    fails(Epfsl.EPFSLBADF, () -> pfs.setiomode(fd, IoMode.M_LOG));
    fails(Epfsl.EPFSLBADF, () -> pfs.iomode(fd));
  }

  @Test
  void whatIsNoDescriptorOfASharedFileIsRefusedByEveryCall() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int closed = pfs.gopen("pfs.closed", NEW, IoMode.M_UNIX, 0644);
          assertThat(pfs.close(closed)).isZero();
          int ordinary = pfs.open(plain("ordinary"), NEW, 0644);
          assertThat(ordinary).isBetween(3, Pfs.FIRST_SHARED - 1);
          for (int fd : new int[] {-1, 0, ordinary, closed, 100_000}) {
            checkBadFile(pfs, fd);
          }
          failed(pfs, pfs.close(closed), Epfsl.EPFSLBADF);
          failed(pfs, pfs.lseek(closed, 0, SEEK_SET), Epfsl.EPFSLBADF);
          fails(Epfsl.EPFSLBADF, () -> pfs.eseek(closed, 0, SEEK_SET));
          failed(pfs, pfs.close(7), Epfsl.EBADF);
          failed(pfs, pfs._eseek(7, 0, SEEK_SET), Epfsl.EBADF);
          int shared = pfs.gopen("pfs.shared", NEW, IoMode.M_UNIX, 0644);
          failed(pfs, pfs.read(shared, IOV.getFirst()), Epfsl.EBADF);
          failed(pfs, pfs.write(shared, IOV.getFirst()), Epfsl.EBADF);
          assertThat(pfs.close(ordinary)).isZero();
          assertThat(pfs.close(shared)).isZero();
        });
  }

  @Test
  void idsThatNobodyHasAreRefusedAndSoAreThoseThatWereFreed() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.ids", NEW, IoMode.M_UNIX, 0644);
          for (long id : new long[] {-1, 0, 19, 20, Long.MAX_VALUE}) {
            failed(pfs, pfs._iowait(id), Epfsl.EPFSLBADID);
            failed(pfs, pfs._iodone(id), Epfsl.EPFSLBADID);
            fails(Epfsl.EPFSLBADID, () -> pfs.iowait(id));
            fails(Epfsl.EPFSLBADID, () -> pfs.iodone(id));
          }
          long id = pfs.iwrite(fd, SOME, 8);
          assertThat(pfs._iowait(id)).isZero();
          fails(Epfsl.EPFSLBADID, () -> pfs.iowait(id));
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void twentyOperationsMayBeOutstandingAndNoMore() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.many", NEW, IoMode.M_SYNC, 0644);
          int other = pfs.gopen("pfs.other", NEW, IoMode.M_UNIX, 0644);
          long[] ids = new long[20];
          for (int i = 0; i < 20; i++) {
            ids[i] = pfs.iwrite(i % 2 == 0 ? fd : other, filled(8, i), 8);
          }
          failed(pfs, pfs._iwrite(fd, SOME, 8), Epfsl.EPFSLMREQUEST);
          failed(pfs, pfs._ireadv(other, IOV), Epfsl.EPFSLMREQUEST);
          fails(Epfsl.EPFSLMREQUEST, () -> pfs.iread(fd, SOME, 8));
          pfs.iowait(ids[0]);
          ids[0] = pfs.iwrite(fd, filled(8, 77), 8); // what had no id has taken no place
          for (long id : ids) {
            pfs.iowait(id);
          }
          pfs.lseek(fd, 16 * 10, SEEK_SET);
          byte[] read = new byte[8];
          pfs.cread(fd, read, 8);
          assertThat(read).containsOnly(77);
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          assertThat(pfs.close(fd)).isZero();
          assertThat(pfs.close(other)).isZero();
        });
  }

  @Test
  void argumentsThatCannotBeAreRefusedAndMoveNothing() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(rank, "host", 0, 0));
          fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(rank, "host", 2, 2));
          fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(rank, "host", 2, -1));
          fails(Epfsl.EPFSLINVAL, () -> Pfs._pfslib_init(rank, "host", 1, 0, -1, 0));
          fails(Epfsl.EPFSLINVAL, () -> Pfs._pfslib_init(rank, "host", 1, 0, 0, -1));
          Pfs pfs = Pfs.pfslib_init(rank);
          failed(pfs, pfs._gopen("pfs.a", 3 | O_CREAT, IoMode.M_LOG, 0644), Epfsl.EPFSLINVAL);
          failed(pfs, pfs.open("pfs.a", 3 | O_CREAT, 0644), Epfsl.EPFSLINVAL);
          failed(
              pfs,
              pfs._pfslib_open("pfs.a", NEW, 0644, IoMode.M_LOG, 1, 1, true),
              Epfsl.EPFSLINVAL);
          failed(pfs, pfs._gopen("", O_RDWR, IoMode.M_LOG, 0644), Epfsl.EPFSLINVAL);
          int fd = pfs.gopen("pfs.a", NEW, IoMode.M_UNIX, 0644);
          pfs.cwrite(fd, filled(8, 1), 8);
          failed(pfs, pfs._cwrite(fd, SOME, 9), Epfsl.EPFSLINVAL);
          failed(pfs, pfs._cread(fd, SOME, -1), Epfsl.EPFSLINVAL);
          MemorySegment constant = MemorySegment.ofArray(SOME).asReadOnly();
          failed(pfs, pfs._cread(fd, constant, 8), Epfsl.EPFSLINVAL);
          failed(pfs, pfs._lsize(fd, 9, 3), Epfsl.EPFSLINVAL);
          failed(pfs, pfs._lsize(fd, Long.MAX_VALUE, Pfs.SIZE_END), Epfsl.EPFSLINVAL);
          try (Arena mine = Arena.ofConfined()) {
            failed(pfs, pfs._iread(fd, mine.allocate(8), 8), Epfsl.EPFSLINVAL);
          }
          failed(pfs, pfs._cread(fd, SOME, Pfs.MAX_IO_BYTES + 1), Epfsl.EPFSLIOLEN);
          failed(pfs, pfs._cwrite(fd, SOME, Pfs.MAX_IO_BYTES + 1), Epfsl.EPFSLIOLEN);
          fails(Epfsl.EPFSLIOLEN, () -> pfs.iread(fd, SOME, Pfs.MAX_IO_BYTES + 1));
          fails(Epfsl.EPFSLIOLEN, () -> pfs.iwrite(fd, SOME, Pfs.MAX_IO_BYTES + 1));
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(8);
          assertThat(pfs.lsize(fd, 0, Pfs.SIZE_END)).isEqualTo(8);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void seeksToNowhereFailAndLeaveThePointer() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (IoMode mode : IoMode.values()) {
            int fd = pfs.gopen("pfs.seek", NEW, mode, 0644);
            assertThat(pfs.lseek(fd, 5, SEEK_SET)).isEqualTo(5);
            failed(pfs, pfs.lseek(fd, -6, SEEK_CUR), Epfsl.EPFSLREMOTE);
            failed(pfs, pfs.lseek(fd, 0, 3), Epfsl.EPFSLREMOTE);
            failed(pfs, pfs.lseek(fd, Long.MAX_VALUE, SEEK_CUR), Epfsl.EPFSLREMOTE);
            fails(Epfsl.EPFSLREMOTE, () -> pfs.eseek(fd, -1, SEEK_SET));
            fails(Epfsl.EPFSLREMOTE, () -> pfs.eseek(fd, -1, Pfs.SEEK_END));
            assertThat(pfs.eseek(fd, 0, SEEK_CUR)).isEqualTo(5);
            assertThat(pfs.close(fd)).isZero();
            rank.barrier();
          }
          int ordinary = pfs.open(plain("seek.###"), NEW, 0644);
          failed(pfs, pfs.lseek(ordinary, -1, SEEK_SET), Epfsl.EINVAL);
          assertThat(pfs.close(ordinary)).isZero();
        });
  }

  @Test
  void namesThatAreTooLongAndNdelayAreRefused() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          String name = "pfs" + "x".repeat(253);
          failed(pfs, pfs.open(name, NEW, 0644), Epfsl.ENAMETOOLONG);
          failed(pfs, pfs._gopen(name, NEW, IoMode.M_LOG, 0644), Epfsl.ENAMETOOLONG);
          String path = "pfs/".repeat(1025);
          fails(Epfsl.ENAMETOOLONG, () -> pfs.gopen(path, NEW, IoMode.M_LOG, 0644));
          failed(pfs, pfs.open("pfs.a", NEW | O_NDELAY, 0644), Epfsl.EPFSLNDELAY);
          fails(Epfsl.EPFSLNDELAY, () -> pfs.gopen("pfs.a", NEW | O_NDELAY, IoMode.M_LOG, 0644));
          failed(
              pfs,
              pfs._pfslib_open("pfs.a", O_NDELAY, 0, IoMode.M_LOG, 2, rank.number(), true),
              Epfsl.EPFSLNDELAY);
          int fd = pfs.gopen("/pfs.a", NEW, IoMode.M_LOG, 0644); // the next correct call works
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void oneRanksWrongOpenFailsOnAllAndTheNextWorks() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int flags = rank.number() == 1 ? NEW | O_NDELAY : NEW;
          failed(
              pfs,
              pfs._gopen("pfs.a", flags, IoMode.M_LOG, 0644),
              rank.number() == 1 ? Epfsl.EPFSLNDELAY : Epfsl.EPFSLREMOTE);
          int fd = pfs.gopen("pfs.a", NEW, IoMode.M_LOG, 0644);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void tooManyOpenFilesAreRefused() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int first = pfs.gopen("pfs.a", NEW, IoMode.M_UNIX, 0644);
          for (int i = 1; i < Pfs.MAX_FILES; i++) {
            assertThat(pfs._gopen("pfs.a", O_RDONLY, IoMode.M_UNIX, 0)).isEqualTo(first + i);
          }
          failed(pfs, pfs._gopen("pfs.a", O_RDONLY, IoMode.M_UNIX, 0), Epfsl.EPFSLMFILE);
          failed(pfs, pfs.open("pfs.a", O_RDONLY, 0), Epfsl.EPFSLMFILE);
          assertThat(pfs.close(first + 9)).isZero();
          assertThat(pfs.open("pfs.a", O_RDONLY, 0)).isEqualTo(first + 9);
          for (int i = 3; i < Pfs.FIRST_SHARED; i++) {
            assertThat(pfs.open(plain("ordinary"), O_RDWR | O_CREAT, 0644)).isEqualTo(i);
          }
          failed(pfs, pfs.open(plain("ordinary"), O_RDONLY, 0), Epfsl.EMFILE);
        });
  }

  @Test
  @InOneJvm("it makes files of the host, which are there when it runs again")
  void whatTheServerRefusesIsRemoteForSharedFilesAndUnixsOwnForOthers() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          failed(pfs, pfs._gopen("pfs.none", O_RDONLY, IoMode.M_LOG, 0), Epfsl.EPFSLREMOTE);
          assertThat(pfs.pfslib_strerror("gopen"))
              .startsWith("gopen: PFSLib: An error occurred on the server side: ")
              .contains("pfs.none");
          failed(pfs, pfs.open("pfs.none", O_RDONLY, 0), Epfsl.EPFSLREMOTE);
          failed(pfs, pfs.open(plain("none.###"), O_RDONLY, 0), Epfsl.ENOENT);
          int fd = pfs.gopen("pfs.only", O_WRONLY | O_CREAT | O_EXCL, IoMode.M_SYNC, 0644);
          fails(
              Epfsl.EPFSLREMOTE,
              () -> pfs.gopen("pfs.only", O_WRONLY | O_CREAT | O_EXCL, IoMode.M_SYNC, 0644));
          failed(pfs, pfs._cread(fd, SOME, 8), Epfsl.EPFSLREMOTE);
          failed(pfs, pfs._iread(fd, SOME, 8), Epfsl.EPFSLREMOTE);
          pfs.cwrite(fd, SOME, 8);
          assertThat(pfs.close(fd)).isZero();
          int read = pfs.gopen("pfs.only", O_RDONLY, IoMode.M_UNIX, 0);
          failed(pfs, pfs._cwrite(read, SOME, 8), Epfsl.EPFSLREMOTE);
          failed(pfs, pfs._lsize(read, 100, Pfs.SIZE_SET), Epfsl.EPFSLREMOTE);
          pfs.cread(read, SOME, 8);
          assertThat(pfs.close(read)).isZero();
          int mine = pfs.open(plain("mine.###"), O_WRONLY | O_CREAT | O_EXCL, 0644);
          failed(pfs, pfs.open(plain("mine.###"), O_WRONLY | O_CREAT | O_EXCL, 0644), Epfsl.EEXIST);
          failed(pfs, pfs.read(mine, IOV.getFirst()), Epfsl.EBADF);
          assertThat(pfs.close(mine)).isZero();
        });
  }

  @Test
  @InOneJvm("looks at what is printed")
  void perrorPrintsTheStringAColonAndTheMessage() throws IOException {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          failed(pfs, pfs._iowait(3), Epfsl.EPFSLBADID);
          System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
          try {
            pfs.pfslib_perror("waiting");
          } finally {
            System.setErr(before);
          }
        });
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "waiting: PFSLib: Bad I/O id: no operation has the id 3" + System.lineSeparator());
  }
}
