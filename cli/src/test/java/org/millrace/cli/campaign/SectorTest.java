package org.millrace.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** What is lost, old, torn or in the wrong place is recognized. */
final class SectorTest {

  private static MemorySegment stamped(Arena arena, int file, long sector, long sequence) {
    MemorySegment memory = arena.allocate(Sector.BYTES);
    Sector.stamp(memory, 0, file, sector, sequence);
    return memory;
  }

  @Test
  void aSectorSaysWithWhichSequenceItWasWritten() {
    try (Arena arena = Arena.ofConfined()) {
      assertThat(Sector.read(stamped(arena, 2, 77, 4711), 0, 2, 77)).isEqualTo(4711);
      assertThat(Sector.read(arena.allocate(Sector.BYTES), 0, 2, 77)).isEqualTo(Sector.NEVER);
    }
  }

  @Test
  void aSectorOfAnotherPlaceOrFileIsWrong() {
    try (Arena arena = Arena.ofConfined()) {
      assertThat(Sector.read(stamped(arena, 2, 77, 4711), 0, 2, 78)).isEqualTo(Sector.WRONG);
      assertThat(Sector.read(stamped(arena, 2, 77, 4711), 0, 1, 77)).isEqualTo(Sector.WRONG);
    }
  }

  @Test
  void everySingleWrongBitIsSeen() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = stamped(arena, 0, 3, 9);
      for (int bit = 0; bit < 8 * Sector.BYTES; bit++) {
        flip(memory, bit);
        assertThat(Sector.read(memory, 0, 0, 3)).as("bit %d", bit).isNotEqualTo(9);
        flip(memory, bit);
      }
      assertThat(Sector.read(memory, 0, 0, 3)).isEqualTo(9);
    }
  }

  @Test
  void halfOfOneAndHalfOfAnotherIsWrong() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = stamped(arena, 0, 3, 9);
      MemorySegment.copy(
          stamped(arena, 0, 3, 10), Sector.BYTES / 2, memory, Sector.BYTES / 2, Sector.BYTES / 2);
      assertThat(Sector.read(memory, 0, 0, 3)).isEqualTo(Sector.WRONG);
    }
  }

  private static void flip(MemorySegment memory, int bit) {
    byte before = memory.get(ValueLayout.JAVA_BYTE, bit / 8);
    memory.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before ^ 1 << bit % 8));
  }
}
