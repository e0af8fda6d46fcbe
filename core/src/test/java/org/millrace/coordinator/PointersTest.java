package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.PointerCells;

final class PointersTest {

  private static final long[] SESSIONS = {5, 3, 9};

  private final Pointers pointers = new Pointers();

  @Test
  void advanceFollowsItsFormulaForAllSmallAndExtremeValues() throws MillraceException {
    long[] values = {0, 1, 2, 3, 7, Long.MAX_VALUE - 1, Long.MAX_VALUE};
    long key = pointers.add(SESSIONS);
    for (long at : values) {
      for (long delta : values) {
        for (long floor : values) {
          for (long limit : new long[] {Long.MIN_VALUE, -1, 0, 1, 2, 5, 9, Long.MAX_VALUE}) {
            pointers.set(3, key, at);
            BigInteger start = big(at).max(big(floor));
            BigInteger next = start.add(big(delta)).min(start.max(big(limit)));
            String what = at + " by " + delta + " from " + floor + " to " + limit;
            assertThat(big(pointers.advance(3, key, delta, floor, limit)))
                .as(what)
                .isEqualTo(start);
            assertThat(big(pointers.at(3, key))).as(what).isEqualTo(next);
          }
        }
      }
    }
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  @Test
  void concurrentAdvancesTakeDisjointRangesWithoutGaps() throws Exception {
    int threads = 4;
    int each = 20_000;
    long key = pointers.add(SESSIONS);
    long[][] taken = new long[threads][each];
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      long[] mine = taken[t];
      int own = t + 1;
      all.add(
          Env.real()
              .start(
                  ThreadKind.RANK,
                  "taker " + t,
                  () -> {
                    for (int i = 0; i < each; i++) {
                      mine[i] = advance(key, own);
                    }
                  }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    long[] lengthAt = new long[each * (1 + 2 + 3 + 4)];
    for (int t = 0; t < threads; t++) {
      for (long start : taken[t]) {
        assertThat(lengthAt[(int) start]).isZero();
        lengthAt[(int) start] = t + 1L;
      }
    }
    int at = 0;
    while (at < lengthAt.length) {
      assertThat(lengthAt[at]).as("nobody took %d", at).isPositive();
      at += (int) lengthAt[at];
    }
    assertThat(at).isEqualTo(lengthAt.length);
    assertThat(pointers.at(3, key)).isEqualTo(lengthAt.length);
  }

  private long advance(long key, long delta) {
    try {
      return pointers.advance(5, key, delta, 0, Long.MAX_VALUE);
    } catch (MillraceException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aKeyThatIsGoneNeverFindsTheNextPointerInItsPlace() throws MillraceException {
    long[] keys = new long[100];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = pointers.add(SESSIONS);
      pointers.set(3, keys[i], i);
    }
    for (int i = 0; i < keys.length; i++) {
      assertThat(pointers.at(3, keys[i])).isEqualTo(i);
      pointers.remove(keys[i]);
      long next = pointers.add(SESSIONS);
      assertThat(pointers.at(3, next)).isZero();
      refused(ErrorCode.CLOSED, 3, keys[i], 1);
    }
    assertThat(Arrays.stream(keys).distinct().count()).isEqualTo(keys.length);
  }

  @Test
  void mappedPointersAreMovedFromBothSides() throws MillraceException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment cells = arena.allocate(8 * PointerCells.SLOT_BYTES, PointerCells.SLOT_BYTES);
      cells.fill((byte) 7); // what was there before does not count
      Pointers mapped = new Pointers(cells, 1000, Life.ONLY);
      long key = mapped.add(SESSIONS);
      assertThat(mapped.advance(5, key, 10, 0, Long.MAX_VALUE)).isZero();
      assertThat(PointerCells.advance(cells, key, 5, 0, Long.MAX_VALUE)).isEqualTo(10);
      assertThat(mapped.at(9, key)).isEqualTo(15);
      mapped.set(3, key, 2);
      assertThat(PointerCells.at(cells, key)).isEqualTo(2);
      assertThat(mapped.peek(key)).isEqualTo(2);
      assertThatThrownBy(() -> mapped.at(4, key)).isInstanceOf(MillraceException.class);
      mapped.remove(key);
      assertThat(PointerCells.at(cells, key)).isEqualTo(PointerCells.GONE);
      assertThatThrownBy(() -> mapped.at(3, key)).hasMessageContaining("no longer exists");
    }
  }

  @Test
  void mappedSlotsRestAndPointersBeyondThemLiveOnTheHeap() throws MillraceException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment cells = arena.allocate(8 * PointerCells.SLOT_BYTES, PointerCells.SLOT_BYTES);
      Pointers mapped = new Pointers(cells, 0, Life.ONLY);
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        long key = mapped.add(SESSIONS);
        keys.add(key);
        mapped.set(3, key, i);
        assertThat(PointerCells.holds(cells, key)).isEqualTo(i < 4);
      }
      for (int i = 0; i < 40; i++) {
        assertThat(mapped.at(3, keys.get(i))).isEqualTo(i);
        mapped.remove(keys.get(i));
      }
      // the slots that were never used come first, then those that rest longest
      List<Integer> used = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        long key = mapped.add(SESSIONS);
        used.add(PointerCells.index(key));
        assertThat(mapped.at(3, key)).isZero();
        mapped.remove(key);
      }
      assertThat(used).containsExactly(4, 5, 6, 7, 0, 1, 2, 3, 4, 5);
    }
  }

  @Test
  void otherSessionsAndBackwardMovesAreRefused() throws MillraceException {
    long key = pointers.add(SESSIONS);
    refused(ErrorCode.NOT_PERMITTED, 4, key, 1);
    refused(ErrorCode.INVALID, 3, key, -1);
    refused(ErrorCode.CLOSED, 3, 0, 1);
    refused(ErrorCode.CLOSED, 3, -1, 1);
    refused(ErrorCode.CLOSED, 3, Long.MAX_VALUE, 1);
    assertThat(pointers.at(9, key)).isZero();
  }

  private void refused(ErrorCode code, long session, long key, long delta) {
    assertThatThrownBy(() -> pointers.advance(session, key, delta, 0, Long.MAX_VALUE))
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aPointerOfAnEarlierLifeLiesInMappedMemoryAgainIfItIsKnownWhereItStands()
      throws MillraceException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment before = arena.allocate(8L * PointerCells.SLOT_BYTES, Long.BYTES);
      MemorySegment now = arena.allocate(8L * PointerCells.SLOT_BYTES, Long.BYTES);
      Pointers old = new Pointers(before, 100, Life.ONLY);
      long known = old.add(SESSIONS);
      long doubtful = old.add(SESSIONS);
      Pointers next = new Pointers(now, 200, Life.ONLY);
      next.restore(known, SESSIONS, 40, null);
      next.restore(doubtful, SESSIONS, 40, "somebody did not come back");

      assertThat(PointerCells.advance(now, known, 8, 0, Long.MAX_VALUE)).isEqualTo(40);
      assertThat(next.advance(3, known, 8, 0, Long.MAX_VALUE)).as("by a message").isEqualTo(48);
      assertThat(PointerCells.advance(now, doubtful, 8, 0, Long.MAX_VALUE))
          .isEqualTo(PointerCells.GONE);
      assertThatThrownBy(() -> next.advance(3, doubtful, 8, 0, Long.MAX_VALUE))
          .hasMessageContaining("did not come back");

      List<Long> others = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        others.add(next.add(SESSIONS));
      }
      assertThat(others).doesNotContain(known, doubtful).doesNotHaveDuplicates();
      assertThat(next.at(3, known)).isEqualTo(56);
      next.remove(known);
      assertThat(PointerCells.at(now, known)).isEqualTo(PointerCells.GONE);
    }
  }
}
