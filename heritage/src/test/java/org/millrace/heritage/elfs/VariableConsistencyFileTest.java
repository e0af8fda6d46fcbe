package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.elfs.UnixFile.Whence;
import org.millrace.heritage.elfs.VariableConsistencyFile.Semantics;
import org.millrace.heritage.testing.Programs;

/** The window is really observed: on a clock that the test sets, served before it, never after. */
final class VariableConsistencyFileTest {

  private static final int BLOCK = VariableConsistencyFile.BLOCK_BYTES;

  @TempDir private Path directory;

  private static int first(UnixFile file) throws IOException {
    byte[] one = new byte[1];
    assertThat(file.pread(MemorySegment.ofArray(one), 0)).isEqualTo(1);
    return one[0];
  }

  private static VariableConsistencyFile open(Rank rank, AtomicLong clock) throws IOException {
    return new VariableConsistencyFile(rank, "v", OpenOptions.create(), 4, clock::get);
  }

  private static void put(UnixFile file, int value) throws IOException {
    file.pwrite(MemorySegment.ofArray(new byte[] {(byte) value}), 0);
  }

  /** Rank 0 writes a value; all go on when it has. */
  private static void publish(Rank rank, UnixFile file, int value) throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      put(file, value);
    }
    rank.barrier();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 1000, 3_000_000_000L})
  void withinTheWindowTheCopyIsServedAndAfterItNever(long window) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // also across the wrap
          try (VariableConsistencyFile file = open(rank, clock)) {
            file.consistency(Semantics.WINDOW, window);
            publish(rank, file, 1);
            if (rank.number() == 1) {
              assertThat(first(file)).isEqualTo(1);
            }
            publish(rank, file, 2);
            if (rank.number() == 1) {
              assertThat(first(file)).isEqualTo(1); // at once: old, and allowed
              clock.addAndGet(window - 1);
              assertThat(first(file)).isEqualTo(1); // the last instant at which it may be
              clock.addAndGet(1);
              assertThat(first(file)).isEqualTo(2); // never after
              clock.addAndGet(-window);
            }
            publish(rank, file, 3);
            if (rank.number() == 1) {
              file.consistency(Semantics.WINDOW, 0); // changed on the way
              assertThat(first(file)).isEqualTo(3);
            }
          }
        });
  }

  /** What the test above would find if the window were not observed. */
  @Test
  void aCopyWithoutAWindowIsServedForEver() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          AtomicLong clock = new AtomicLong();
          try (VariableConsistencyFile file = open(rank, clock)) {
            file.consistency(Semantics.UNTIL_REFRESH, 1);
            publish(rank, file, 1);
            first(file);
            publish(rank, file, 2);
            clock.addAndGet(1_000_000);
            assertThat(first(file)).isEqualTo(rank.number() == 0 ? 2 : 1);
            file.refresh();
            assertThat(first(file)).isEqualTo(2);
          }
        });
  }

  @Test
  void exactReadsSeeEveryWriteAndAreTheBeginning() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (VariableConsistencyFile file =
              new VariableConsistencyFile(rank, "v", OpenOptions.create(), 4)) {
            assertThat(file.semantics()).isEqualTo(Semantics.EXACT);
            for (int value = 1; value < 20; value++) {
              publish(rank, file, value);
              assertThat(first(file)).isEqualTo(value);
            }
            assertThat(file.served()).isZero();
            assertThatThrownBy(() -> file.consistency(Semantics.WINDOW, -1))
                .isInstanceOf(IllegalArgumentException.class);
          }
        });
  }

  /** A copy counts from before it was fetched: a clock that jumps while it is fetched. */
  @Test
  void theTimeOfFetchingCounts() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          AtomicLong clock = new AtomicLong();
          try (VariableConsistencyFile file =
              new VariableConsistencyFile(
                  rank, "v", OpenOptions.create(), 4, () -> clock.getAndAdd(10))) {
            put(file, 1);
            file.consistency(Semantics.WINDOW, 10);
            first(file); // fetched at 0, and now it is 10
            first(file);
            assertThat(file.served()).isZero();
            assertThat(file.fetched()).isEqualTo(2);
          }
        });
  }

  @Test
  void aRankSeesItsOwnWritesAndTheEndTheyMove() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          AtomicLong clock = new AtomicLong();
          try (VariableConsistencyFile file = open(rank, clock)) {
            file.consistency(Semantics.UNTIL_REFRESH, 0);
            byte[] found = new byte[3 * BLOCK];
            assertThat(file.read(found)).isZero(); // the empty file is copied
            put(file, 5);
            assertThat(first(file)).isEqualTo(5);
            file.pwrite(MemorySegment.ofArray(new byte[] {7}), 2L * BLOCK);
            assertThat(file.lseek(0, Whence.SEEK_SET)).isZero();
            assertThat(file.read(found)).isEqualTo(2 * BLOCK + 1); // the gap reads as zeros
            assertThat(found[0]).isEqualTo((byte) 5);
            assertThat(found[2 * BLOCK]).isEqualTo((byte) 7);
            assertThat(file.lseek(0, Whence.SEEK_CUR)).isEqualTo(2 * BLOCK + 1);
            file.write(new byte[] {8});
            assertThat(file.size()).isEqualTo(2 * BLOCK + 2);
            var moving = file.pwriteAsync(MemorySegment.ofArray(new byte[] {6}), 0);
            first(file);
            moving.join();
            assertThat(first(file)).isEqualTo(6);
            file.ftruncate(1);
            assertThat(file.pread(MemorySegment.ofArray(found), 0)).isEqualTo(1);
            assertThat(file.pread(MemorySegment.ofArray(new byte[0]), 0)).isZero();
          }
        });
  }

  @Test
  void noMoreBlocksAreKeptThanAllowed() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (VariableConsistencyFile file = open(rank, new AtomicLong())) {
            file.pwrite(MemorySegment.ofArray(new byte[10 * BLOCK]), 0);
            file.consistency(Semantics.WINDOW, 100);
            assertThat(file.windowNanos()).isEqualTo(100);
            byte[] all = new byte[10 * BLOCK];
            file.pread(MemorySegment.ofArray(all), 0);
            assertThat(file.fetched()).isEqualTo(10);
            file.pread(MemorySegment.ofArray(all).asSlice(6L * BLOCK), 6L * BLOCK);
            assertThat(file.served()).isEqualTo(4); // the last four were kept
            file.pread(MemorySegment.ofArray(all).asSlice(0, BLOCK), 0);
            assertThat(file.fetched()).isEqualTo(11);
          }
        });
  }
}
