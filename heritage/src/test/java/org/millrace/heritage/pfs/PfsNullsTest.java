package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.heritage.testing.Programs;

/** One client gives nothing where something must be: it and all who wait for it hear of it. */
@NullUnmarked
final class PfsNullsTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(names = {"M_SYNC", "M_GLOBAL"})
  void aMissingBufferFailsOnAllWhoWait(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.x", NEW, mode, 0644);
          boolean odd = rank.number() == 1;
          Epfsl code = odd ? Epfsl.EPFSLINVAL : Epfsl.EPFSLMIXIO;
          byte[] ten = odd ? null : filled(10, 1);
          MemorySegment memory = odd ? null : MemorySegment.ofArray(ten);
          List<MemorySegment> iov = odd ? null : List.of(memory);
          List<MemorySegment> holey =
              Arrays.asList(MemorySegment.ofArray(new byte[5]), odd ? null : memory);
          failed(pfs, pfs._cwrite(fd, ten, 10), code);
          failed(pfs, pfs._cwrite(fd, memory, 10), code);
          failed(pfs, pfs._cwritev(fd, iov), code);
          failed(pfs, pfs._cwritev(fd, holey), code);
          failed(pfs, pfs._cread(fd, ten, 10), code);
          failed(pfs, pfs._creadv(fd, iov), code);
          fails(code, () -> pfs.cread(fd, memory, 10));
          fails(code, () -> pfs.cwritev(fd, holey));
          failed(pfs, pfs._cwrite(fd, filled(10, 1), odd ? -1 : 10), code);
          failed(pfs, pfs._cwrite(fd, filled(10, 1), odd ? 11 : 10), code);
          begun(pfs, odd, odd ? pfs._iwrite(fd, ten, 10) : pfs.iwrite(fd, ten, 10));
          begun(pfs, odd, odd ? pfs._ireadv(fd, iov) : pfs.ireadv(fd, iov));
          pfs.cwrite(fd, filled(10, 1), 10); // the next correct call works
          rank.barrier();
          assertThat(pfs.lsize(fd, 0, Pfs.SIZE_END)).isEqualTo(mode == IoMode.M_SYNC ? 30 : 10);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  /** An operation that one client could not issue ends with an error on the others. */
  private static void begun(Pfs pfs, boolean odd, long id) {
    if (odd) {
      failed(pfs, id, Epfsl.EPFSLINVAL);
    } else {
      failed(pfs, pfs._iowait(id), Epfsl.EPFSLREMOTE);
    }
  }

  @Test
  void aMissingNameOrModeFailsOnAllWhoWait() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          boolean odd = rank.number() == 2;
          Epfsl code = odd ? Epfsl.EPFSLINVAL : Epfsl.EPFSLREMOTE;
          failed(pfs, pfs._gopen(odd ? null : "pfs.x", NEW, IoMode.M_SYNC, 0644), code);
          failed(pfs, pfs._gopen("pfs.x", NEW, odd ? null : IoMode.M_SYNC, 0644), code);
          int fd = pfs.gopen("pfs.x", NEW, IoMode.M_SYNC, 0644);
          Epfsl mixed = odd ? Epfsl.EPFSLINVAL : Epfsl.EPFSLMIXIO;
          failed(pfs, pfs._setiomode(fd, odd ? null : IoMode.M_LOG), mixed);
          failed(pfs, pfs.lseek(fd, 0, odd ? 9 : SEEK_SET), odd ? Epfsl.EPFSLREMOTE : mixed);
          assertThat(pfs.close(fd)).isZero();
          int apart = pfs.open("pfs.x", NEW, 0644);
          failed(pfs, pfs._setiomode(apart, odd ? null : IoMode.M_LOG), mixed);
          pfs.setiomode(apart, IoMode.M_LOG);
          assertThat(pfs.close(apart)).isZero();
        });
  }

  @Test
  void nothingIsRefusedByCallsOfOneClient() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          failed(pfs, pfs.open(null, NEW, 0644), Epfsl.EPFSLINVAL);
          failed(
              pfs, pfs._pfslib_open(null, NEW, 0644, IoMode.M_LOG, 1, 0, false), Epfsl.EPFSLINVAL);
          int fd = pfs.gopen("pfs.x", NEW, IoMode.M_UNIX, 0644);
          failed(pfs, pfs._iread(fd, (byte[]) null, 1), Epfsl.EPFSLINVAL);
          failed(pfs, pfs._iwritev(fd, null), Epfsl.EPFSLINVAL);
          fails(Epfsl.EPFSLINVAL, () -> pfs.iwrite(fd, (MemorySegment) null, 0));
          assertThat(pfs.close(fd)).isZero();
          int ordinary = pfs.open(directory.resolve("plain").toString(), NEW, 0644);
          failed(pfs, pfs.read(ordinary, null), Epfsl.EINVAL);
          failed(pfs, pfs.write(ordinary, null), Epfsl.EINVAL);
          assertThat(pfs.close(ordinary)).isZero();
        });
  }
}
