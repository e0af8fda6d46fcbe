package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.testing.Seeds;

/** Where elements of chunked arrays lie, against a loop over all elements of all chunks. */
final class ChunkingTest {

  @ParameterizedTest
  @EnumSource(Order.class)
  void everySectionOfSmallArraysInChunksOfEverySizeLiesWhereTheOracleHasIt(Order order) {
    for (long[] dims : new long[][] {{1}, {5}, {9}, {3, 4}, {5, 2}, {2, 3, 2}}) {
      Shape shape = Shape.of(order, dims);
      for (Section section : SectionTest.sections(shape)) {
        for (long[] chunk : chunks(dims)) {
          check(Chunking.of(shape, chunk), section, 3);
        }
      }
    }
  }

  @Test
  void longDimensionsRepeatTheirChunks() {
    for (long stride = 1; stride <= 14; stride++) {
      for (long chunk = 1; chunk <= 13; chunk++) {
        for (long lower = 0; lower < 6; lower++) {
          Chunking chunking = Chunking.of(Shape.rowMajor(97), chunk);
          check(chunking, Section.of(new Range(lower, 95 - lower, stride)), 2);
        }
      }
    }
  }

  @Test
  void seededSectionsOfLargerArrays() {
    for (long seed : Seeds.of(300)) {
      Random random = new Random(seed);
      int n = 1 + random.nextInt(3);
      long[] dims = new long[n];
      long[] chunk = new long[n];
      Range[] ranges = new Range[n];
      for (int d = 0; d < n; d++) {
        dims[d] = 1L + random.nextInt(40);
        chunk[d] = 1L + random.nextInt(20);
        long lower = random.nextLong(dims[d]);
        long upper = lower + random.nextLong(dims[d] - lower);
        ranges[d] = new Range(lower, upper, 1 + random.nextInt(5));
      }
      Order order = random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR;
      Chunking chunking = Chunking.of(Shape.of(order, dims), chunk);
      try {
        check(chunking, Section.of(ranges), 1 + random.nextInt(4));
      } catch (AssertionError e) {
        throw new AssertionError(Seeds.replay(seed), e);
      }
    }
  }

  @Test
  void partsOfDistributionsLieWhereTheOracleHasThem() {
    for (Spread spread :
        List.of(Spread.block(), Spread.cyclic(), Spread.blockCyclic(2), Spread.blockCyclic(3))) {
      for (int ranks = 1; ranks <= 3; ranks++) {
        Shape box = Shape.rowMajor(11, 5);
        Shape shape = Shape.rowMajor(13, 5);
        var distribution = Distribution.of(box, Grid.of(ranks, 1), spread, Spread.none());
        for (long chunk = 1; chunk <= 7; chunk++) {
          Chunking chunking = Chunking.of(shape, chunk, 2);
          for (int rank = 0; rank < ranks; rank++) {
            List<long[]> wanted = new ArrayList<>();
            Shape local = distribution.localShape(rank);
            for (long i = 0; i < local.elements(); i++) {
              long[] index = distribution.global(rank, local.index(i));
              wanted.add(new long[] {index[0] + 2, index[1]});
            }
            check(chunking, chunking.part(distribution, rank, 2, 0), wanted, 2);
          }
        }
      }
    }
  }

  @Test
  void strideThatDoesNotDivideTheChunkKeepsTheFilesOrder() {
    Chunking chunking = Chunking.of(Shape.rowMajor(300, 200), 7, 13);
    Section section = Section.of(new Range(0, 299, 5), new Range(1, 198, 3));
    assertThat(chunking.section(section).inFile(2).isAscending()).isTrue();
    check(chunking, section, 2);
  }

  @Test
  void moreKindsThanTheLimitStillSelectTheRightBytes() {
    Shape cube = Shape.rowMajor(700, 700, 700);
    Section rough = Section.of(new Range(0, 699, 17), new Range(0, 699, 17), new Range(0, 699, 17));
    Chunking chunking = Chunking.of(cube, 32, 32, 32);
    ChunkedPart part = chunking.section(rough);
    assertThat(part.inFile(1).isAscending()).isFalse();
    check(chunking, rough, 1);
  }

