package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.View;
import org.millrace.access.group.Reach;
import org.millrace.error.ErrorCode;
import org.millrace.testing.Seeds;

final class BroughtTest {

  private static final Geometry SQUARE = new Geometry(Shape.of(Order.ROW_MAJOR, 3, 3), 8, 0);
  private static final Geometry OTHER = new Geometry(Shape.of(Order.ROW_MAJOR, 2, 3), 8, 0);

  private static CoordinatorRequest.Meet meet(int rank, Effect effect, Failure failure) {
    return new CoordinatorRequest.Meet(
        1, rank, 2, 6, "read", 4, "detail", 10L * rank, effect, failure, true);
  }

  private static CoordinatorRequest.Meet meet(int rank, Effect effect) {
    return meet(rank, effect, Failure.NONE);
  }

  /** Joins in two steps, cut at any place, as places in the tree do. */
  private static Optional<GatheredParts> joined(List<CoordinatorRequest.Meet> meets, int cut) {
    List<GatheredParts> one = meets.subList(0, cut).stream().map(GatheredParts::of).toList();
    List<GatheredParts> other =
        meets.subList(cut, meets.size()).stream().map(GatheredParts::of).toList();
    Optional<GatheredParts> first = GatheredParts.join(one);
    Optional<GatheredParts> second = GatheredParts.join(other);
    return first.isEmpty() || second.isEmpty()
        ? Optional.empty()
        : GatheredParts.join(List.of(first.get(), second.get()));
  }

  @Test
  void exchangesJoinedInAnyOrderOfPlacesAreWhatTheCoordinatorMakesOfThem() {
    for (long seed : Seeds.of(500)) {
      Random random = new Random(seed);
      int ranks = 2 + random.nextInt(5);
      List<CoordinatorRequest.Meet> meets = new ArrayList<>();
      List<Effect.Exchange> exchanges = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        Access access =
            random.nextInt(3) == 0
                ? Access.NOTHING
                : new Access(new View(64L * rank, Pattern.run(8), 8), 0, 8);
        Optional<Geometry> array =
            switch (random.nextInt(6)) {
              case 0 -> Optional.empty();
              case 1 -> Optional.of(OTHER);
              default -> Optional.of(SQUARE);
            };
        var one =
            new Effect.Exchange(
                access,
                random.nextInt(4) > 0,
                random.nextInt(4) == 0,
                random.nextBoolean()
                    ? Reach.KNOWN
                    : random.nextBoolean() ? Reach.MAPPED : Reach.MESSAGES,
                random.nextInt(9),
                array);
        exchanges.add(one);
        meets.add(meet(rank, one));
      }
      CoordinatorReply.Exchanged right = CoordinatorReply.Exchanged.of(exchanges);
      for (int cut = 1; cut < ranks; cut++) {
        GatheredParts all = joined(meets, cut).orElseThrow();
        assertThat(all.isSound()).isTrue();
        List<Effect.Exchange> told = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
          told.add((Effect.Exchange) all.of(rank, 1, 2, 6).effect());
        }
        assertThat(CoordinatorReply.Exchanged.of(told)).as(Seeds.replay(seed)).isEqualTo(right);
      }
    }
  }

  @Test
  void valuesStayEachRanksOwnAndFloorsAndLimitsAreTheLargest() {
    List<CoordinatorRequest.Meet> meets =
        List.of(
            meet(3, new Effect.Take(7, false, 5, 10)),
            meet(4, new Effect.Take(7, false, 9, 2)),
            meet(5, new Effect.Take(7, false, 1, 30)));
    GatheredParts all = joined(meets, 1).orElseThrow();
    assertThat(all.values()).containsExactly(30L, 40L, 50L);
    assertThat(all.effect()).isEqualTo(new Effect.Take(7, false, 9, 30));
    assertThat(all.first()).isEqualTo(3);
    assertThat(all.end()).isEqualTo(6);
  }

  @Test
  void theTroubleOfTheLowestRankCounts() {
    Failure full = new Failure(ErrorCode.DISK_FULL, "full");
    Failure wrong = new Failure(ErrorCode.INVALID, "wrong");
    Effect none = new Effect.None();
    List<CoordinatorRequest.Meet> meets =
        List.of(meet(0, none), meet(1, none, full), meet(2, none, wrong), meet(3, none));
    for (int cut = 1; cut < 4; cut++) {
      GatheredParts all = joined(meets, cut).orElseThrow();
      assertThat(all.failure()).isEqualTo(full);
      assertThat(all.failedRank()).isEqualTo(1);
      assertThat(all.of(1, 1, 2, 6).failure()).isEqualTo(full);
      assertThat(all.of(2, 1, 2, 6).failure()).isEqualTo(Failure.NONE);
    }
  }

  @Test
  void ranksThatDisagreeAreNotJoined() {
    Effect none = new Effect.None();
    var one = meet(0, none);
    List<CoordinatorRequest.Meet> others =
        List.of(
            new CoordinatorRequest.Meet(
                1, 1, 2, 6, "write", 4, "detail", 0, none, Failure.NONE, true),
            new CoordinatorRequest.Meet(
                1, 1, 2, 6, "read", 5, "detail", 0, none, Failure.NONE, true),
            new CoordinatorRequest.Meet(1, 1, 2, 6, "read", 4, "", 0, none, Failure.NONE, true),
            meet(1, new Effect.Set(1, 1)));
    for (CoordinatorRequest.Meet other : others) {
      assertThat(joined(List.of(one, other), 1)).isEmpty();
    }
    assertThat(joined(List.of(one, meet(1, none)), 1)).isPresent();
  }
}
