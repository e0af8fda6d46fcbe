package org.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Cursor;
import org.millrace.access.group.BlockSpans;

/** Blocks that are lent all at once. */
final class LentBlocksTest extends CacheFixture {

  /** Bytes from {@code offset} to before {@code end}. */
  private static BlockSpans spans(long offset, long end) {
    var builder = new BlockSpans.Builder(B, offset, end);
    builder.add(Cursor.run(offset, end - offset));
    return builder.build();
  }

  private @Nullable LentBlocks tryLend(long offset, long end, boolean write) {
    return strand.tryLend(spans(offset, end), write);
  }

  private LentBlocks lend(long offset, long end, boolean write) {
    return Objects.requireNonNull(tryLend(offset, end, write));
  }

  private byte[] stored(long block) throws IOException {
    byte[] bytes = new byte[B];
    store.read(block, List.of(MemorySegment.ofArray(bytes)));
    return bytes;
  }

  @Test
  void theirMemoryHasTheBytesAndOthersMayReadThemMeanwhile() throws IOException {
    filled(8);
    touch(1, 2, 3);
    LentBlocks lent = lend(B + 7L, 3L * B + 9, false);
    for (int block = 1; block <= 3; block++) {
      assertThat(lent.memory(block).get(JAVA_BYTE, 8)).isEqualTo(content[block * B + 8]);
    }
    assertThat(read(B, 3)).containsExactly(content[B], content[B + 1], content[B + 2]);
    LentBlocks again = lend(B, 2L * B, false);
    assertThat(tryLend(B, 2L * B, true)).as("for writing").isNull();
    again.giveBack(true, B, 1);
    lent.giveBack(true, 2L * B + 2, 1);
    lend(B, 2L * B, true).giveBackUnused();
  }

  @Test
  void whatIsNotInMemoryIsNotLentAndNothingIsLeftBehind() throws IOException {
    filled(8);
    touch(1, 3);
    assertThat(tryLend(B, 4L * B, false)).as("block 2 is absent").isNull();
    assertThat(tryLend(B, 4L * B, true)).as("block 2 is absent").isNull();
    assertThat(tryLend(19L * B, 21L * B, false)).as("beyond the end").isNull();
    write(B, 2 * B, 5); // waits for nobody
    touch(2);
    lend(B, 4L * B, true).giveBackUnused();
  }

  @Test
  void whatIsWrittenThereIsSeenAndReachesTheStore() throws IOException {
    filled(8);
    touch(1, 2);
    LentBlocks lent = lend(B + 100L, 2L * B + 50, true);
    lent.memory(1).asSlice(100).fill((byte) 1);
    lent.memory(2).asSlice(0, 50).fill((byte) 2);
    lent.giveBack(true, B - 50L, 2);
    assertThat(read(B + 99L, 2)).containsExactly(content[B + 99], (byte) 1);
    strand.flush();
    assertThat(stored(1)).isEqualTo(read(B, B));
    assertThat(stored(2)).isEqualTo(read(2L * B, B));
    assertThat(stored(2)[49]).isEqualTo((byte) 2);
  }

  @Test
  void whatIsGivenBackUnusedNeedsNoWriting() throws IOException {
    filled(8);
    touch(1, 2);
    lend(B, 3L * B, true).giveBackUnused();
    strand.flush();
    assertThat(cache.report().dirtyBlocks()).isZero();
    assertThat(cache.report().writes()).isZero();
  }

  @Test
  void whatFailedHalfwayIsStillWritten() throws IOException {
    filled(8);
    touch(1, 2);
    LentBlocks lent = lend(B, 3L * B, true);
    lent.memory(1).asSlice(0, 10).fill((byte) 9);
    lent.giveBack(false, 0, 0);
    strand.flush();
    assertThat(stored(1)).isEqualTo(read(B, B));
    assertThat(stored(1)[9]).isEqualTo((byte) 9);
  }

  @Test
  void othersWaitForBlocksLentForWriting() throws Exception {
    filled(8);
    touch(1, 2);
    LentBlocks lent = lend(B, 3L * B, true);
    assertThat(tryLend(2L * B, 2L * B + 1, false)).isNull();
    CompletableFuture<byte[]> reading = new CompletableFuture<>();
    Thread other =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    reading.complete(read(B, 2 * B)); // of two blocks: waits for the range
                  } catch (IOException e) {
                    reading.completeExceptionally(e);
                  }
                });
    lent.memory(1).fill((byte) 1);
    Thread.sleep(10);
    assertThat(reading).isNotDone();
    lent.memory(2).fill((byte) 2);
    lent.giveBack(true, 2L * B, 2);
    byte[] seen = reading.get(10, TimeUnit.SECONDS);
    assertThat(seen[0]).isEqualTo((byte) 1);
    assertThat(seen[2 * B - 1]).isEqualTo((byte) 2);
    other.join();
  }

  @Test
  void aRangeThatIsHeldIsNotLent() throws IOException {
    filled(8);
    touch(1, 2);
    try (var _ = strand.hold(B, 2L * B, true)) {
      assertThat(tryLend(B, 3L * B, false)).isNull();
      lend(2L * B, 3L * B, false).giveBack(true, B, 1);
    }
    lend(B, 3L * B, false).giveBack(true, 2L * B, 1);
  }

  @Test
  void aStrandThatIsDetachedLendsNothing() throws IOException {
    filled(8);
    touch(1);
    strand.detach(false);
    assertThat(tryLend(B, 2L * B, false)).isNull();
  }
}
