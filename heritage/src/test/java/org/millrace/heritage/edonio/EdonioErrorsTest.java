package org.millrace.heritage.edonio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.edonio.Edonios.ALL;
import static org.millrace.heritage.edonio.Edonios.fails;
import static org.millrace.heritage.edonio.Fcntl.O_APPEND;
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
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.heritage.edonio.EdonioException.Reason;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** Every error that the manual names, and what else can be wrong. */
final class EdonioErrorsTest {

  @TempDir private Path directory;

  @Test
  void nothingWorksBeforeDoNio() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Edonio io = new Edonio(rank);
          byte[] b = new byte[1];
          fails(Reason.NOT_INITIALIZED, () -> io.do_read(0, b));
          fails(Reason.NOT_INITIALIZED, () -> io.do_write(0, b));
          fails(Reason.NOT_INITIALIZED, () -> io.do_lseek(0, 0, SEEK_SET));
          fails(Reason.NOT_INITIALIZED, io::do_check);
          fails(Reason.NOT_INITIALIZED, () -> io.do_nio(rank.number() + 1, rank.size()));
          fails(Reason.NOT_INITIALIZED, () -> io.do_nio(rank.number(), rank.size() + 1));
          fails(Reason.NOT_INITIALIZED, () -> io.do_close(0));
          fails(Reason.NOT_INITIALIZED, () -> io.do_flush(0));
          fails(Reason.NOT_INITIALIZED, () -> io.do_lsize(0, 1));
          fails(Reason.NOT_INITIALIZED, () -> io.do_preload(0));
          if (rank.number() == 0) {
            assertThat(io.do_nio(0, 2)).isZero();
            assertThat(io.do_nio(0, 2)).as("again").isZero();
          }
          // one rank's omission is all ranks' error, and nobody waits
          fails(Reason.NOT_INITIALIZED, () -> io.do_open("f", O_RDWR, ALL));
          fails(Reason.NOT_INITIALIZED, () -> io.do_csize(1, 1));
          fails(Reason.NOT_INITIALIZED, io::do_gsync);
          assertThat(rank.names().list("")).isEmpty();
        });
  }

  @Test
  void readingPastTheEndIsAnErrorThatMovesNothing() throws IOException {
    Edonios.run(
        directory,
        2,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          if (rank.number() == 0) {
            io.do_write(fd, new byte[100]);
          }
          io.do_gsync();
          for (int at : new int[] {0, 99, 100, 5000}) {
            io.do_lseek(fd, at, SEEK_SET);
            byte[] buf = new byte[Math.max(1, 101 - at)];
            Arrays.fill(buf, (byte) 5);
            fails(Reason.PAST_END, () -> io.do_read(fd, buf));
            assertThat(buf).containsOnly(5);
            assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(at);
          }
          io.do_lseek(fd, 0, SEEK_SET);
          assertThat(io.do_read(fd, new byte[100])).as("up to the end").isEqualTo(100);
          io.do_close(fd);
        });
  }

  @Test
  void whatAnotherCutOffIsPastTheEnd() throws IOException {
    Edonios.run(
        directory,
        1,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          io.do_write(fd, new byte[100]);
          io.do_lseek(fd, 10, SEEK_SET);
          io.do_read(fd, new byte[90]); // it knows now that there are 100
          try (SharedFile other = rank.alone().open("f", OpenOptions.readWrite())) {
            other.resize(50);
          }
          io.do_lseek(fd, 10, SEEK_SET);
          fails(Reason.PAST_END, () -> io.do_read(fd, new byte[90]));
          assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(10);
          assertThat(io.do_read(fd, new byte[40])).isEqualTo(40);
          io.do_close(fd);
        });
  }

  @Test
  @InOneJvm("its disk becomes full")
  void aWriteThatFailedHasMovedNoPointerAndCanBeTriedAgain() throws IOException {
    Faults faults = Faults.seeded(1);
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(),
            new MemoryDisk("coordinator"),
            List.of(new FaultyDisk(new MemoryDisk("node"), faults)),
            ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20))) {
      cluster.run(1, rank -> writeToAFullDisk(rank, faults));
    }
  }

  private static void writeToAFullDisk(Rank rank, Faults faults) throws IOException {
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(0, 1);
      int fd = io.do_open("f", O_RDWR, ALL);
      io.do_write(fd, new byte[100]);
      faults.fullAfter(100_000);
      byte[] much = new byte[8 << 20];
      Arrays.fill(much, (byte) 1);
      fails(Reason.FAILED, () -> io.do_write(fd, much));
      assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(100);
      faults.fullAfter(Long.MAX_VALUE);
      boolean written = false;
      for (int i = 0; i < 1000 && !written; i++) { // a write-back may still be failing
        try {
          written = io.do_write(fd, much) == much.length;
        } catch (EdonioException e) {
          assertThat(e.reason()).isEqualTo(Reason.FAILED);
        }
      }
      assertThat(written).isTrue();
      assertThat(io.do_lseek(fd, 0, SEEK_CUR)).isEqualTo(100 + much.length);
      assertThat(io.do_lseek(fd, 0, SEEK_END)).isEqualTo(100 + much.length);
      io.do_lseek(fd, 100, SEEK_SET);
      byte[] read = new byte[much.length];
      io.do_read(fd, read);
      assertThat(read).isEqualTo(much);
      io.do_close(fd);
    }
  }

  @Test
  void writeOnlyFilesAreNotReadAndReadOnlyOnesNotWrittenNorSized() throws IOException {
    Edonios.run(
        directory,
        2,
        1,
        (io, rank) -> {
          int w = io.do_open("f", O_WRONLY, ALL);
          io.do_write(w, new byte[10]);
          io.do_lseek(w, 0, SEEK_SET);
          fails(Reason.WRITE_ONLY, () -> io.do_read(w, new byte[1]));
          fails(Reason.WRITE_ONLY, () -> io.do_read(w, new byte[0]));
          io.do_preload(w); // nothing to load, nothing wrong
          io.do_close(w);
          int r = io.do_open("f", O_RDONLY, 0);
          fails(Reason.READ_ONLY, () -> io.do_write(r, new byte[1]));
          fails(Reason.READ_ONLY, () -> io.do_lsize(r, 10));
          fails(Reason.READ_ONLY, () -> io.do_esize(r, 10));
          assertThat(io.do_lseek(r, 0, SEEK_CUR)).isZero();
          io.do_read(r, new byte[10]);
          io.do_close(r);
        });
  }

  @Test
  void badArgumentsAreNamed() throws IOException {
    Edonios.run(
        directory,
        2,
        1,
        (io, rank) -> {
          fails(Reason.NO_SUCH_FILE, () -> io.do_open("none", O_RDONLY, 0));
          fails(Reason.NO_SUCH_FILE, () -> io.do_open("none/f", O_WRONLY, ALL));
          fails(Reason.BAD_ARGUMENT, () -> io.do_open("", O_RDWR, ALL));
          fails(Reason.BAD_FLAGS, () -> io.do_open("f", 3, ALL));
          fails(Reason.BAD_FLAGS, () -> io.do_open("f", O_RDWR | 0x10, ALL));
          fails(Reason.BAD_FLAGS, () -> io.do_open("f", O_RDONLY | O_TRUNC, ALL));
          assertThatThrownBy(() -> io.do_open("f", O_RDWR | O_APPEND, ALL))
              .hasMessageContaining("O_APPEND is not supported");
          fails(Reason.BAD_ARGUMENT, () -> io.do_open("f", O_RDWR, -1));
          fails(Reason.NO_DISK_CACHE, () -> io.do_csize(512, 0));
          fails(Reason.BAD_ARGUMENT, () -> io.do_csize(-1, 64));
          fails(Reason.BAD_ARGUMENT, () -> io.do_csize(0, -64));
          int fd = io.do_open("f", O_RDWR, ALL);
          fails(Reason.BAD_ARGUMENT, () -> io.do_lsize(fd, -1));
          fails(Reason.BAD_ARGUMENT, () -> io.do_lseek(fd, -1, SEEK_SET));
          fails(Reason.BAD_ARGUMENT, () -> io.do_lseek(fd, -1, SEEK_CUR));
          fails(Reason.BAD_ARGUMENT, () -> io.do_lseek(fd, -1, SEEK_END));
          fails(Reason.BAD_ARGUMENT, () -> io.do_lseek(fd, 0, 3));
          io.do_lseek(fd, Long.MAX_VALUE, SEEK_SET);
          fails(Reason.BAD_ARGUMENT, () -> io.do_lseek(fd, 1, SEEK_CUR));
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, new byte[1]));
          MemorySegment two = MemorySegment.ofArray(new byte[2]);
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, two, 3));
          fails(Reason.BAD_ARGUMENT, () -> io.do_read(fd, two, -1));
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          for (int bad : new int[] {-1, fd + 1, 1000}) {
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_read(bad, two, 1));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_write(bad, two, 1));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_lseek(bad, 0, SEEK_SET));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_close(bad));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_flush(bad));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_lsize(bad, 1));
            fails(Reason.BAD_DESCRIPTOR, () -> io.do_preload(bad));
          }
          io.do_close(fd);
          fails(Reason.BAD_DESCRIPTOR, () -> io.do_close(fd));
        });
  }

  @Test
  void whatIsWrongOnOneRankFailsOnAllAndTheNextCallWorks() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          int fd = io.do_open("f", O_RDWR, ALL);
          boolean odd = rank.number() == 1;
          fails(Reason.BAD_DESCRIPTOR, () -> io.do_flush(odd ? 77 : fd));
          fails(Reason.NO_DISK_CACHE, () -> io.do_csize(0, odd ? 0 : 64));
          fails(Reason.BAD_ARGUMENT, () -> io.do_csize(0, odd ? 0 : -1)); // rank 0's counts
          fails(Reason.BAD_FLAGS, () -> io.do_open("g", odd ? 3 : O_RDWR, ALL));
          fails(Reason.BAD_ARGUMENT, () -> io.do_lsize(fd, odd ? -5 : 5));
          fails(Reason.MIXED_CALL, () -> io.do_lsize(fd, odd ? 6 : 5));
          fails(Reason.MIXED_CALL, () -> io.do_open(odd ? "g" : "h", O_RDWR, ALL));
          fails(Reason.MIXED_CALL, () -> io.do_csize(0, odd ? 128 : 64));
          fails(Reason.MIXED_CALL, () -> flushOrClose(io, fd, odd));
          fails(Reason.MIXED_CALL, () -> barrierOrFlush(io, rank, fd, odd));
          assertThat(rank.names().list("")).containsExactly("f");
          io.do_flush(fd);
          io.do_close(fd);
        });
  }

  @Test
  @SuppressWarnings("NullAway") // what is tried
  void whatIsMissingOnOneRankIsAnErrorAndNobodyWaits() throws IOException {
    Edonios.run(
        directory,
        3,
        2,
        (io, rank) -> {
          String name = rank.number() == 1 ? null : "f";
          fails(Reason.BAD_ARGUMENT, () -> io.do_open(name, O_RDWR, ALL));
          int fd = io.do_open("f", O_RDWR, ALL);
          fails(Reason.BAD_ARGUMENT, () -> io.do_read(fd, (byte[]) null));
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, (int[]) null));
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, (double[]) null));
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, (ByteBuffer) null));
          fails(Reason.BAD_ARGUMENT, () -> io.do_write(fd, (MemorySegment) null, 1));
          assertThat(io.do_lseek(fd, 0, SEEK_END)).isZero();
          io.do_close(fd);
        });
  }

  @Test
  void argumentsThatAPlainHashTakesForTheSameAreTold() throws IOException {
    Edonios.run(
        directory,
        2,
        1,
        (io, rank) -> {
          assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
          String name = rank.number() == 0 ? "Aa" : "BB";
          fails(Reason.MIXED_CALL, () -> io.do_open(name, O_RDWR, ALL));
          fails(
              Reason.MIXED_CALL,
              () -> io.do_csize(rank.number() == 0 ? 1 : 12, rank.number() == 0 ? 23 : 3));
          assertThat(rank.names().list("")).isEmpty();
        });
  }

  private static void flushOrClose(Edonio io, int fd, boolean close) throws IOException {
    if (close) {
      io.do_close(fd);
    } else {
      io.do_flush(fd);
    }
  }

  private static void barrierOrFlush(Edonio io, Rank rank, int fd, boolean barrier)
      throws IOException {
    if (barrier) {
      try {
        rank.barrier(); // not EDONIO's
      } catch (IOException e) {
        throw EdonioException.of("barrier", e);
      }
    } else {
      io.do_flush(fd);
    }
  }
}
