package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.millrace.cache.MemoryBlockStore.Op;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.DeadlineException;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** What the cache does when its store fails, is cut, or does not answer. */
class CacheFailureTest extends CacheFixture {

  @Test
  void aFailedWriteBackKeepsTheDataAndRecovers() throws IOException {
    failing(Op.WRITE, new DiskFullException("no room on node 3"));
    for (int block = 0; block < 8; block++) {
      write((long) block * B, B, block + 1);
    }
    assertThatThrownBy(strand::flush)
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("node 3");
    assertThatThrownBy(() -> write(8L * B, B, 9)).isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> strand.detach(false)).isInstanceOf(DiskFullException.class);
    for (int block = 0; block < 8; block++) {
      assertThat(read((long) block * B, 1)).containsExactly(block + 1);
    }
    assertThat(cache.report().dirtyBlocks()).isEqualTo(8);
    store.fault = (op, block, count) -> {};
    write(8L * B, B, 9);
    strand.flush();
    assertThat(store.durable()).hasSize(9 * B);
    assertThat(store.durable()[9 * B - 1]).isEqualTo((byte) 9);
  }

  @Test
  void aFullDiskStillLetsCleanBlocksGo() throws IOException {
    filled(4);
    failing(Op.WRITE, new DiskFullException("full"));
    write(0, B, 1);
    touch(5, 6, 7, 8, 9);
    assertThat(read(0, 1)).containsExactly(1);
  }

  @Test
  void aFailedFlushOfTheStoreIsTriedAgain() throws IOException {
    write(0, 10, 1);
    failing(Op.FLUSH, new MillraceException(ErrorCode.DISK, "fsync"));
    assertThatThrownBy(strand::flush).hasMessageContaining("fsync");
    assertThatThrownBy(strand::flush).hasMessageContaining("fsync");
    store.fault = (op, block, count) -> {};
    strand.flush();
    assertThat(store.durable()).hasSize(10);
  }

  @Test
  void aFailedLoadDoesNotPoison() throws IOException {
    filled(8);
    failing(Op.READ, new CorruptBlockException("block 2"));
    assertThatThrownBy(() -> touch(2)).isInstanceOf(CorruptBlockException.class);
    assertThatThrownBy(() -> touch(2)).isInstanceOf(CorruptBlockException.class);
    store.fault = (op, block, count) -> {};
    assertThat(read(2L * B, 1)).containsExactly(content[2 * B]);
  }

  @Test
  void aCorruptBlockFailsOnlyThoseWhoNeedIt() throws IOException {
    filled(8);
    store.fault =
        (op, block, count) -> {
          if (op == Op.READ && block <= 2 && 2 < block + count) {
            throw new CorruptBlockException("block 2");
          }
        };
    MemorySegment into = bytes(4 * B, 0);
    assertThatThrownBy(() -> strand.read(0, into, 0, 4 * B))
        .isInstanceOf(CorruptBlockException.class);
    strand.hint(0, 4 * B);
    touch(0, 1, 3);
    write(2L * B + 5, 5, 1);
    write(3L * B, B, 1);
    assertThatThrownBy(strand::flush).isInstanceOf(CorruptBlockException.class);
    write(2L * B, B, 1);
    strand.flush();
  }

  @Test
  void cuttingForgetsWhatLiesBeyond() throws IOException {
    filled(4);
    write(6L * B, B, 6);
    strand.resize(2L * B + 10);
    assertThat(strand.end()).isEqualTo(2L * B + 10);
    strand.resize(9L * B);
    byte[] tail = read(2L * B, 7 * B);
    assertThat(Arrays.equals(tail, 0, 10, content, 2 * B, 2 * B + 10)).isTrue();
    for (int i = 10; i < tail.length; i++) {
      assertThat(tail[i]).isZero();
    }
  }

  @Test
  void aCutThatFailsChangesNothing() throws IOException {
    filled(4);
    failing(Op.RESIZE, new MillraceException(ErrorCode.DISK, "broken"));
    assertThatThrownBy(() -> strand.resize(2L * B + 10)).hasMessageContaining("broken");
    store.fault = (op, block, count) -> {};
    assertThat(strand.end()).isEqualTo(20L * B);
    strand.flush();
    assertThat(Arrays.mismatch(store.durable(), content)).isEqualTo(-1);
  }

  @Test
  void detachWritesAndDiscardDoesNot() throws IOException {
    write(0, 10, 1);
    strand.detach(false);
    strand.detach(false);
    assertThat(store.durable()).hasSize(10);
    assertThatThrownBy(() -> read(0, 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    strand = cache.attach(store);
    assertThat(read(0, 1)).containsExactly(1);
    store.forgetCalls();
    write(0, 10, 2);
    strand.detach(true);
    assertThat(store.calls()).isEmpty();
    assertThat(cache.report().blocks()).isZero();
  }

  @Test
  void closeFlushesAndSaysIfItCannot() throws IOException {
    write(0, 10, 1);
    failing(Op.FLUSH, new MillraceException(ErrorCode.DISK, "fsync"));
    assertThatThrownBy(cache::close).hasMessageContaining("fsync");
    cache.close();
    cache = make(4);
    strand = cache.attach(store);
    store.fault = (op, block, count) -> {};
    write(0, 10, 1);
    cache.close();
    assertThat(store.durable()).hasSize(10);
    assertThat(cache.report().usedBytes()).isZero();
    assertThatThrownBy(() -> cache.attach(store)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aDiskThatNeverAnswersEndsInADeadline() {
    SeededEnv env = SeededEnv.of(1);
    env.run(
        () -> {
          MemoryBlockStore dead = new MemoryBlockStore();
          dead.fill(new byte[8 * B]);
          BlockCache late = new BlockCache(env, "late", CacheOptions.of(2L * B));
          CachedStrand behind = late.attach(dead);
          dead.fault =
              (op, block, count) -> {
                try {
                  env.sleep(3_600_000_000_000L);
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              };
          MemorySegment some = bytes(4 * B, 1);
          assertThatThrownBy(() -> behind.read(B, some, 0, 1))
              .isInstanceOf(DeadlineException.class)
              .hasMessageContaining("memory block 1");
          assertThatThrownBy(() -> behind.write(0, some, 0, 4 * B))
              .isInstanceOf(DeadlineException.class);
          assertThatThrownBy(behind::flush).isInstanceOf(DeadlineException.class);
          assertThatThrownBy(() -> behind.resize(5)).isInstanceOf(DeadlineException.class);
          assertThatThrownBy(() -> behind.detach(true)).isInstanceOf(DeadlineException.class);
          assertThatThrownBy(late::close).isInstanceOf(DeadlineException.class);
          late.checkInvariants();
          dead.checkKept();
        });
  }

  @Test
  void anAnswerAfterTheDeadlineDoesNoHarm() {
    SeededEnv env = SeededEnv.of(2);
    env.run(
        () -> {
          try {
            MemoryBlockStore slow = new MemoryBlockStore();
            BlockCache late = new BlockCache(env, "late", CacheOptions.of(2L * B));
            CachedStrand behind = late.attach(slow);
            slow.strandEnd = behind::end;
            behind.write(0, bytes(B, 1), 0, B);
            slow.fault = (op, block, count) -> pause(env, 100);
            assertThatThrownBy(behind::flush).isInstanceOf(DeadlineException.class);
            behind.write(5, bytes(B, 2), 0, 9);
            slow.fault = (op, block, count) -> {};
            pause(env, 200);
            behind.flush();
            assertThat(slow.durable()[4]).isEqualTo((byte) 1);
            assertThat(slow.durable()[5]).isEqualTo((byte) 2);
            late.close();
            slow.checkKept();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void pause(Env env, long seconds) {
    try {
      env.sleep(seconds * 1_000_000_000L);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
