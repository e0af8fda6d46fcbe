package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.env.Signal;

/** How much memory a cache takes at a time. */
final class SlabsTest {

  private static final int SHIFT = 16; // blocks of 64 KiB
  private static final long MIB = 1 << 20;

  /** The bytes of all slabs until a cache with this limit is full. */
  private static List<Long> slabs(long limit) {
    Slabs slabs = new Slabs(limit, new Signal[0], new TestSlabs());
    List<Long> sizes = new ArrayList<>();
    while (slabs.canGrow(SHIFT)) {
      sizes.add((long) slabs.reserve(SHIFT).numbers().length << SHIFT); // nothing is allocated
    }
    return sizes;
  }

  @Test
  void aLargeCacheBeginsWithAsLittleMemoryAsASmallOne() {
    assertThat(slabs(64L << 30).getFirst()).isEqualTo(4 * MIB);
    assertThat(slabs(256 * MIB).getFirst()).isEqualTo(4 * MIB);
    assertThat(slabs(64 * MIB).getFirst()).isEqualTo(MIB);
  }

  @Test
  void slabsBecomeLargerSoThatThereAreFewAndFillTheCache() {
    List<Long> sizes = slabs(2048 * MIB);
    assertThat(sizes.stream().mapToLong(Long::longValue).sum()).isEqualTo(2048 * MIB);
    assertThat(sizes).hasSizeLessThan(100);
    assertThat(sizes).allMatch(bytes -> bytes <= 32 * MIB);
  }
}
