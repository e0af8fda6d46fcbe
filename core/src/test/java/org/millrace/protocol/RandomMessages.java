package org.millrace.protocol;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.RandomPatterns;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/** Messages of any values, with an eye on the extreme ones. */
final class RandomMessages extends MessageMaker {

  private static final long[] LONGS = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32, 255};
  private static final String[] TEXTS = {"", "a", "../x/y", "Mühle 水車 🎡", "\0\n\u00ff"};

  private final Random random;

  RandomMessages(Random random) {
    this.random = random;
  }

  @Override
  boolean aBoolean() {
    return random.nextBoolean();
  }

  @Override
  int anInt() {
    return random.nextBoolean() ? random.nextInt() : (int) LONGS[random.nextInt(LONGS.length)];
  }

  @Override
  long aLong() {
    return random.nextBoolean() ? random.nextLong() : LONGS[random.nextInt(LONGS.length)];
  }

  @Override
  String aText(String name) {
    return random.nextInt(3) > 0
        ? name + random.nextInt(1000)
        : TEXTS[random.nextInt(TEXTS.length)];
  }

  @Override
  int howMany() {
    return random.nextInt(5);
  }

  @Override
  <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  @Override
  Access anAccess() {
    if (random.nextInt(8) == 0) {
      return Access.NOTHING;
    }
    Pattern tile =
        random.nextInt(3) == 0
            ? scattered(random, random.nextInt(4))
            : RandomPatterns.ascending(random, random.nextInt(4));
    long start = Math.max(0, -tile.first()) + random.nextInt(100);
    View view = new View(start, tile, tile.end() - tile.first() + random.nextInt(3));
    long from = random.nextLong(tile.size());
    return new Access(view, from, from + random.nextLong(tile.size() - from + 1));
  }

  /** A pattern whose strides have any sign; those that became too large are made again. */
  static Pattern scattered(Random random, int depth) {
    while (true) {
      try {
        return RandomPatterns.any(random, depth);
      } catch (IllegalArgumentException e) {
        // too many bytes
      }
    }
  }

  @Override
  StrandId aStrand(boolean isInLayout) {
    int strands = isInLayout ? 5 : StrandId.MAX_STRANDS;
    return new StrandId(1 + random.nextLong(1L << 47), random.nextInt(strands));
  }

  @Override
  Layout aLayout(int minStrands) {
    int strands = minStrands + random.nextInt(4);
    List<Integer> nodes =
        IntStream.range(0, strands).mapToObj(_ -> random.nextInt() & Integer.MAX_VALUE).toList();
    int blockBytes = Layout.MIN_BLOCK_BYTES << random.nextInt(11);
    return new Layout(1 + random.nextLong(1L << random.nextInt(1, 50)), blockBytes, nodes);
  }

  @Override
  long aLength() {
    return random.nextLong(1L << random.nextInt(1, 62));
  }
}
