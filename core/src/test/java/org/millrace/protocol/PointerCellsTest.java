package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PointerCellsTest {

  private static final long KEY = 5L << PointerCells.INDEX_BITS | 2;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment cells = arena.allocate(4 * PointerCells.SLOT_BYTES, 64);

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void aPointerLiesWhereItsKeySays() {
    PointerCells.add(cells, KEY, 0);
    assertThat(PointerCells.advance(cells, KEY, 0x123, 0, Long.MAX_VALUE)).isZero();
    assertThat(cells.get(ValueLayout.JAVA_LONG, 2 * 64)).isEqualTo(KEY);
    assertThat(cells.get(ValueLayout.JAVA_LONG, 2 * 64 + 8)).isEqualTo(0x123);
    for (long at = 0; at < cells.byteSize(); at += 8) {
      if (at != 128 && at != 136) {
        assertThat(cells.get(ValueLayout.JAVA_LONG, at)).as("byte %d", at).isZero();
      }
    }
    assertThat(PointerCells.slots(cells)).isEqualTo(4);
    assertThat(PointerCells.holds(cells, KEY)).isTrue();
    assertThat(PointerCells.holds(cells, KEY + 2)).isFalse();
  }

  @Test
  void advanceFollowsItsFormulaForSmallAndExtremeValues() {
    PointerCells.add(cells, KEY, 0);
    long[] values = {0, 1, 2, 7, Long.MAX_VALUE - 1, Long.MAX_VALUE};
    for (long at : values) {
      for (long delta : values) {
        for (long floor : values) {
          for (long limit : new long[] {Long.MIN_VALUE, -1, 0, 1, 5, Long.MAX_VALUE}) {
            assertThat(PointerCells.set(cells, KEY, at)).isTrue();
            BigInteger start = big(at).max(big(floor));
            BigInteger next = start.add(big(delta)).min(start.max(big(limit)));
            String what = at + " by " + delta + " from " + floor + " to " + limit;
            assertThat(big(PointerCells.advance(cells, KEY, delta, floor, limit)))
                .as(what)
                .isEqualTo(start);
            assertThat(big(PointerCells.at(cells, KEY))).as(what).isEqualTo(next);
          }
        }
      }
    }
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  @Test
  void aPointerThatIsGoneStaysGoneWhenAnotherHasItsSlot() {
    assertThat(PointerCells.at(cells, KEY)).isEqualTo(PointerCells.GONE);
    PointerCells.add(cells, KEY, 0);
    PointerCells.set(cells, KEY, 9);
    PointerCells.remove(cells, KEY);
    checkGone();
    long successor = 6L << PointerCells.INDEX_BITS | 2;
    PointerCells.add(cells, successor, 0);
    checkGone();
    assertThat(PointerCells.at(cells, successor)).isZero();
  }

  private void checkGone() {
    assertThat(PointerCells.advance(cells, KEY, 1, 0, Long.MAX_VALUE)).isEqualTo(PointerCells.GONE);
    assertThat(PointerCells.at(cells, KEY)).isEqualTo(PointerCells.GONE);
    assertThat(PointerCells.set(cells, KEY, 1)).isFalse();
  }

  @Test
  void wrongUseIsRefused() {
    PointerCells.add(cells, KEY, 0);
    assertThatThrownBy(() -> PointerCells.advance(cells, KEY, -1, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> PointerCells.set(cells, KEY, -2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
  }
}