  @Test
  void aHugeArrayHasAShortPattern() {
    Chunking chunking = Chunking.of(Shape.rowMajor(1L << 24, 1L << 24), 1000, 1000);
    Section section = Section.of(Range.of(5, (1L << 24) - 7), Range.of(77, (1L << 24) - 3));
    Pattern file = chunking.section(section).inFile(4);
    assertThat(file.isAscending()).isTrue();
    assertThat(file.size()).isEqualTo(section.elements() * 4);
  }

  @Test
  void wrongChunksAreRefused() {
    Shape shape = Shape.rowMajor(4, 4);
    assertThatThrownBy(() -> Chunking.of(shape, 4)).hasMessageContaining("[4] of 1 dimensions");
    assertThatThrownBy(() -> Chunking.of(shape, 4, 0)).hasMessageContaining("below 1");
    assertThatThrownBy(() -> Chunking.of(shape, 1L << 40, 1L << 40).bytes(8))
        .hasMessageContaining("2^63-1");
    Chunking right = Chunking.of(shape, 2, 2);
    assertThatThrownBy(() -> right.section(Section.parse("0:4,0:0")))
        .isInstanceOf(IndexOutOfBoundsException.class);
    Distribution rows = Distribution.rows(shape, 2);
    assertThatThrownBy(() -> right.part(rows, 0, 1, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static void check(Chunking chunking, Section section, int elementBytes) {
    List<long[]> wanted = new ArrayList<>();
    Shape counts = section.shape(chunking.shape().order());
    for (long i = 0; i < counts.elements(); i++) {
      long[] index = counts.index(i);
      for (int d = 0; d < index.length; d++) {
        index[d] = section.range(d).lower() + index[d] * section.range(d).stride();
      }
      wanted.add(index);
    }
    check(chunking, chunking.section(section), wanted, elementBytes);
  }

  /** Elements are given in the array's order. */
  private static void check(
      Chunking chunking, ChunkedPart part, List<long[]> wanted, int elementBytes) {
    Pattern inOrder = part.inArrayOrder(elementBytes);
    Pattern file = part.inFile(elementBytes);
    Shape counts = part.counts();
    long[] strides = new long[counts.dimensions()];
    for (int d = 0; d < strides.length; d++) {
      strides[d] = counts.stride(d) * elementBytes;
    }
    Pattern memory = part.inMemory(elementBytes, strides);
    long size = (long) wanted.size() * elementBytes;
    if (file.size() != size || inOrder.size() != size || memory.size() != size) {
      throw new AssertionError(chunking + ": " + file.size() + " bytes, not " + size);
    }
    for (long p = 0; p < size; p++) {
      long at = offset(chunking, wanted.get((int) (p / elementBytes)), elementBytes);
      if (inOrder.offsetOf(p) != at + p % elementBytes) {
        throw new AssertionError(chunking + ", position " + p + " in the array's order");
      }
      long place = memory.offsetOf(p); // the element's number in the array's order
      long same = offset(chunking, wanted.get((int) (place / elementBytes)), elementBytes);
      if (file.offsetOf(p) != same + place % elementBytes) {
        throw new AssertionError(chunking + ", position " + p + " in the file's order");
      }
    }
    assertThat(memory.isDisjoint()).isTrue();
  }

  private static long offset(Chunking chunking, long[] index, int elementBytes) {
    long[] chunk = new long[index.length];
    long[] inside = new long[index.length];
    for (int d = 0; d < index.length; d++) {
      chunk[d] = index[d] / chunking.chunk().get(d);
      inside[d] = index[d] % chunking.chunk().get(d);
    }
    long chunkElements = chunking.chunkShape().elements();
    return (chunking.grid().linear(chunk) * chunkElements + chunking.chunkShape().linear(inside))
        * elementBytes;
  }

  private static List<long[]> chunks(long[] dims) {
    List<long[]> all = new ArrayList<>();
    all.add(dims.clone());
    for (long size = 1; size <= 4; size++) {
      long[] one = new long[dims.length];
      for (int d = 0; d < dims.length; d++) {
        one[d] = 1 + (size + d) % 4;
      }
      all.add(one);
    }
    return all;
  }
}
