package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.access.group.Reach;
import org.millrace.layout.Layout;
import org.millrace.plan.Domains;
import org.millrace.plan.Estimate;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.StrategyChoice;

/** What is planned for requests of the usual kinds, and what planning costs. */
class PlannerTest {

  private static final Shape ARRAY = Shape.columnMajor(4096, 4096);
  private static final Layout LAYOUT = Layout.striped(1 << 20, 4);

  private static Request distributed(boolean write, Spread rows, Spread columns, Grid grid) {
    Distribution all = Distribution.of(ARRAY, grid, rows, columns);
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < grid.ranks(); rank++) {
      Pattern part = all.part(rank, 8);
      accesses.add(new Access(new View(0, part, ARRAY.bytes(8)), 0, part.size()));
    }
    return new Request(write, LAYOUT, accesses);
  }

  private static Request common(String section) {
    Pattern part = Section.parse(section).in(ARRAY, 8);
    Access one = new Access(new View(0, part, ARRAY.bytes(8)), 0, part.size());
    return new Request(false, LAYOUT, java.util.Collections.nCopies(16, one));
  }

  private static Planned plan(Request request, Hints hints) {
    return Planner.plan(request, hints, Costs.DEFAULT, true);
  }

  @Test
  void scatteredRequestsAreServedTogether() {
    Request rows = distributed(false, Spread.cyclic(), Spread.none(), Grid.of(16, 1));
    assertThat(plan(rows, Hints.DEFAULT).plan().strategy())
        .as("short runs of all ranks side by side go through buffers")
        .isIn(Strategy.TWO_PHASE, Strategy.EXTENDED_TWO_PHASE);
    assertThat(plan(common("0:15,0:4095"), Hints.DEFAULT).plan().strategy())
        .as("what all ranks want is read once")
        .isIn(Strategy.EXTENDED_TWO_PHASE, Strategy.DISK_DIRECTED);
  }

  /** Sections of four ranks, each so many columns and rows behind the one before. */
  private static Request moved(boolean write, int side, int stride, int by) {
    return moved(write, side, stride, by, by);
  }

  private static Request moved(boolean write, int side, int stride, int byRows, int byColumns) {
    Geometry array = new Geometry(ARRAY, 8, 0);
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      long row = (long) rank * byRows;
      long column = (long) rank * byColumns;
      Range rows = new Range(row, row + side - 1, stride);
      Range columns = new Range(column, column + side - 1, stride);
      accesses.add(array.whole(new Section(List.of(rows, columns))));
    }
    return new Request(write, LAYOUT, accesses, Optional.of(array));
  }

  @Test
  void elementsOfOneLineAreNotPricedAsMisses() {
    Planned strided = plan(moved(true, 999, 2, 50), Hints.DEFAULT);
    assertThat(strided.choice().of(Strategy.EXTENDED_TWO_PHASE).nanos())
        .as("a list of every second element goes through its columns in order")
        .isLessThan(strided.choice().of(Strategy.SIEVED).nanos());
  }

  @Test
  void ranksThatTakeTurnsHaveTheWayToMemoryForThemselves() {
    double together = sieved(moved(false, 1000, 1, 100)).nanos();
    double inTurns = sieved(moved(true, 1000, 1, 100)).nanos();
    assertThat(inTurns).isGreaterThan(together).isLessThan(1.6 * together);
  }

  private static Estimate sieved(Request request) {
    return plan(request, Hints.DEFAULT).choice().of(Strategy.SIEVED);
  }

  @Test
  void smallSectionsAreNotExchanged() {
    assertThat(plan(moved(false, 100, 1, 10), Hints.DEFAULT).plan().strategy())
        .as("setting an exchange up costs more than the copies it saves")
        .isIn(Strategy.DIRECT, Strategy.SIEVED);
  }

  @Test
  void whatFitsIntoTheProcessorsCacheIsCopiedByTheRanksThemselves() {
    assertThat(numbersInTurns(1280 * 1024).plan().strategy()).isEqualTo(Strategy.SIEVED);
    assertThat(numbersInTurns(16 * 1280 * 1024).plan().strategy())
        .as("the same pieces of a larger array")
        .isIn(Strategy.TWO_PHASE, Strategy.EXTENDED_TWO_PHASE);
  }

  /** A matrix whose numbers are dealt out to four ranks in turns. */
  private static Planned numbersInTurns(long numbers) {
    Shape shape = Shape.rowMajor(numbers / 1024, 1024);
    Distribution all = Distribution.of(shape, Grid.of(1, 4), Spread.none(), Spread.cyclic());
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      Pattern part = all.part(rank, 8);
      accesses.add(new Access(new View(0, part, shape.bytes(8)), 0, part.size()));
    }
    return plan(new Request(false, Layout.striped(1 << 16, 4), accesses), Hints.DEFAULT);
  }

  @Test
  void oneContiguousPieceForEachRankIsNotExchanged() {
    Request columns = distributed(false, Spread.none(), Spread.block(), Grid.of(1, 16));
    Planned planned = plan(columns, Hints.DEFAULT);
    assertThat(planned.plan().strategy())
        .isIn(Strategy.DIRECT, Strategy.SIEVED, Strategy.DISK_DIRECTED);
    assertThat(planned.choice().of(Strategy.SIEVED).nanos())
        .isLessThan(planned.choice().of(Strategy.EXTENDED_TWO_PHASE).nanos());
  }

  /** Parts of the array for four ranks of a host: whole columns, long and short pieces, numbers. */
  private static List<Request> parts(boolean write) {
    Grid four = Grid.of(4, 1);
    return List.of(
        distributed(write, Spread.none(), Spread.block(), Grid.of(1, 4)),
        distributed(write, Spread.block(), Spread.none(), four),
        distributed(write, Spread.blockCyclic(16), Spread.none(), four),
        distributed(write, Spread.cyclic(), Spread.none(), four));
  }

  @Test
  void ranksThatMapTheMemoryOfNodesCopyTheirOwnBytes() {
    Costs apart = Costs.DEFAULT.acrossProcesses();
    for (boolean write : new boolean[] {false, true}) {
      for (Request request : parts(write)) {
        Planned planned = Planner.plan(request, Hints.DEFAULT, apart.withReach(Reach.MAPPED), true);
        assertThat(planned.plan().strategy()).isEqualTo(Strategy.SIEVED);
      }
    }
    assertThat(plan(parts(false).getLast(), Hints.DEFAULT).plan().strategy())
        .as("in one JVM single numbers go through buffers")
        .isIn(Strategy.TWO_PHASE, Strategy.EXTENDED_TWO_PHASE);
  }

  @Test
  void smallSectionsAreExchangedUntilAllRanksHaveMovedThemBefore() {
    Costs apart = Costs.DEFAULT.acrossProcesses();
    for (boolean write : new boolean[] {false, true}) {
      Request small = moved(write, 100, 1, 0, 10);
      Planned first = Planner.plan(small, Hints.DEFAULT, apart.withReach(Reach.MAPPED), true);
      Planned again = Planner.plan(small, Hints.DEFAULT, apart.withReach(Reach.KNOWN), true);
      assertThat(first.plan().strategy()).isIn(Strategy.TWO_PHASE, Strategy.EXTENDED_TWO_PHASE);
      assertThat(again.plan().strategy()).isEqualTo(Strategy.SIEVED);
      for (Strategy other : Strategy.values()) {
        if (other != Strategy.SIEVED && other != Strategy.AUTO) {
          assertThat(again.choice().of(other)).isEqualTo(first.choice().of(other));
        }
      }
    }
  }

  @Test
  void diskDirectedCallsBetweenProcessesPayForEachRound() {
    Request columns = parts(false).getFirst();
    Costs apart = Costs.DEFAULT.acrossProcesses();
    long rounds = (32L << 20) / DirectRounds.maxBytes(4, LAYOUT);
    assertThat(rounds).isGreaterThan(1);
    StrategyChoice across = Planner.plan(columns, Hints.DEFAULT, apart, true).choice();
    assertThat(across.of(Strategy.DISK_DIRECTED).messages()).isEqualTo(rounds * 4 * 4);
    StrategyChoice within = plan(columns, Hints.DEFAULT).choice();
    assertThat(within.of(Strategy.DISK_DIRECTED).messages()).isEqualTo(4 * 4);
  }

  @Test
  void whatIsDecidedIsWhatIsPlannedAndNamedStrategiesAreNotEstimated() {
    Request rows = distributed(true, Spread.cyclic(), Spread.none(), Grid.of(16, 1));
    for (Strategy strategy : Strategy.values()) {
      Hints hints = Hints.DEFAULT.withStrategy(strategy);
      Planned decided = Planner.decide(rows, hints, Costs.DEFAULT, true);
      assertThat(decided.plan()).isEqualTo(plan(rows, hints).plan());
      assertThat(decided.overlapping()).isEqualTo(plan(rows, hints).overlapping());
      assertThat(decided.all()).hasSize(strategy == Strategy.AUTO ? 5 : 0);
      assertThat(decided.steps()).isBetween(16L, plan(rows, hints).steps());
    }
  }

  @Test
  void namedStrategyIsTakenUnlessMemoryIsOutOfReach() {
    Request rows = distributed(true, Spread.block(), Spread.none(), Grid.of(16, 1));
    for (Strategy strategy : Strategy.values()) {
      if (strategy != Strategy.AUTO) {
        Hints hints = Hints.DEFAULT.withStrategy(strategy);
        assertThat(plan(rows, hints).plan().strategy()).isEqualTo(strategy);
        assertThat(Planner.plan(rows, hints, Costs.DEFAULT, false).plan().strategy())
            .isEqualTo(strategy == Strategy.DIRECT ? Strategy.DIRECT : Strategy.SIEVED);
      }
    }
    Planned confined = Planner.plan(rows, Hints.DEFAULT, Costs.DEFAULT, false);
    assertThat(confined.all())
        .extracting(Estimate::strategy)
        .containsExactly(Strategy.DIRECT, Strategy.SIEVED);
  }

  @Test
  void onlyOverlappingWritesOfManyRunsTakeTurns() {
    Request rows = distributed(true, Spread.block(), Spread.none(), Grid.of(16, 1));
    Hints sieved = Hints.DEFAULT.withStrategy(Strategy.SIEVED);
    assertThat(((Plan.Sieved) plan(rows, sieved).plan()).order().inTurns()).isFalse();
    Request same = new Request(true, LAYOUT, common("0:99,0:199").accesses());
    assertThat(((Plan.Sieved) plan(same, sieved).plan()).order().inTurns()).isTrue();
    Request small = new Request(true, LAYOUT, common("0:99,0:99").accesses());
    WriteOrder order = ((Plan.Sieved) plan(small, sieved).plan()).order();
    assertThat(order.inTurns()).isFalse();
    assertThat(order.stretches(0, small.accesses().getFirst())).as("others write it").isEmpty();
    assertThat(plan(same, sieved).overlapping()).isTrue();
    assertThat(plan(common("0:99,0:99"), sieved).overlapping()).isFalse();
  }

  @Test
  void diskDirectedPlansNameTheStrandsThatHoldSomething() {
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.DISK_DIRECTED);
    Access one = new Access(View.from((1 << 20) + 5), 0, 10);
    Request request = new Request(false, LAYOUT, List.of(Access.NOTHING, one));
    assertThat(((Plan.DiskDirected) plan(request, hints).plan()).strands()).containsExactly(1);
    Request nothing = new Request(false, LAYOUT, List.of(Access.NOTHING));
    assertThat(((Plan.DiskDirected) plan(nothing, hints).plan()).strands()).isEmpty();
  }

  @Test
  void commonSectionsAreReadOnceByTheExchangeStrategiesAndOftenByTheOthers() {
    Planned planned = plan(common("0:15,0:4095"), Hints.DEFAULT);
    assertThat(planned.choice().of(Strategy.DIRECT).transfers())
        .isBetween(16L * 4096, 16L * 4096 + 100);
    assertThat(planned.choice().of(Strategy.DIRECT).transferBytes()).isBetween(127L, 128L);
    long span = 4095L * 4096 * 8 + 128;
    assertThat(planned.choice().of(Strategy.TWO_PHASE).unwantedBytes())
        .isEqualTo(span - 4096 * 128);
    assertThat(planned.choice().of(Strategy.TWO_PHASE).transfers())
        .isEqualTo(Math.ceilDiv(span, 1 << 20));
  }

  @Test
  void domainsAreEqualPartsInWholeUnits() {
    Request rows = distributed(false, Spread.block(), Spread.none(), Grid.of(16, 1));
    Domains domains = Planner.conforming(rows, Hints.DEFAULT);
    assertThat(domains).isEqualTo(new Domains(0, 128 << 20, 1 << 20, 0, 16, 16));
    assertThat(Planner.domains(rows, Hints.DEFAULT))
        .as("of views two for each node")
        .isEqualTo(new Domains(0, 128 << 20, 1 << 20, 0, 8, 16));
    Hints cyclic = hints(3, 1 << 16);
    assertThat(Planner.domains(rows, cyclic))
        .isEqualTo(new Domains(0, 128 << 20, 1 << 16, 1, 3, 16));
    assertThat(Planner.aggregators(rows, hints(100, 0))).isEqualTo(16);
  }

  @Test
  void domainsOfAllSmallSpansCoverThemInOrderAndAreBalanced() {
    for (long unit : new long[] {1, 5, 4096, 1 << 16, 1 << 20}) {
      for (long offset : new long[] {0, 1, 4095, 65536, 1_000_003}) {
        for (long length : new long[] {0, 1, 7, 4096, 100_000, 1 << 20, 99_999_999}) {
          for (int ranks = 1; ranks <= 9; ranks++) {
            checkDomains(unit, new Extent(offset, length), ranks);
          }
        }
      }
    }
  }

  private static void checkDomains(long unit, Extent span, int ranks) {
    List<Access> accesses = new ArrayList<>(java.util.Collections.nCopies(ranks, Access.NOTHING));
    accesses.set(ranks / 2, new Access(View.from(span.offset()), 0, span.length()));
    Request request = new Request(false, Layout.striped(unit, 3), accesses);
    for (Hints hints : List.of(Hints.DEFAULT, hints(ranks, 0), hints(2, 1000))) {
      Domains domains = Planner.domains(request, hints);
      assertThat(domains.end()).isEqualTo(request.span().end());
      assertThat(domains.start()).isLessThanOrEqualTo(request.span().offset());
      if (hints.domainBlockBytes() == 0) {
        assertThat(domains.blocks()).isLessThanOrEqualTo(domains.aggregators());
        long even = Math.max(1, Math.ceilDiv(span.length(), domains.aggregators()));
        assertThat(domains.maxBlockBytes()).isBetween(even / 2, even + even / 4);
      }
    }
  }

  private static Hints hints(int aggregators, long block) {
    return new Hints(
        Strategy.AUTO, Strategy.AUTO, aggregators, 2 << 20, 4 << 20, 4 << 20, block, 2);
  }

  @Test
  void planOfBillionRunsIsAsSmallAndQuickAsOfTen() {
    for (long count : new long[] {10, 1_000_000_000}) {
      List<Access> accesses = new ArrayList<>();
      for (int rank = 0; rank < 16; rank++) {
        Pattern part = Pattern.loop(count, 128, Pattern.run(8)).shifted(rank * 8L);
        accesses.add(new Access(new View(0, part, count * 128), 0, part.size()));
      }
      for (boolean write : new boolean[] {false, true}) {
        Planned planned = plan(new Request(write, LAYOUT, accesses), Hints.DEFAULT);
        assertThat(planned.overlapping()).isFalse();
        assertThat(planned.choice().of(Strategy.DIRECT).transfers())
            .isGreaterThanOrEqualTo(16 * count);
      }
    }
  }

  @Test
  void largestPossibleRequestsAreEstimatedWithoutOverflow() {
    Access all = new Access(View.WHOLE, 0, Long.MAX_VALUE);
    Planned planned = plan(new Request(false, LAYOUT, List.of(all, Access.NOTHING)), Hints.DEFAULT);
    for (Estimate one : planned.all()) {
      assertThat(one.nanos()).isPositive();
      assertThat(one.transfers()).isPositive();
      assertThat(one.transferBytes()).isPositive();
      assertThat(one.unwantedBytes()).isNotNegative();
      assertThat(one.messages()).isPositive();
    }
  }
}
