package org.millrace.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.millrace.access.copy.Crc32cJoin;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;

/** What goes behind a writer: durable first, then summed, and nothing is taken on trust. */
final class FlushAndSumTest {

  private static final int MIB = 1 << 20;
  private static final int BYTES = 150 * MIB; // two steps, and a rest

  private final AtomicLong progress = new AtomicLong();

  /** A file in memory that notes what is done with it. */
  private static final class Kept implements FlushAndSum.Kept {
    private final byte[] bytes;
    private final CopyOnWriteArrayList<String> acts = new CopyOnWriteArrayList<>();
    private long data = Long.MAX_VALUE;
    private final AtomicLong summed = new AtomicLong();
    private boolean broken;

    Kept(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void force(boolean last) throws IOException {
      acts.add(last ? "last force" : "force");
      if (broken) {
        throw new IOException("the disk is full");
      }
    }

    @Override
    public int checksum(long from, long to, MemorySegment buffer) {
      acts.add("sum");
      summed.addAndGet(to - from);
      byte[] zeroBehindTheEnd = Arrays.copyOfRange(bytes, (int) from, (int) to);
      return Crc32cJoin.of(MemorySegment.ofArray(zeroBehindTheEnd));
    }

    @Override
    public long nextData(long at) {
      return Math.max(at, data);
    }

    @Override
    public long size() {
      return bytes.length;
    }
  }

  private static byte[] content() {
    byte[] bytes = new byte[BYTES];
    new Random(5).nextBytes(bytes);
    Arrays.fill(bytes, 20 * MIB, 60 * MIB, (byte) 0);
    return bytes;
  }

  private static FileCopier.Load load(byte[] bytes) {
    ByteSum tally = new ByteSum(_ -> {});
    tally.add(MemorySegment.ofArray(bytes));
    return tally.load();
  }

  private FileCopier.Load follow(Kept kept) throws IOException {
    try (FlushAndSum trail = new FlushAndSum(Env.real(), kept, true, progress::addAndGet)) {
      for (long at = 0; at < BYTES; at += 10 * MIB) {
        if (at < 20 * MIB || at >= 60 * MIB) {
          trail.wrote(new FileCopier.Run(at, at + 10 * MIB));
        }
      }
      return trail.finish();
    }
  }

  @Test
  void whatWasWrittenIsSummedBehindAForce() throws IOException {
    Kept kept = new Kept(content());
    assertThat(follow(kept)).isEqualTo(load(kept.bytes));
    assertThat(progress).hasValue(BYTES);
    assertThat(kept.acts.getFirst()).isIn("force", "last force");
    assertThat(kept.acts).contains("last force");
    assertThat(kept.summed).hasValue(BYTES - 40 * MIB); // not the gap
  }

  @Test
  void oneWrongBitIsFound() throws IOException {
    Kept kept = new Kept(content());
    FileCopier.Load right = load(kept.bytes);
    kept.bytes[100 * MIB] = (byte) (kept.bytes[100 * MIB] ^ 4);
    assertThat(follow(kept)).isNotEqualTo(right);
  }

  @Test
  void whatAppearsInAGapIsFound() throws IOException {
    Kept kept = new Kept(content());
    FileCopier.Load right = load(kept.bytes);
    kept.bytes[40 * MIB] = 1;
    assertThat(follow(kept)).isEqualTo(right); // who says that there is nothing is believed
    kept.data = 40 * MIB;
    assertThat(follow(kept)).isNotEqualTo(right);
  }

  @Test
  void aFileThatIsTooShortIsDamaged() {
    Kept kept = new Kept(Arrays.copyOf(content(), BYTES - 1));
    assertThatThrownBy(() -> follow(kept)).isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void aFailedForceIsNoSuccess() {
    Kept kept = new Kept(content());
    kept.broken = true;
    assertThatThrownBy(() -> follow(kept)).hasMessageContaining("the disk is full");
    assertThat(kept.acts).doesNotContain("sum");
  }

  @Test
  void whoStopsInBetweenDoesNotWaitForTheRest() throws IOException {
    Kept kept = new Kept(content());
    try (FlushAndSum trail = new FlushAndSum(Env.real(), kept, true, progress::addAndGet)) {
      trail.wrote(new FileCopier.Run(0, MIB));
    }
    assertThat(kept.acts).isEmpty();
  }
}
