package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.access.copy.PlacedVector;
import org.millrace.access.copy.Places;
import org.millrace.env.Env;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.testing.Seeds;

/** Windows of an access, copied between memory and blocks that lie anywhere, byte by byte. */
final class PinWindowsTest {

  private static final int BLOCK = 4096;

  @Test
  void movesTheBytesThatANaiveLoopMoves() {
    for (long seed : Seeds.of(400)) {
      try {
        new Case(new Random(seed)).check();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(e.getMessage() + "; " + Seeds.replay(seed), e);
      }
    }
  }

  private static final class Case {
    private final Random random;
    private final Layout layout;
    private final Access access;
    private final Places places;
    private final byte[] memory;
    private final byte[][] strands;

    Case(Random random) {
      this.random = random;
      int count = 1 + random.nextInt(3);
      List<Integer> nodes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        nodes.add(i);
      }
      long unit = List.of(100L, 4096L, 10_000L).get(random.nextInt(3));
      this.layout = new Layout(unit, BLOCK, nodes);
      View view = view();
      long size = Math.min(view.tile().size() * 4, 60_000);
      long from = random.nextInt(200);
      this.access = new Access(view, from, from + size);
      this.places = places(size);
      long reach = places.pattern().end();
      this.memory = new byte[(int) reach];
      random.nextBytes(memory);
      this.strands = new byte[count][];
      for (int s = 0; s < count; s++) {
        long end = layout.strandSize(s, access.span().end());
        strands[s] = new byte[(int) (end / BLOCK + 1) * BLOCK];
        random.nextBytes(strands[s]);
      }
    }

    private View view() {
      int run = 1 + random.nextInt(random.nextBoolean() ? 20 : 9000);
      int gap = random.nextInt(random.nextBoolean() ? 30 : 12_000);
      Pattern tile = Pattern.loop(1 + random.nextInt(5), run + gap, Pattern.run(run));
      if (random.nextInt(4) == 0) { // back and forth
        tile =
            Pattern.sequence(
                List.of(new Placed(20_000, Pattern.run(run)), new Placed(0, Pattern.run(run))));
      }
      return new View(random.nextInt(5000), tile, tile.end() + random.nextInt(5000));
    }

    private Places places(long size) {
      if (random.nextBoolean()) {
        return new Places(Pattern.run(size + 7), 7);
      }
      int run = 1 + random.nextInt(300);
      return new Places(Pattern.loop(size / run + 1, run + random.nextInt(9), Pattern.run(run)), 0);
    }

    void check() {
      for (int s = 0; s < strands.length; s++) {
        check(s, false);
        check(s, true);
      }
    }

    private void check(int s, boolean write) {
      byte[] there = strands[s].clone();
      byte[] here = memory.clone();
      naive(s, write, there, here);
      byte[] pinnedThere = strands[s].clone();
      byte[] pinnedHere = memory.clone();
      pinned(s, write, pinnedThere, pinnedHere);
      assertThat(Arrays.mismatch(pinnedThere, there))
          .as("strand %d of %s", s, access)
          .isEqualTo(-1);
      assertThat(Arrays.mismatch(pinnedHere, here)).as("memory of %s", access).isEqualTo(-1);
    }

    private void naive(int s, boolean write, byte[] there, byte[] here) {
      for (long i = 0; i < access.size(); i++) {
        long offset = access.view().offsetOf(access.from() + i);
        if (layout.strandOf(offset) == s) {
          int at = (int) layout.strandOffset(offset);
          int place = (int) places.pattern().offsetOf(places.from() + i);
          if (write) {
            there[at] = here[place];
          } else {
            here[place] = there[at];
          }
        }
      }
    }

    private void pinned(int s, boolean write, byte[] there, byte[] here) {
      StrandRuns runs = StrandRuns.of(layout, s, access.view(), access.from(), access.to());
      PlacedVector vectors = PlacedVector.of(runs, access.from(), places);
      PinWindows windows = new PinWindows(vectors, BLOCK);
      long reached = 0;
      PinWindow window;
      while ((window = windows.next((long) BLOCK * (1 + random.nextInt(6)))) != null) {
        assertThat(window.from()).isGreaterThanOrEqualTo(reached);
        reached = window.to();
        copy(window, write, there, here);
      }
    }

    /** As a node would: each run of blocks anywhere, some of them side by side. */
    private void copy(PinWindow window, boolean write, byte[] there, byte[] here) {
      List<WantedBlocks> wanted = window.wanted(write);
      int blocks = wanted.stream().mapToInt(WantedBlocks::count).sum();
      MemorySegment slab = MemorySegment.ofArray(new byte[2 * blocks * BLOCK + BLOCK]);
      PinnedExtents extents = new PinnedExtents();
      List<long[]> lie = new ArrayList<>();
      long free = 0;
      for (WantedBlocks run : wanted) {
        for (long block = run.first(); block < run.first() + run.count(); block++) {
          free += random.nextBoolean() ? 0 : BLOCK;
          if (!(write && run.whole())) { // what is overwritten wholly may hold anything
            MemorySegment.copy(MemorySegment.ofArray(there), block * BLOCK, slab, free, BLOCK);
          }
          extents.add(block * BLOCK, (block + 1) * BLOCK, slab, free);
          lie.add(new long[] {block * BLOCK, free});
          free += BLOCK;
        }
      }
      window.copy(Env.real(), write, extents, MemorySegment.ofArray(here));
      for (long[] one : lie) {
        MemorySegment.copy(slab, one[1], MemorySegment.ofArray(there), one[0], BLOCK);
      }
    }
  }
}
