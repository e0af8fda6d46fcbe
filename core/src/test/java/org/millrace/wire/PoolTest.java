package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

final class PoolTest {

  private static final int PAGE = Slab.PAGE_BYTES;

  @TempDir private Path base;
  private SharedFolder folder;

  PoolTest() {}

  @BeforeEach
  void open() throws IOException {
    folder = SharedFolder.open(Env.real(), base);
  }

  @Test
  void memoryIsTakenOnlyWhenNeededAndGrowsByDoubling() throws IOException {
    try (Pool pool = new Pool(folder, 10 * PAGE + 5, 2 * PAGE)) {
      assertThat(pool.totalBytes()).isZero();
      assertThat(pool.maxBytes()).isEqualTo(10 * PAGE);
      take(pool, 1);
      assertThat(pool.totalBytes()).isEqualTo(2 * PAGE);
      take(pool, PAGE + 1);
      take(pool, PAGE);
      assertThat(pool.totalBytes()).isEqualTo(4 * PAGE);
      take(pool, PAGE);
      assertThat(pool.totalBytes()).isEqualTo(8 * PAGE);
      assertThat(pool.tryTake(4 * PAGE)).as("3 and 2 pages are left").isNull();
      assertThat(pool.totalBytes()).isEqualTo(8 * PAGE);
      take(pool, 3 * PAGE);
      take(pool, 2 * PAGE);
      assertThat(pool.tryTake(0)).isNull();
      assertThat(pool.takenBytes()).isEqualTo(10 * PAGE);
      assertThat(pool.slabs()).isEqualTo(4);
    }
  }

  @Test
  void firstPieceMayBeAsLargeAsTheLimitButNotLarger() throws IOException {
    try (Pool pool = new Pool(folder, 10 * PAGE, 2 * PAGE)) {
      assertThat(pool.tryTake(10 * PAGE + 1)).isNull();
      MemorySegment all = take(pool, 10 * PAGE);
      assertThat(pool.tryTake(1)).isNull();
      pool.give(all);
      assertThat(pool.takenBytes()).isZero();
      assertThat(take(pool, 10 * PAGE).address()).isEqualTo(all.address());
    }
  }

  @Test
  void poolOfNothingGivesNothing() throws IOException {
    try (Pool pool = new Pool(folder, PAGE - 1)) {
      assertThat(pool.maxBytes()).isZero();
      assertThat(pool.tryTake(1)).isNull();
    }
  }

