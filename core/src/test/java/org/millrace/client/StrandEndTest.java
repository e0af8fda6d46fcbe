package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Where strands end, work that goes on by itself, and buffers of any kind. */
final class StrandEndTest {

  private static final int UNIT = 7;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    try (Cluster cluster = Cluster.embedded(directory, 2, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, program);
    }
  }

  @Test
  void eachStrandEndsBehindItsHighestByte() throws IOException {
    run(
        1,
        rank -> {
          for (long seed : Seeds.of(20)) {
            Random random = new Random(seed);
            OpenOptions options =
                OpenOptions.create().withTruncate().withStripeUnit(UNIT).withStrands(3);
            try (SharedFile file = rank.open("f", options)) {
              Layout layout = file.layout();
              long[] ends = new long[3];
              for (int i = 0; i < 10; i++) {
                long at = random.nextInt(200);
                int length = random.nextInt(30);
                file.at(at).write(Memory.of(new byte[length]));
                for (long b = at; b < at + length; b++) {
                  int s = layout.strandOf(b);
                  ends[s] = Math.max(ends[s], layout.strandOffset(b) + 1);
                }
                for (int s = 0; s < 3; s++) {
                  assertThat(file.strandEnd(s)).as(Seeds.replay(seed)).isEqualTo(ends[s]);
                }
              }
              assertThat(file.size()).isEqualTo(layout.fileSize(ends));
              file.resize(10);
              assertThat(file.strandEnd(0)).isEqualTo(7);
              assertThat(file.strandEnd(1)).isEqualTo(3);
              assertThat(file.strandEnd(2)).isZero();
              assertThatThrownBy(() -> file.strandEnd(3))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThatThrownBy(() -> file.strandEnd(-1))
                  .isInstanceOf(IndexOutOfBoundsException.class);
            }
          }
        });
  }

  @Test
  void workOfTheProgramIsAnOperationThatClosingWaitsFor() throws IOException {
    run(
        2,
        rank -> {
          SharedFile file = rank.open("w", OpenOptions.create());
          CompletableFuture<Long> work =
              file.async(
                  () -> {
                    long written = 0;
                    for (int i = 0; i < 50; i++) {
                      written += file.at(rank.number() * 50L + i).write(Memory.of(new byte[] {1}));
                    }
                    return written;
                  });
          CompletableFuture<Long> failing =
              file.async(
                  () -> {
                    throw new IOException("own");
                  });
          assertThatThrownBy(() -> rank.await(failing)).hasMessage("own");
          file.close();
          assertThat(work).isCompletedWithValue(50L);
          assertThatThrownBy(() -> file.async(() -> 0)).isInstanceOf(MillraceException.class);
        });
  }

  @Test
  void buffersOfEveryKindMoveTheirBytes() throws IOException {
    byte[] stored = new byte[64];
    BufferAccess access =
        BufferAccess.of(
            into -> {
              long count = Math.min(into.byteSize(), stored.length);
              MemorySegment.copy(MemorySegment.ofArray(stored), 0, into, 0, count);
              return count;
            },
            from -> {
              Arrays.fill(stored, (byte) 0);
              MemorySegment.copy(from, 0, MemorySegment.ofArray(stored), 0, from.byteSize());
              return from.byteSize();
            });
    byte[] bytes = {1, 2};
    int[] ints = {3, -4};
    long[] longs = {5};
    float[] floats = {0.5f};
    double[] doubles = {-0.25, 8};
    assertThat(access.write(bytes)).isEqualTo(2);
    assertThat(access.read(new byte[2])).isEqualTo(2);
    assertThat(stored).startsWith(1, 2);
    assertThat(access.write(ints)).isEqualTo(8);
    int[] backInts = new int[2];
    access.read(backInts);
    assertThat(backInts).isEqualTo(ints);
    assertThat(access.write(longs)).isEqualTo(8);
    long[] backLongs = new long[1];
    access.read(backLongs);
    assertThat(backLongs).isEqualTo(longs);
    assertThat(access.write(floats)).isEqualTo(4);
    float[] backFloats = new float[1];
    access.read(backFloats);
    assertThat(backFloats).isEqualTo(floats);
    assertThat(access.write(doubles)).isEqualTo(16);
    double[] backDoubles = new double[2];
    access.read(backDoubles);
    assertThat(backDoubles).isEqualTo(doubles);
    ByteBuffer part = ByteBuffer.wrap(new byte[] {9, 8, 7, 6}).position(1).limit(3);
    assertThat(access.write(part)).isEqualTo(2);
    assertThat(stored).startsWith(8, 7, 0);
    ByteBuffer back = ByteBuffer.allocateDirect(4).position(2);
    assertThat(access.read(back)).isEqualTo(2);
    assertThat(back.get(2)).isEqualTo((byte) 8);
    assertThat(back.position()).isEqualTo(2);
  }
}
