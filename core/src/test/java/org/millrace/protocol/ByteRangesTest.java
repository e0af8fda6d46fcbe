package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.millrace.files.ByteLock;
import org.millrace.testing.Seeds;

/**
 * One owner's locked ranges against a table of bytes, of which the last stands for all that follow.
 */
final class ByteRangesTest {

  /** Bytes of the small world; the last one stands for all that follow. */
  private static final int BYTES = 4;

  private static final long OWNER = 7;

  private static List<ByteLock> all() {
    List<ByteLock> all = new ArrayList<>();
    for (int from = 0; from < BYTES; from++) {
      for (int to = from + 1; to <= BYTES; to++) {
        for (ByteLock.Kind kind : ByteLock.Kind.values()) {
          long length = to == BYTES ? ByteLock.TO_THE_END : to - from;
          all.add(new ByteLock(OWNER, from, length, kind));
        }
      }
    }
    return all;
  }

  private static ByteLock.Kind[] after(ByteLock.Kind[] before, ByteLock lock) {
    ByteLock.Kind[] bytes = before.clone();
    for (int i = (int) lock.from(); i < Math.min(bytes.length, ByteRanges.end(lock)); i++) {
      bytes[i] = lock.kind();
    }
    return bytes;
  }

  private static void compare(ByteRanges ranges, ByteLock.Kind[] bytes, List<ByteLock> asked) {
    ByteLock.Kind[] found = new ByteLock.Kind[bytes.length];
    Arrays.fill(found, ByteLock.Kind.NONE);
    int changes = 0;
    for (ByteLock lock : ranges.locks(OWNER)) {
      found = after(found, lock);
    }
    for (int i = 0; i < bytes.length; i++) {
      boolean begins = i == 0 || bytes[i] != bytes[i - 1];
      changes += begins && bytes[i] != ByteLock.Kind.NONE ? 1 : 0;
    }
    assertThat(found).isEqualTo(bytes);
    assertThat(ranges.size()).as("neighbours of one kind are one range").isEqualTo(changes);
    assertThat(ranges.isEmpty()).isEqualTo(changes == 0);
    assertThat(ranges.isExclusive())
        .isEqualTo(Arrays.asList(bytes).contains(ByteLock.Kind.EXCLUSIVE));
    for (ByteLock other : asked) {
      Optional<ByteLock> conflict = ranges.conflict(other, OWNER);
      int first = firstConflict(bytes, other);
      assertThat(conflict.isPresent()).as("%s beside %s", other, ranges).isEqualTo(first >= 0);
      conflict.ifPresent(
          lock -> {
            assertThat(lock.from()).isLessThanOrEqualTo(first);
            assertThat(ByteRanges.end(lock)).isGreaterThan(first);
            assertThat(lock.kind()).isEqualTo(bytes[first]);
          });
    }
  }

  private static int firstConflict(ByteLock.Kind[] bytes, ByteLock other) {
    for (int i = (int) other.from(); i < Math.min(bytes.length, ByteRanges.end(other)); i++) {
      boolean both = bytes[i] != ByteLock.Kind.NONE && other.kind() != ByteLock.Kind.NONE;
      boolean one = bytes[i] == ByteLock.Kind.EXCLUSIVE || other.kind() == ByteLock.Kind.EXCLUSIVE;
      if (both && one) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void everyLockInEveryStateOfASmallFileIsWhatATableOfBytesSays() {
    ByteLock.Kind[] empty = new ByteLock.Kind[BYTES];
    Arrays.fill(empty, ByteLock.Kind.NONE);
    Set<List<ByteLock.Kind>> seen = new HashSet<>(Set.of(List.of(empty)));
    Deque<List<ByteLock>> paths = new ArrayDeque<>(List.of(List.of()));
    while (!paths.isEmpty()) {
      List<ByteLock> path = paths.remove();
      for (ByteLock next : all()) {
        ByteRanges ranges = new ByteRanges();
        ByteLock.Kind[] bytes = empty;
        List<ByteLock> longer = new ArrayList<>(path);
        longer.add(next);
        for (ByteLock lock : longer) {
          ranges.set(lock);
          bytes = after(bytes, lock);
        }
        compare(ranges, bytes, all());
        if (seen.add(List.of(bytes))) {
          paths.add(longer);
        }
      }
    }
    assertThat(seen).as("every state was reached").hasSize((int) Math.pow(3, BYTES));
  }

  @Test
  void longRandomSequencesAreWhatATableOfBytesSays() {
    for (long seed : Seeds.of(30)) {
      Random random = new Random(seed);
      ByteLock.Kind[] bytes = new ByteLock.Kind[60];
      Arrays.fill(bytes, ByteLock.Kind.NONE);
      ByteRanges ranges = new ByteRanges();
      for (int i = 0; i < 300; i++) {
        ByteLock lock = random(random, bytes.length);
        ranges.set(lock);
        bytes = after(bytes, lock);
        try {
          compare(ranges, bytes, List.of(random(random, bytes.length)));
        } catch (AssertionError e) {
          throw new AssertionError(Seeds.replay(seed), e);
        }
      }
    }
  }

  private static ByteLock random(Random random, int bytes) {
    int from = random.nextInt(bytes);
    int to = from + 1 + random.nextInt(bytes - from);
    long length = to == bytes ? ByteLock.TO_THE_END : to - from;
    ByteLock.Kind kind = List.of(ByteLock.Kind.values()).get(random.nextInt(3));
    return new ByteLock(OWNER, from, length, kind);
  }

  @Test
  void aRangeThatWouldEndBehindAllBytesEndsWithThem() {
    ByteRanges ranges = new ByteRanges();
    ranges.set(new ByteLock(OWNER, 5, ByteLock.TO_THE_END, ByteLock.Kind.SHARED));
    ranges.set(new ByteLock(OWNER, 9, Long.MAX_VALUE - 1, ByteLock.Kind.EXCLUSIVE));
    assertThat(ranges.locks(OWNER))
        .containsExactly(
            new ByteLock(OWNER, 5, 4, ByteLock.Kind.SHARED),
            new ByteLock(OWNER, 9, ByteLock.TO_THE_END, ByteLock.Kind.EXCLUSIVE));
  }
}
