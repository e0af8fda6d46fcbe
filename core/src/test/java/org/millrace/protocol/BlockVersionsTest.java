package org.millrace.protocol;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * All courses of one reader, which knows where a block of two bytes was, and of a node that does
 * something with that place, step by step. In no course does the reader accept bytes of another
 * block, or bytes that are older than a write which had ended before the reader began.
 */
final class BlockVersionsTest {

  /** How node and reader go about it: as they do, or in a wrong way. */
  enum Way {
    RIGHT,
    NOT_WITHDRAWN,
    WITHDRAWN_TOO_LATE,
    VERSION_USED_AGAIN,
    NOT_LOOKED_AT_AFTERWARDS
  }

  private static final int BLOCK = 2;
  private static final int PLACES = 2;
  private static final int OLD = 1;
  private static final int NEW = 2;
  private static final int OTHER = 9;

  /** One course. */
  private static final class World {
    private final Way way;
    private final MemorySegment slab =
        Arena.ofAuto().allocate(4096 + BlockVersions.bytes(PLACES), Long.BYTES);
    private final long known;
    private int ended = OLD;
    private int endedBefore;
    private final int[] copy = new int[BLOCK];
    private boolean accepted;

    World(Way way) {
      this.way = way;
      fill(0, OLD);
      BlockVersions.publish(slab, 0);
      known = version();
    }

    private long version() {
      return BlockVersions.get(slab, BlockVersions.at(slab, 0));
    }

    private void fill(int place, int with) {
      for (int i = 0; i < BLOCK; i++) {
        set(place, i, with);
      }
    }

    private void set(int place, int at, int with) {
      slab.set(JAVA_BYTE, place * BLOCK + at, (byte) with);
    }

    private int get(int place, int at) {
      return slab.get(JAVA_BYTE, place * BLOCK + at);
    }

    private void publish(int place) {
      if (way == Way.VERSION_USED_AGAIN) {
        slab.set(JAVA_LONG, BlockVersions.at(slab, place), known);
      } else {
        BlockVersions.publish(slab, place);
      }
    }

    private void withdraw(int place) {
      if (way != Way.NOT_WITHDRAWN) {
        BlockVersions.withdraw(slab, place);
      }
    }

    List<Runnable> reader() {
      List<Runnable> steps = new ArrayList<>();
      steps.add(
          () -> {
            endedBefore = ended;
            accepted = version() == known;
          });
      for (int i = 0; i < BLOCK; i++) {
        int at = i;
        steps.add(() -> copy[at] = get(0, at));
      }
      steps.add(() -> accepted &= way == Way.NOT_LOOKED_AT_AFTERWARDS || version() == known);
      return steps;
    }

    /** The block is written where it is. */
    List<Runnable> written(int place) {
      List<Runnable> steps = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        int at = i;
        steps.add(() -> set(place, at, NEW));
      }
      steps.add(() -> ended = NEW);
      return steps;
    }

    /** The block is evicted, and another one loaded. */
    List<Runnable> reused() {
      List<Runnable> steps = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        int at = i;
        steps.add(() -> set(0, at, OTHER));
      }
      steps.add(way == Way.WITHDRAWN_TOO_LATE ? 1 : 0, () -> withdraw(0));
      steps.add(() -> publish(0));
      return steps;
    }

    /** The block goes on in other memory. */
    List<Runnable> moved(int from, int to) {
      List<Runnable> steps = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        int at = i;
        steps.add(() -> set(to, at, get(from, at)));
      }
      steps.add(way == Way.WITHDRAWN_TOO_LATE ? steps.size() : 0, () -> withdraw(from));
      steps.add(() -> publish(to));
      return steps;
    }

    List<Runnable> node(int course) {
      List<Runnable> steps = new ArrayList<>();
      switch (course) {
        case 0 -> steps.addAll(written(0));
        case 1 -> steps.addAll(reused());
        case 2 -> {
          steps.addAll(moved(0, 1));
          steps.addAll(written(1));
        }
        case 3 -> {
          steps.addAll(moved(0, 1));
          steps.addAll(written(1));
          steps.addAll(moved(1, 0));
        }
        default -> {
          steps.addAll(moved(0, 1));
          steps.addAll(written(1));
          steps.addAll(reused());
        }
      }
      return steps;
    }

    boolean isWrong() {
      for (int one : copy) {
        if (accepted && one != NEW && (one != OLD || endedBefore == NEW)) {
          return true;
        }
      }
      return false;
    }
  }

  private int courses;
  private int accepted;
  private int wrong;

  /** Goes through all courses: bit i says whether the reader makes step i. */
  private void runAll(Way way) {
    for (int course = 0; course < 5; course++) {
      World sizes = new World(way);
      int ofReader = sizes.reader().size();
      int all = ofReader + sizes.node(course).size();
      for (int order = 0; order < 1 << all; order++) {
        if (Integer.bitCount(order) == ofReader) {
          run(new World(way), course, order, all);
        }
      }
    }
  }

  private void run(World world, int course, int order, int all) {
    List<Runnable> reader = world.reader();
    List<Runnable> node = world.node(course);
    int read = 0;
    for (int i = 0; i < all; i++) {
      boolean reads = (order >>> i & 1) != 0;
      (reads ? reader.get(read) : node.get(i - read)).run();
      read += reads ? 1 : 0;
    }
    courses++;
    accepted += world.accepted ? 1 : 0;
    wrong += world.isWrong() ? 1 : 0;
  }

  @Test
  void noReaderAcceptsOtherOrOutdatedBytes() {
    runAll(Way.RIGHT);
    assertThat(wrong).isZero();
    assertThat(accepted).isPositive().isLessThan(courses);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "RIGHT")
  void everyWrongWayIsFound(Way way) {
    runAll(way);
    assertThat(wrong).isPositive();
  }

  @Test
  void versionsLieBehindTheBlocksOfASlab() {
    int blocks = 1000;
    MemorySegment slab = Arena.ofAuto().allocate(blocks * 64L + BlockVersions.bytes(blocks), 8);
    for (int i = 0; i < blocks; i++) {
      BlockVersions.publish(slab, i);
      assertThat(BlockVersions.at(slab, i)).isGreaterThanOrEqualTo(blocks * 64L);
    }
    for (int i = 0; i < blocks; i++) {
      assertThat(BlockVersions.isPublished(BlockVersions.get(slab, BlockVersions.at(slab, i))))
          .isTrue();
    }
    BlockVersions.withdraw(slab, 500);
    BlockVersions.withdraw(slab, 500);
    assertThat(BlockVersions.get(slab, BlockVersions.at(slab, 500))).isEqualTo(2);
    BlockVersions.mark(slab, BlockVersions.at(slab, 7));
    assertThat(BlockVersions.takeMark(slab, 6)).isFalse();
    assertThat(BlockVersions.takeMark(slab, 8)).isFalse();
    assertThat(BlockVersions.takeMark(slab, 7)).isTrue();
    assertThat(BlockVersions.takeMark(slab, 7)).isFalse();
    assertThat(BlockVersions.get(slab, BlockVersions.at(slab, 7))).isEqualTo(1);
    BlockVersions.mark(slab, BlockVersions.at(slab, 7));
    BlockVersions.withdraw(slab, 7);
    assertThat(BlockVersions.takeMark(slab, 7)).as("of the block before").isFalse();
    assertThat(slab.asSlice(0, blocks * 64L).toArray(JAVA_BYTE)).containsOnly(0);
  }
}
