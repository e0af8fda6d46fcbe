package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Flat;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.RandomPatterns;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.Worlds;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.testing.Seeds;

final class PatternCodecTest {

  private static Encoder encode(Pattern pattern) {
    Encoder to = new Encoder();
    PatternCodec.putPattern(pattern, to);
    return to;
  }

  private static Pattern decode(Encoder bytes) throws MillraceException {
    Decoder from = new Decoder(bytes.written());
    Pattern pattern = PatternCodec.getPattern(from);
    from.end();
    return pattern;
  }

  private static void checkBothWays(Pattern pattern) throws MillraceException {
    assertThat(decode(encode(pattern))).isEqualTo(pattern);
  }

  @Test
  void smallPatternsComeBack() throws MillraceException {
    List<Flat> all = new ArrayList<>(Worlds.kinds());
    all.addAll(Worlds.sequences(-4, 8));
    all.addAll(Worlds.lists(3, 3));
    all.addAll(Worlds.loops(3, new long[] {1, 2, 3}, new long[] {-6, 0, 1, 2, 6, 18}, 2));
    for (Flat flat : all) {
      checkBothWays(flat.pattern());
    }
  }

  @Test
  void largePatternsComeBack() throws MillraceException {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      checkBothWays(RandomPatterns.ascending(random, 5));
      checkBothWays(RandomMessages.scattered(random, 4));
    }
  }

  @Test
  void partsOfArraysInOneToFiveDimensionsComeBack() throws MillraceException {
    for (long seed : Seeds.of(50)) {
      Random random = new Random(seed);
      for (int dimensions = 1; dimensions <= 5; dimensions++) {
        for (Order order : Order.values()) {
          checkArray(random, dimensions, order);
        }
      }
    }
  }

  private static void checkArray(Random random, int dimensions, Order order)
      throws MillraceException {
    long[] dims = new long[dimensions];
    Range[] ranges = new Range[dimensions];
    Spread[] spreads = new Spread[dimensions];
    int[] grid = new int[dimensions];
    for (int i = 0; i < dimensions; i++) {
      dims[i] = 1 + random.nextLong(40);
      long lower = random.nextLong(dims[i]);
      ranges[i] = new Range(lower, lower + random.nextLong(dims[i] - lower), 1 + random.nextInt(4));
      spreads[i] = Spread.blockCyclic(1 + random.nextInt(5));
      grid[i] = 1 + random.nextInt(3);
    }
    Shape shape = Shape.of(order, dims);
    int element = 1 + random.nextInt(16);
    checkBothWays(Section.of(ranges).in(shape, element));
    Distribution distribution = Distribution.of(shape, Grid.of(grid), spreads);
    Pattern part = distribution.part(random.nextInt(distribution.grid().ranks()), element);
    checkBothWays(part);
    // A ragged part is a graph of a few nodes for each dimension, and stays one.
    assertThat(encode(part).size()).isLessThan(200 * dimensions);
  }

  /** Each level twice the one below: 2^60 runs in 60 nodes. */
  private static Pattern doubled(int levels) {
    Pattern pattern = Pattern.run(1);
    for (int i = 0; i < levels; i++) {
      pattern =
          Pattern.sequence(List.of(new Placed(0, pattern), new Placed(1L << (i + 1), pattern)));
    }
    return pattern;
  }

  @Test
  void whatIsSharedTravelsOnceAndIsSharedAgain() throws MillraceException {
    Pattern pattern = doubled(59);
    Encoder bytes = encode(pattern);
    assertThat(bytes.size()).isLessThan(60 * 32);
    assertThat(decode(bytes)).isEqualTo(pattern).hasSameHashCodeAs(pattern);
    assertThat(encode(decode(bytes)).size()).isEqualTo(bytes.size());
  }

  @Test
  void patternsNestAsDeepAsTheyMay() throws MillraceException {
    checkBothWays(nested(Pattern.MAX_DEPTH - 1, new Encoder().putInt(Pattern.MAX_DEPTH)));
    assertThatThrownBy(() -> nested(Pattern.MAX_DEPTH, new Encoder().putInt(Pattern.MAX_DEPTH + 1)))
        .hasMessageContaining("nests");
  }

  /** A byte below so many sequences, each of which adds a byte. */
  private static Pattern nested(int sequences, Encoder to) throws MillraceException {
    to.putByte(0).putLong(1);
    for (int i = 0; i < sequences; i++) {
      to.putByte(2).putInt(2).putLong(0).putInt(i).putLong(2L * i + 2).putInt(0);
    }
    return decode(to);
  }

  @Test
  void nodesAreNamedOnlyAfterTheyCame() {
    Encoder own = new Encoder().putInt(1).putByte(1).putLong(2).putLong(2).putInt(0);
    assertThatThrownBy(() -> decode(own)).hasMessageContaining("node 0");
    Encoder before = new Encoder().putInt(1).putByte(1).putLong(2).putLong(2).putInt(-1);
    assertThatThrownBy(() -> decode(before)).hasMessageContaining("node -1");
    assertThatThrownBy(() -> decode(new Encoder().putInt(0))).hasMessageContaining("no nodes");
    Encoder kind = new Encoder().putInt(1).putByte(4).putLong(0);
    assertThatThrownBy(() -> decode(kind)).hasMessageContaining("kind 4");
  }

  @Test
  void countsBeyondTheBytesAreRefused() {
    Encoder nodes = new Encoder().putInt(Integer.MAX_VALUE).putByte(0).putLong(1);
    assertThatThrownBy(() -> decode(nodes)).hasMessageContaining("count");
    for (int kind = 2; kind <= 3; kind++) {
      Encoder entries = new Encoder().putInt(1).putByte(kind).putInt(1 << 30).putLong(1);
      assertThatThrownBy(() -> decode(entries)).hasMessageContaining("count");
    }
    assertThatThrownBy(() -> PatternCodec.getPattern(new Decoder(ByteBuffer.allocate(3))))
        .isInstanceOf(MillraceException.class);
  }
}
