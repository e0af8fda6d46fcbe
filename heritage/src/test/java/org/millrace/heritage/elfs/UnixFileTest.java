package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.error.MillraceException;
import org.millrace.heritage.elfs.UnixFile.Whence;
import org.millrace.heritage.testing.Programs;

/** The basic class. */
final class UnixFileTest {

  @TempDir private Path directory;

  private static MemorySegment segment(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return MemorySegment.ofArray(all);
  }

  @Test
  void everyRankHasAPointerOfItsOwn() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (UnixFile file = new UnixFile(rank, "u", OpenOptions.create())) {
            assertThat(file.path()).isEqualTo("u");
            assertThat(file.lseek(2L * rank.number(), Whence.SEEK_SET))
                .isEqualTo(2L * rank.number());
            assertThat(file.write(segment(rank.number(), 10 + rank.number()))).isEqualTo(2);
            assertThat(file.lseek(-1, Whence.SEEK_CUR)).isEqualTo(2L * rank.number() + 1);
            byte[] one = new byte[1];
            assertThat(file.read(one)).isEqualTo(1);
            assertThat(one[0]).isEqualTo((byte) (10 + rank.number()));
            rank.barrier();
            assertThat(file.size()).isEqualTo(6);
            assertThat(file.lseek(-2, Whence.SEEK_END)).isEqualTo(4);
            byte[] more = new byte[5];
            assertThat(file.read(more)).isEqualTo(2); // short at the end
            assertThat(file.read(more)).isZero();
            assertThat(file.read(new byte[0])).isZero();
            assertThat(file.write(new byte[0])).isZero();
            assertThatThrownBy(() -> file.lseek(-1, Whence.SEEK_SET))
                .isInstanceOf(IllegalArgumentException.class);
            assertThat(file.lseek(0, Whence.SEEK_CUR)).isEqualTo(6);
          }
        });
  }

  @Test
  void explicitOffsetsAndAsynchronousCallsLeaveThePointer() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (UnixFile file = new UnixFile(rank, "a", OpenOptions.create())) {
            if (rank.number() == 0) {
              file.pwrite(segment(1, 2, 3), 0);
              assertThat(file.pwriteAsync(segment(9), 1).join()).isEqualTo(1);
              file.fsync();
            }
            rank.barrier();
            byte[] found = new byte[4];
            assertThat(file.preadAsync(MemorySegment.ofArray(found), 0).join()).isEqualTo(3);
            assertThat(found).containsExactly(1, 9, 3, 0);
            byte[] two = new byte[2];
            assertThat(file.pread(MemorySegment.ofArray(two), 1)).isEqualTo(2);
            assertThat(two).containsExactly(9, 3);
            assertThat(file.lseek(0, Whence.SEEK_CUR)).isZero();
            file.ftruncate(2);
            assertThat(file.size()).isEqualTo(2);
          }
          try (UnixFile log = new UnixFile(rank, "a", OpenOptions.readWrite().withAppend())) {
            log.write(segment(7));
          }
          rank.barrier();
          assertThat(rank.names().size("a")).isEqualTo(4);
          try (UnixFile file = new UnixFile(rank, "a", OpenOptions.read())) {
            assertThatThrownBy(() -> file.write(new byte[1])).isInstanceOf(MillraceException.class);
          }
          assertThatThrownBy(() -> new UnixFile(rank, "none", OpenOptions.read()))
              .isInstanceOf(MillraceException.class);
        });
  }
}
