package org.millrace.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded generators of patterns too large to flatten. */
public final class RandomPatterns {

  private RandomPatterns() {}

  /** An ascending pattern that spans some 2^50 bytes. */
  public static Pattern ascending(Random random, int depth) {
    if (depth == 0) {
      return Pattern.run(1 + random.nextInt(random.nextBoolean() ? 8 : 5000));
    }
    return switch (random.nextInt(4)) {
      case 0 -> list(random);
      case 1 -> sequence(random, depth);
      default -> loop(random, depth);
    };
  }

  /** A pattern whose strides have any sign and may overlap. */
  public static Pattern any(Random random, int depth) {
    if (depth == 0) {
      return ascending(random, random.nextInt(2));
    }
    Pattern body = any(random, depth - 1);
    if (random.nextInt(4) == 0) {
      Pattern other = any(random, depth - 1);
      return Pattern.sequence(
          List.of(
              new Placed(random.nextLong(1L << 42), body),
              new Placed(-random.nextLong(1L << 42), other)));
    }
    long stride = random.nextLong(1L << random.nextInt(1, 40));
    return Pattern.loop(1 + random.nextInt(1000), random.nextBoolean() ? stride : -stride, body);
  }

  private static Pattern loop(Random random, int depth) {
    Pattern body = ascending(random, depth - 1);
    long span = body.end() - body.first();
    long stride = span + random.nextLong(1 + (random.nextBoolean() ? 16 : span));
    long room = Math.max(2, (1L << 52) / Math.max(1, stride));
    long count =
        2 + random.nextLong(Math.min(room, 1 + random.nextInt(1 << random.nextInt(1, 31))));
    return Pattern.loop(count, stride, body);
  }

  private static Pattern sequence(Random random, int depth) {
    List<Placed> children = new ArrayList<>();
    long at = random.nextLong(1L << 41);
    for (int i = random.nextInt(1, 6); i > 0; i--) {
      Pattern child = ascending(random, depth - 1);
      children.add(new Placed(at - child.first(), child));
      at += child.end() - child.first() + random.nextInt(2) * random.nextLong(1L << 30);
    }
    return Pattern.sequence(children);
  }

  private static Pattern list(Random random) {
    int n = 1 + random.nextInt(50);
    long[] offsets = new long[n];
    long[] lengths = new long[n];
    long at = 0;
    for (int i = 0; i < n; i++) {
      offsets[i] = at;
      lengths[i] = random.nextInt(random.nextBoolean() ? 4 : 3000);
      at += lengths[i] + random.nextInt(100);
    }
    lengths[0]++;
    if (n > 1) {
      offsets[0]--;
    }
    return Pattern.indexed(offsets, lengths);
  }
}
