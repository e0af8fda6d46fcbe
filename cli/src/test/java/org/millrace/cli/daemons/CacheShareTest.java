package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CacheShareTest {

  private static final long GIB = 1L << 30;

  @Test
  void aNodeGetsASixteenthOfTheHostsMemory() {
    assertThat(CacheShare.of(64 * GIB, 1)).isEqualTo(4 * GIB);
    assertThat(CacheShare.of(64 * GIB, 2)).isEqualTo(4 * GIB);
  }

  @Test
  void manyNodesOfAHostGetAnEighthOfItsMemoryTogether() {
    assertThat(CacheShare.of(64 * GIB, 8)).isEqualTo(GIB);
    assertThat(16 * CacheShare.of(64 * GIB, 16)).isEqualTo(8 * GIB);
  }

  @Test
  void noNodeGetsLessThanItNeeds() {
    assertThat(CacheShare.of(GIB, 1)).isEqualTo(CacheShare.MIN_BYTES);
    assertThat(CacheShare.of(64 * GIB, 1000)).isEqualTo(CacheShare.MIN_BYTES);
  }
}
