package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Rounds of disk-directed calls, against each byte of small worlds. */
class DirectRoundsTest {

  @Test
  void roundsTogetherAreTheWholeInOrderForAllPairsOfSmallAccesses() {
    List<Access> all = SmallAccesses.all();
    for (Access first : all) {
      for (Access second : all) {
        for (long maxBytes : new long[] {2, 5}) {
          check(SmallAccesses.request(true, first, second, Access.NOTHING), maxBytes);
        }
      }
    }
  }

  @Test
  void roundsTogetherAreTheWholeInOrderForRandomAccesses() {
    for (long seed : Seeds.of(300)) {
      Random random = new Random(seed);
      List<Access> accesses = new ArrayList<>();
      accesses.addAll(SmallAccesses.any(random));
      accesses.addAll(SmallAccesses.distributed(random));
      Collections.shuffle(accesses, random);
      Request request = SmallAccesses.request(random.nextBoolean(), accesses);
      try {
        check(request, 1 + random.nextInt(20));
      } catch (AssertionError e) {
        throw new AssertionError(Seeds.replay(seed), e);
      }
    }
  }

  @Test
  void noAccessAtAllIsOneEmptyRound() {
    Request request = SmallAccesses.request(false, Access.NOTHING, Access.NOTHING);
    assertThat(rounds(request, false, 4)).containsExactly(List.of(Access.NOTHING, Access.NOTHING));
  }

  @Test
  void manyRanksAndStrandsOfOneNodeMakeSmallRounds() {
    for (int ranks : new int[] {1, 3, 16, 500}) {
      for (int strands : new int[] {1, 4}) {
        Access big = new Access(View.WHOLE, 0, 64 << 20);
        Layout layout = new Layout(64 << 10, Collections.nCopies(strands, 0));
        Request request = new Request(true, layout, Collections.nCopies(ranks, big));
        for (Access one : DirectRounds.of(request, true, false).next()) {
          assertThat(one.size() * ranks * strands).isBetween(1L, 8L << 20);
        }
      }
    }
  }

  @Test
  void roundsOfAHugeRequestAreMadeOneAtATime() {
    View sparse = new View(0, Pattern.run(1), 2);
    Access huge = new Access(sparse, 0, Long.MAX_VALUE / 4);
    DirectRounds rounds = DirectRounds.of(SmallAccesses.request(true, huge, huge), true, false);
    assertThat(rounds.next().getFirst().from()).isZero();
    assertThat(rounds.hasNext()).isTrue();
  }

  @Test
  void onlyWritesThatMayMeetAndDoNotAscendMustWaitForTheRoundBefore() {
    View ascending = View.from(3);
    View turning = new View(0, Pattern.indexed(new long[] {4, 0}, new long[] {2, 2}), 8);
    View twice = new View(0, Pattern.run(4), 2);
    assertThat(isOrdered(true, true, ascending)).isFalse();
    assertThat(isOrdered(true, true, turning)).isTrue();
    assertThat(isOrdered(true, false, turning)).isFalse();
    assertThat(isOrdered(true, false, twice)).isTrue();
    assertThat(isOrdered(false, false, twice)).isFalse();
  }

  private static boolean isOrdered(boolean write, boolean overlapping, View view) {
    Access access = new Access(view, 0, 40);
    return DirectRounds.of(SmallAccesses.request(write, access, access), overlapping, false, 8)
        .isOrdered();
  }

  private static List<List<Access>> rounds(Request request, boolean overlapping, long maxBytes) {
    List<List<Access>> all = new ArrayList<>();
    DirectRounds.of(request, overlapping, false, maxBytes).forEachRemaining(all::add);
    return all;
  }

  /** Each rank one part of the file after the other. */
  private static Request columns(boolean write) {
    List<Access> parts = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      parts.add(new Access(View.WHOLE, 1000L * rank, 1000L * (rank + 1)));
    }
    return SmallAccesses.request(write, parts);
  }

  @Test
  void allRanksHaveSomethingToDoInEveryRoundIfEachWantsAnotherPartOfTheFile() {
    for (boolean write : new boolean[] {false, true}) {
      List<List<Access>> rounds = rounds(columns(write), false, 100);
      assertThat(rounds).hasSize(10);
      for (List<Access> round : rounds) {
        assertThat(round).noneMatch(Access::isEmpty);
      }
    }
  }

  @Test
  void roundsThatMustBeRangesOfTheFileLeaveRanksIdleThere() {
    DirectRounds rounds = DirectRounds.of(columns(false), false, true, 100);
    assertThat(rounds.next()).anyMatch(Access::isEmpty);
    assertThat(rounds(columns(true), true, 100).getFirst()).anyMatch(Access::isEmpty);
  }

  @Test
  void nodesGoThroughTheFileOnceWhereRanksWantSomethingOfEveryRange() {
    List<Access> parts = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      parts.add(new Access(new View(2L * rank, Pattern.run(2), 8), 0, 1000));
    }
    long end = 0;
    for (List<Access> round : rounds(SmallAccesses.request(false, parts), false, 100)) {
      assertThat(round).noneMatch(Access::isEmpty);
      long from = round.stream().mapToLong(part -> part.span().offset()).min().orElseThrow();
      assertThat(from).isGreaterThanOrEqualTo(end);
      end = round.stream().mapToLong(part -> part.span().end()).max().orElseThrow();
    }
  }

  private static void check(Request request, long maxBytes) {
    boolean overlapping = request.write() && Overlaps.between(request.accesses());
    List<List<Access>> rounds = rounds(request, overlapping, maxBytes);
    assertThat(rounds).isNotEmpty().isEqualTo(rounds(request, overlapping, maxBytes));
    long[] at = request.accesses().stream().mapToLong(Access::from).toArray();
    for (List<Access> round : rounds) {
      assertThat(round).hasSize(request.ranks());
      for (int rank = 0; rank < request.ranks(); rank++) {
        Access part = round.get(rank);
        if (part.isEmpty()) {
          continue;
        }
        assertThat(part.size()).isLessThanOrEqualTo(maxBytes);
        assertThat(part.view()).isEqualTo(request.accesses().get(rank).view());
        assertThat(part.from()).isEqualTo(at[rank]);
        at[rank] = part.to();
      }
    }
    assertThat(at).isEqualTo(request.accesses().stream().mapToLong(Access::to).toArray());
    if (overlapping) {
      checkLastWriter(request, rounds);
    }
  }

  /** Carries out round after round, rank after rank: each byte ends as the highest rank has it. */
  private static void checkLastWriter(Request request, List<List<Access>> rounds) {
    int[] written = new int[(int) end(request)];
    for (List<Access> round : rounds) {
      for (int rank = 0; rank < request.ranks(); rank++) {
        for (long offset : SmallAccesses.offsets(round.get(rank))) {
          written[(int) offset] = rank + 1;
        }
      }
    }
    int[] expected = new int[written.length];
    for (int rank = 0; rank < request.ranks(); rank++) {
      for (long offset : SmallAccesses.offsets(request.accesses().get(rank))) {
        expected[(int) offset] = rank + 1;
      }
    }
    assertThat(written).isEqualTo(expected);
  }

  private static long end(Request request) {
    return request.accesses().stream()
            .flatMapToLong(one -> LongStream.of(SmallAccesses.offsets(one)))
            .max()
            .orElse(0)
        + 1;
  }
}