  @Test
  void whatWasNotTakenCannotBeGiven() throws IOException {
    try (Pool pool = new Pool(folder, 10 * PAGE, 4 * PAGE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment piece = take(pool, PAGE + 1);
      assertNotGiven(pool, arena.allocate(10));
      assertNotGiven(pool, MemorySegment.ofArray(new byte[10]));
      assertNotGiven(pool, piece.asSlice(1));
      assertNotGiven(pool, piece.asSlice(PAGE));
      assertNotGiven(pool, piece.asSlice(0, PAGE));
      pool.give(piece);
      assertNotGiven(pool, piece);
      assertThatThrownBy(() -> pool.tryTake(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void memoryThatCannotBeHadIsNoError() throws IOException {
    Pool pool = new Pool(folder, 10 * PAGE, 4 * PAGE);
    MemorySegment piece = take(pool, 4 * PAGE);
    Files.delete(pool.path(0));
    Files.delete(folder.path());
    assertThat(pool.tryTake(PAGE)).isNull();
    assertThat(pool.maxBytes()).isEqualTo(4 * PAGE);
    pool.give(piece);
    assertThat(pool.tryTake(PAGE)).isNotNull();
    pool.close();
  }

  @Test
  void closingRemovesTheFilesAndKeepsWhatIsInUse() throws IOException {
    Pool pool = new Pool(folder, 10 * PAGE, PAGE);
    MemorySegment first = take(pool, PAGE);
    take(pool, PAGE);
    pool.close();
    try (Stream<Path> files = Files.list(folder.path())) {
      assertThat(files).isEmpty();
    }
    first.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    assertThat(pool.tryTake(1)).isNull();
    assertThat(pool.maxBytes()).isZero();
    pool.give(first);
    pool.close();
  }

  @Test
  void otherSideFindsWhatAPlaceNames() throws IOException {
    try (Pool pool = new Pool(folder, 100 * PAGE, PAGE);
        AttachedSlabs attached = new AttachedSlabs(folder)) {
      for (int i = 0; i < 20; i++) {
        MemorySegment piece = take(pool, 3 * PAGE - 5);
        while (pool.slabs() > 0 && attachNext(pool, attached, i)) {}
        piece.fill((byte) i);
        MemorySegment part = piece.asSlice(i, 100);
        MemorySegment there = attached.piece(pool.locate(part), 100);
        assertThat(there.mismatch(part)).isEqualTo(-1);
        assertThat(there.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) i);
        there.set(ValueLayout.JAVA_BYTE, 0, (byte) 99);
        assertThat(piece.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) 99);
      }
    }
  }

  private final List<Integer> announced = new ArrayList<>();

  private boolean attachNext(Pool pool, AttachedSlabs attached, int round) throws IOException {
    int next = announced.size();
    if (next == pool.slabs()) {
      return false;
    }
    attached.attach(next, pool.path(next), pool.bytes(next));
    announced.add(round);
    return true;
  }

  @Test
  void placesOutsideOfSlabsAreErrors() throws IOException {
    try (Pool pool = new Pool(folder, 10 * PAGE, 2 * PAGE)) {
      take(pool, 1);
      AttachedSlabs attached = new AttachedSlabs(folder);
      assertWrongPlace(attached, 0, 0);
      assertThatThrownBy(() -> attached.attach(1, pool.path(0), pool.bytes(0)))
          .hasMessageContaining("slab 1 follows 0 slabs");
      attached.attach(0, pool.path(0), pool.bytes(0));
      assertThat(attached.piece(2 * PAGE, 0).byteSize()).isZero();
      assertThat(attached.piece(0, 2 * PAGE).byteSize()).isEqualTo(2 * PAGE);
      assertWrongPlace(attached, 1, 2 * PAGE);
      assertWrongPlace(attached, 2 * PAGE + 1, 0);
      assertWrongPlace(attached, 0, -1);
      assertWrongPlace(attached, 1L << 32, 1);
      assertWrongPlace(attached, Pool.NOWHERE, 1);
      assertWrongPlace(attached, Long.MIN_VALUE, 1);
      attached.close();
      assertWrongPlace(attached, 0, 1);
    }
  }

  @Test
  void randomTakesAndGivesKeepToTheModel() throws IOException {
    for (long seed : Seeds.of(10)) {
      Random random = new Random(seed);
      long limit = (1 + random.nextInt(60)) * (long) PAGE;
      try (Pool pool = new Pool(folder, limit, (1 + random.nextInt(8)) * (long) PAGE)) {
        List<Held> held = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
          String place = Seeds.replay(seed) + " step " + step;
          if (random.nextInt(5) < 3) {
            long bytes = random.nextLong(random.nextBoolean() ? 3 * PAGE : limit + 2);
            checkTake(pool, limit, held, bytes, (byte) step, place);
          } else if (!held.isEmpty()) {
            Held last = held.remove(random.nextInt(held.size()));
            last.check(place);
            pool.give(last.piece);
          }
        }
        held.forEach(each -> each.check(Seeds.replay(seed)));
        held.forEach(each -> pool.give(each.piece));
        assertThat(pool.takenBytes()).isZero();
      }
    }
  }

  /** A taken piece, filled with one value. */
  private record Held(MemorySegment piece, byte value, int slab, int page) {

    int pages() {
      return (int) Math.max(1, Math.ceilDiv(piece.byteSize(), PAGE));
    }

    void check(String place) {
      for (long i = 0; i < piece.byteSize(); i += 97) {
        if (piece.get(ValueLayout.JAVA_BYTE, i) != value) {
          throw new AssertionError("byte " + i + " of " + piece + ", " + place);
        }
      }
    }
  }

  private static void checkTake(
      Pool pool, long limit, List<Held> held, long bytes, byte value, String place) {
    int wanted = (int) Math.max(1, Math.ceilDiv(bytes, PAGE));
    int slabsBefore = pool.slabs();
    int[] expected = firstFit(pool, held, wanted);
    long leftBefore = limit - pool.totalBytes();
    MemorySegment piece = pool.tryTake(bytes);
    assertThat(pool.totalBytes()).as(place).isLessThanOrEqualTo(limit);
    if (piece == null) {
      assertThat(expected).as(place).isNull();
      assertThat(leftBefore).as(place).isLessThan((long) wanted * PAGE);
      return;
    }
    assertThat(piece.byteSize()).as(place).isEqualTo(bytes);
    long where = pool.locate(piece);
    int[] found = {Pool.slab(where), (int) (Pool.offset(where) / PAGE)};
    assertThat(Pool.offset(where) % PAGE).as(place).isZero();
    assertThat(found).as(place).isEqualTo(expected == null ? new int[] {slabsBefore, 0} : expected);
    assertThat(pool.slabs()).as(place).isEqualTo(slabsBefore + (expected == null ? 1 : 0));
    piece.fill(value);
    held.add(new Held(piece, value, found[0], found[1]));
  }

  /** Slab and page of the first free stretch, page by page; null if there is none. */
  private static int @Nullable [] firstFit(Pool pool, List<Held> held, int wanted) {
    for (int slab = 0; slab < pool.slabs(); slab++) {
      boolean[] taken = new boolean[(int) (pool.bytes(slab) / PAGE)];
      for (Held each : held) {
        for (int i = 0; each.slab == slab && i < each.pages(); i++) {
          taken[each.page + i] = true;
        }
      }
      for (int page = 0; page + wanted <= taken.length; page++) {
        boolean free = true;
        for (int i = page; i < page + wanted; i++) {
          free &= !taken[i];
        }
        if (free) {
          return new int[] {slab, page};
        }
      }
    }
    return null;
  }

  private static MemorySegment take(Pool pool, long bytes) {
    MemorySegment piece = pool.tryTake(bytes);
    if (piece == null) {
      throw new AssertionError("no " + bytes + " bytes");
    }
    return piece;
  }

  private static void assertNotGiven(Pool pool, MemorySegment segment) {
    assertThatThrownBy(() -> pool.give(segment)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertWrongPlace(AttachedSlabs attached, long place, long bytes) {
    assertThatThrownBy(() -> attached.piece(place, bytes)).isInstanceOf(MillraceException.class);
  }
}
