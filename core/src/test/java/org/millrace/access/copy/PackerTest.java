package org.millrace.access.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.testing.Seeds;

/** Copies between places against one byte at a time. */
class PackerTest {

  private static final int ROOM = 1 << 15;

  @Test
  void everyByteComesFromItsPlaceToItsPlace() {
    for (long seed : Seeds.of(5)) {
      Random random = new Random(seed);
      for (int i = 0; i < 400; i++) {
        Places from = places(random);
        Places to = places(random);
        long bytes = Math.min(from.size(), to.size());
        byte[] source = new byte[ROOM];
        random.nextBytes(source);
        byte[] expected = new byte[ROOM];
        for (long b = 0; b < bytes; b++) {
          expected[at(to, b)] = source[at(from, b)];
        }
        byte[] target = new byte[ROOM];
        Packer.copy(MemorySegment.ofArray(source), from, MemorySegment.ofArray(target), to, bytes);
        assertThat(target).as("%s to %s; %s", from, to, Seeds.replay(seed)).isEqualTo(expected);
      }
    }
  }

  private static int at(Places places, long b) {
    return (int) places.pattern().offsetOf(places.from() + b);
  }

  /** Three nested loops in any order of their strides, so that no byte is named twice. */
  private static Places places(Random random) {
    int length = 1 + random.nextInt(40);
    int[] counts = {1 + random.nextInt(6), 1 + random.nextInt(6), 1 + random.nextInt(6)};
    long[] strides = new long[3];
    long span = length;
    for (int loop : random.nextBoolean() ? new int[] {0, 1, 2} : new int[] {2, 0, 1}) {
      strides[loop] = span + random.nextInt(9);
      span = (counts[loop] - 1) * strides[loop] + span;
    }
    Pattern pattern = Pattern.run(length);
    for (int loop = 0; loop < 3; loop++) {
      pattern = Pattern.loop(counts[loop], strides[loop], pattern);
    }
    return new Places(pattern.shifted(random.nextInt(50)), random.nextInt(length));
  }
}
