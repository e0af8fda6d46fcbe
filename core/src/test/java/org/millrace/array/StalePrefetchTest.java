package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** What was read ahead is forgotten by every way of writing, and bad memory fails on all ranks. */
final class StalePrefetchTest {

  private static final Shape SHAPE = Shape.rowMajor(8, 8);
  private static final Section ALL = Section.parse("0:7,0:7");

  private static RunningCluster cluster() throws Exception {
    return RunningCluster.over(
        Env.real(),
        new MemoryDisk("coordinator"),
        List.of(new MemoryDisk("node 0"), new MemoryDisk("node 1")),
        ClusterOptions.DEFAULT.withCacheBytesPerNode(4 << 20));
  }

  @Test
  void storingAPartitionForgetsWhatWasReadAhead() throws Exception {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          2,
          rank -> {
            try (var array =
                GlobalArray.create(rank, "a", SHAPE, ElementType.INT8, OpenOptions.create())) {
              array.prefetch(ALL);
              Partitions partitions = Partitions.of(array, 1 << 10);
              partitions.update((_, _, local) -> local.segment().fill((byte) (7 + rank.number())));
              rank.barrier();
              byte[] got = new byte[64];
              array.readSection(ALL, Local.of(got, SHAPE));
              byte[] expected = new byte[64];
              Arrays.fill(expected, 0, 32, (byte) 7);
              Arrays.fill(expected, 32, 64, (byte) 8);
              assertThat(got).isEqualTo(expected);
            }
          });
    }
  }

  @Test
  void fillingLocalArraysForgetsWhatWasReadAhead() throws Exception {
    Distribution rows = Distribution.of(SHAPE, Grid.of(2, 1), Spread.block(), Spread.none());
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          2,
          rank -> {
            try (var array =
                    GlobalArray.create(rank, "g", SHAPE, ElementType.INT8, OpenOptions.create());
                var locals =
                    LocalArrays.create(rank, "l", rows, ElementType.INT8, OpenOptions.create())) {
              byte[] half = new byte[32];
              Arrays.fill(half, (byte) (rank.number() + 1));
              array.writeDistributed(rows, Local.of(half, Shape.rowMajor(4, 8)));
              Section own = Section.parse("0:3,0:7");
              locals.local().prefetch(own);
              locals.fromGlobal(array, 10);
              byte[] got = new byte[32];
              locals.local().readSectionAlone(own, Local.of(got, Shape.rowMajor(4, 8)));
              assertThat(got).isEqualTo(half);
            }
          });
    }
  }

  @Test
  void memoryThatCannotBeFilledFailsOnAllRanksAlsoAfterAPrefetch() throws Exception {
    try (RunningCluster cluster = cluster()) {
      cluster.run(
          3,
          rank -> {
            try (var array =
                GlobalArray.create(rank, "a", SHAPE, ElementType.INT8, OpenOptions.create())) {
              array.prefetch(ALL);
              MemorySegment memory = MemorySegment.ofArray(new byte[64]);
              MemorySegment given = rank.number() == 1 ? memory.asReadOnly() : memory;
              MillraceException e =
                  org.assertj.core.api.Assertions.catchThrowableOfType(
                      MillraceException.class,
                      () -> array.readSection(ALL, Local.of(given, SHAPE)));
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
            }
          });
    }
  }
}
