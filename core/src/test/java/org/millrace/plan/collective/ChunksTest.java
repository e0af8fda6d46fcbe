package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.plan.Domains;
import org.millrace.testing.Seeds;

/** Chunks of byte domains against what each byte says. */
class ChunksTest {

  @Test
  void chunksOfAllPairsOfSmallAccessesHoldWhatIsWantedAndNoLongGap() {
    List<Access> all = ascending(SmallAccesses.all());
    for (Access a : all) {
      for (Access b : all) {
        Request request = SmallAccesses.request(true, a, b);
        check(request, domains(request, 2, 0, 1), 5, new Gaps(2, 0));
        check(request, domains(request, 2, 1, 3), 2, new Gaps(0, 0));
      }
    }
  }

  @Test
  void chunksOfRandomGroupsHoldWhatIsWantedAndNoLongGap() {
    for (long seed : Seeds.of(3)) {
      Random random = new Random(seed);
      for (int i = 0; i < 1500; i++) {
        List<Access> accesses =
            ascending(
                random.nextBoolean()
                    ? SmallAccesses.any(random)
                    : SmallAccesses.distributed(random));
        Request request = SmallAccesses.request(random.nextBoolean(), accesses);
        int aggregators = 1 + random.nextInt(request.ranks());
        Domains domains = domains(request, aggregators, random.nextInt(3), 1 + random.nextInt(20));
        Gaps gaps = random.nextInt(4) == 0 ? Gaps.ALL : new Gaps(random.nextInt(8), 0);
        try {
          check(request, domains, 1 + random.nextInt(30), gaps);
        } catch (AssertionError e) {
          throw new AssertionError(
              request + " " + domains + " " + gaps + "; " + Seeds.replay(seed), e);
        }
      }
    }
  }

  private static List<Access> ascending(List<Access> accesses) {
    List<Access> kept =
        new ArrayList<>(accesses.stream().filter(one -> one.view().isAscending()).toList());
    return kept.isEmpty() ? List.of(Access.NOTHING) : kept;
  }

  private static Domains domains(Request request, int aggregators, long blockUnits, long unit) {
    Extent span = request.span();
    long start = Math.max(0, span.offset() - 1);
    return new Domains(
        start, Math.max(start, span.end()), unit, blockUnits, aggregators, request.ranks());
  }

  private static void check(Request request, Domains domains, long chunkBytes, Gaps gaps) {
    var extended =
        new Plan.ExtendedTwoPhase(request, domains, Optional.empty(), chunkBytes, 2, gaps);
    checkChunks(extended, false);
    checkChunks(new Plan.TwoPhase(request, domains, chunkBytes, 2), true);
  }

  private static void checkChunks(Plan.Exchanging plan, boolean whole) {
    Request request = plan.request();
    SortedMap<Long, int[]> wanted = SmallAccesses.wanted(request);
    boolean overlapping = Overlaps.between(request.accesses());
    SortedMap<Long, Integer> moved = new TreeMap<>();
    for (int aggregator = 0; aggregator < plan.domains().aggregators(); aggregator++) {
      Chunks chunks = Chunks.of(plan, aggregator, overlapping);
      long before = 0;
      while (chunks.next()) {
        Chunk chunk = chunks.chunk();
        Extent extent = chunk.access().span();
        assertThat(chunk.bytes()).isBetween(1L, plan.chunkBytes());
        assertThat(extent.offset()).isGreaterThanOrEqualTo(before);
        before = extent.end();
        assertThat(plan.domains().blockOf(extent.offset()))
            .isEqualTo(plan.domains().blockOf(extent.end() - 1));
        assertThat(plan.domains().blockOf(extent.offset()) % plan.domains().aggregators())
            .isEqualTo(aggregator);
        if (!whole) {
          assertThat(wanted).containsKeys(extent.offset(), extent.end() - 1);
          assertThat(longestGap(wanted, chunk)).isLessThanOrEqualTo(plan.gaps().listBytes());
          if (plan.gaps().listBytes() < Long.MAX_VALUE) {
            assertThat(shortestLeftOut(chunk)).isGreaterThan(plan.gaps().listBytes());
          }
        }
        for (long position = 0; position < chunk.bytes(); position++) {
          moved.merge(offset(chunk, position), 1, Integer::sum);
        }
        checkPieces(request, chunk, wanted);
      }
    }
    assertThat(moved.values()).allMatch(times -> times == 1);
    assertThat(moved.keySet()).containsAll(wanted.keySet());
    if (whole) {
      assertThat((long) moved.size()).isEqualTo(request.span().length());
    }
  }

  private static long offset(Chunk chunk, long position) {
    return chunk.access().view().offsetOf(chunk.access().from() + position);
  }

  /** The longest stretch of unwanted bytes of the file that the chunk transfers. */
  private static long longestGap(SortedMap<Long, int[]> wanted, Chunk chunk) {
    long longest = 0;
    long gap = 0;
    for (long position = 0; position < chunk.bytes(); position++) {
      gap = wanted.containsKey(offset(chunk, position)) ? 0 : gap + 1;
      longest = Math.max(longest, gap);
    }
    return longest;
  }

  /** The shortest stretch of unwanted bytes of the file that the chunk leaves out. */
  private static long shortestLeftOut(Chunk chunk) {
    long shortest = Long.MAX_VALUE;
    for (long position = 1; position < chunk.bytes(); position++) {
      long left = offset(chunk, position) - offset(chunk, position - 1) - 1;
      shortest = left == 0 ? shortest : Math.min(shortest, left);
    }
    return shortest;
  }

  /** Every byte of a piece lies in the buffer where the file's byte lies. */
  static void checkPieces(Request request, Chunk chunk, SortedMap<Long, int[]> wanted) {
    long[] found = new long[request.ranks()];
    TreeSet<Long> given = new TreeSet<>();
    boolean twice = false;
    View all = chunk.access().view();
    for (Piece piece : chunk.pieces()) {
      found[piece.rank()] += piece.bytes();
      View view = request.accesses().get(piece.rank()).view();
      for (long i = 0; i < piece.bytes(); i++) {
        long place = piece.places().pattern().offsetOf(piece.places().from() + i);
        assertThat(place).isBetween(0L, chunk.bytes() - 1);
        long offset = view.offsetOf(piece.from() + i);
        assertThat(all.offsetOf(chunk.access().from() + place)).isEqualTo(offset);
        twice |= !given.add(offset);
      }
    }
    long[] bytes = new long[request.ranks()];
    for (long position = chunk.access().from(); position < chunk.access().to(); position++) {
      int[] counts = wanted.getOrDefault(all.offsetOf(position), new int[request.ranks()]);
      for (int rank = 0; rank < counts.length; rank++) {
        bytes[rank] += counts[rank];
      }
    }
    assertThat(found).isEqualTo(bytes);
    assertThat(!chunk.isCovered() || given.size() == chunk.bytes()).as("covered").isTrue();
    assertThat(!chunk.isDisjoint() || !twice).as("disjoint").isTrue();
    if (given.size() == chunk.bytes() && chunk.isDisjoint()) {
      assertThat(chunk.isCovered()).isTrue();
    }
    assertThat(Arrays.stream(found).filter(one -> one > 0).count())
        .isEqualTo(chunk.pieces().size());
  }

  @Test
  void emptyStretchesAreJumpedOverHoweverManyBlocksTheyHave() {
    // Two bytes a petabyte apart, domains of one byte in turn.
    Access apart =
        new Access(new View(0, Pattern.loop(2, 1L << 50, Pattern.run(1)), 1L << 51), 0, 2);
    Request request = SmallAccesses.request(false, apart, Access.NOTHING);
    Domains domains = new Domains(0, (1L << 50) + 1, 1, 1, 2, 2);
    Plan.Exchanging plan =
        new Plan.ExtendedTwoPhase(request, domains, Optional.empty(), 1, 2, Gaps.ALL);
    Chunks chunks = Chunks.of(plan, 0, false);
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.chunk().access().span()).isEqualTo(new Extent(1L << 50, 1));
    assertThat(chunks.next()).isFalse();
    assertThat(Chunks.of(plan, 1, false).next()).isFalse();
  }

  /** Rows of a matrix in tiles: every row of the domain has a piece of every rank. */
  private static Chunks chunksOfRows(int ranks, int pieceBytes, int chunkBytes, int depth) {
    int row = ranks * pieceBytes;
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      Pattern part = Pattern.loop(16, row, Pattern.run(pieceBytes));
      accesses.add(new Access(new View((long) rank * pieceBytes, part, 16L * row), 0, part.size()));
    }
    Request request = SmallAccesses.request(false, accesses);
    Domains domains = new Domains(0, 16L * row, row, 0, 1, ranks);
    return Chunks.of(new Plan.TwoPhase(request, domains, chunkBytes, depth), 0, false);
  }

  @Test
  void chunksWhosePiecesWouldBeShortAndManyAreLargerAndFewerInTheSameMemory() {
    Chunks larger = chunksOfRows(64, 2 << 10, 128 << 10, 4);
    assertThat(larger.chunkBytes()).isEqualTo(256 << 10);
    assertThat(larger.depth()).isEqualTo(2);
    assertThat(larger.next()).isTrue();
    assertThat(larger.chunk().pieces())
        .hasSize(64)
        .allMatch(piece -> piece.bytes() == 2 * (2 << 10));

    Chunks largest = chunksOfRows(64, 512, 32 << 10, 4);
    assertThat(largest.chunkBytes()).isEqualTo(128 << 10); // no more than the buffers together
    assertThat(largest.depth()).isEqualTo(1);
  }

  @Test
  void chunksOfFewOrLongPiecesAreAsPlanned() {
    assertThat(chunksOfRows(64, 4 << 10, 256 << 10, 4).depth()).isEqualTo(4); // long
    assertThat(chunksOfRows(16, 2 << 10, 32 << 10, 4).depth()).isEqualTo(4); // few
    // half a row: the next chunk has pieces of other ranks, so nobody would get fewer messages
    assertThat(chunksOfRows(128, 2 << 10, 64 << 10, 4).depth()).isEqualTo(4);
  }

  /** A domain of rows of two units, each of which half of the ranks want. */
  private static Plan.TwoPhase rowsOfTwoUnits(boolean write, int gap) {
    int ranks = 64;
    int row = ranks * 32;
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      Pattern part = Pattern.loop(4, row, Pattern.run(32 - gap));
      accesses.add(new Access(new View(32L * rank, part, 4L * row), 0, part.size()));
    }
    Request request = new Request(write, Layout.striped(row / 2, 8), accesses);
    return new Plan.TwoPhase(request, new Domains(0, 4L * row, row, 0, 1, ranks), 2L * row / 2, 4);
  }

  @Test
  void unitsThatTheSameRanksWantMakeAChunkSoThatPiecesAreFewerAndLonger() {
    Chunks chunks = Chunks.of(rowsOfTwoUnits(true, 0), 0, false);
    assertThat(chunks.depth()).isEqualTo(4);
    List<Long> units = new ArrayList<>();
    while (chunks.next()) {
      Chunk chunk = chunks.chunk();
      for (long at = 0; at < chunk.bytes(); at += 1024) {
        units.add(offset(chunk, at) / 1024);
      }
      assertThat(chunk.bytes()).isEqualTo(2 * 1024);
      assertThat(chunk.isCovered()).isTrue();
      assertThat(chunk.pieces()).hasSize(32).allMatch(piece -> piece.bytes() == 2 * 32);
    }
    assertThat(units).containsExactly(0L, 2L, 4L, 6L, 1L, 3L, 5L, 7L);
  }

  @Test
  void piecesOfSharedUnitsAreWhereTheFileHasThem() {
    for (int gap : new int[] {0, 5}) {
      for (boolean write : new boolean[] {false, true}) {
        Plan.TwoPhase plan = rowsOfTwoUnits(write, gap);
        SortedMap<Long, int[]> wanted = SmallAccesses.wanted(plan.request());
        SortedMap<Long, Integer> moved = new TreeMap<>();
        Chunks chunks = Chunks.of(plan, 0, false);
        while (chunks.next()) {
          checkPieces(plan.request(), chunks.chunk(), wanted);
          for (long position = 0; position < chunks.chunk().bytes(); position++) {
            moved.merge(offset(chunks.chunk(), position), 1, Integer::sum);
          }
        }
        assertThat(moved.values()).allMatch(times -> times == 1);
        assertThat(moved.keySet()).containsAll(wanted.keySet());
      }
    }
  }

  /** Random tilings of random domains: many ranks, short pieces, units that do or do not fit. */
  @Test
  void chunksOfManyShortPiecesHoldWhatIsWanted() {
    int grouped = 0;
    for (long seed : Seeds.of(60)) {
      Random random = new Random(seed);
      int ranks = 32 + random.nextInt(20);
      int piece = 1 + random.nextInt(4);
      int rows = 1 + random.nextInt(6);
      long row = (long) ranks * piece + (random.nextInt(3) == 0 ? random.nextInt(9) : 0);
      long unit = random.nextBoolean() ? Math.max(1, row / (1 + random.nextInt(4))) : 16;
      List<Access> accesses = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        int length = random.nextInt(8) == 0 ? Math.max(1, piece - 1) : piece;
        Pattern part = Pattern.loop(rows, row, Pattern.run(length));
        long from = random.nextInt(10) == 0 ? random.nextInt(length) : 0;
        accesses.add(
            new Access(new View((long) rank * piece, part, rows * row), from, part.size()));
      }
      Request request = new Request(true, Layout.striped(unit, 4), accesses);
      Domains domains = domains(request, 1 + random.nextInt(3), 0, unit);
      Plan.TwoPhase plan = new Plan.TwoPhase(request, domains, unit * (1 + random.nextInt(3)), 4);
      SortedMap<Long, int[]> wanted = SmallAccesses.wanted(request);
      SortedMap<Long, Integer> moved = new TreeMap<>();
      for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
        Chunks chunks = Chunks.of(plan, aggregator, false);
        long before = 0;
        while (chunks.next()) {
          grouped += chunks.chunk().access().span().offset() < before ? 1 : 0;
          before = chunks.chunk().access().span().offset();
          checkPieces(request, chunks.chunk(), wanted);
          for (long position = 0; position < chunks.chunk().bytes(); position++) {
            moved.merge(offset(chunks.chunk(), position), 1, Integer::sum);
          }
        }
      }
      assertThat(moved.values()).as(Seeds.replay(seed)).allMatch(times -> times == 1);
      assertThat(moved.keySet()).as(Seeds.replay(seed)).containsAll(wanted.keySet());
    }
    assertThat(grouped).isPositive();
  }

  @Test
  void dearGapsAreLeftOutOfOneChunkWithoutAnotherTransfer() {
    // Table 1, row V: all 16 ranks want 16 rows of 4096 columns.
    Pattern rows = Pattern.loop(4096, 32768, Pattern.run(128));
    Access wanted = new Access(new View(0, rows, rows.end()), 0, rows.size());
    Request request = SmallAccesses.request(false, java.util.Collections.nCopies(16, wanted));
    Domains domains = new Domains(0, rows.end(), 32768, 0, 8, 16);
    Plan.Exchanging plan =
        new Plan.ExtendedTwoPhase(
            request, domains, Optional.empty(), 1 << 20, 2, Costs.DEFAULT.gaps());
    for (int aggregator = 0; aggregator < 8; aggregator++) {
      Chunks chunks = Chunks.of(plan, aggregator, true);
      assertThat(chunks.next()).isTrue();
      Chunk chunk = chunks.chunk();
      assertThat(chunk.bytes()).isEqualTo(512 * 128);
      assertThat(chunk.access().view().tile())
          .isEqualTo(Pattern.loop(512, 32768, Pattern.run(128)));
      assertThat(chunk.pieces()).hasSize(16).allMatch(piece -> piece.places().isPacked());
      assertThat(chunks.next()).isFalse();
    }
  }

  @Test
  void chunksEndOnBlocksSoThatNoBlockIsReadForTwo() {
    Access all = new Access(View.WHOLE, 1000, 1_000_000);
    Request request = SmallAccesses.request(false, all);
    Domains domains = new Domains(0, 1_000_000, 1, 0, 1, 1);
    Chunks chunks =
        Chunks.of(
            new Plan.ExtendedTwoPhase(
                request, domains, Optional.empty(), 3 * 65536, 2, new Gaps(0, 0)),
            0,
            false);
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.chunk().access().span()).isEqualTo(Extent.between(1000, 3 * 65536));
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.chunk().access().span()).isEqualTo(new Extent(3 * 65536, 3 * 65536));
  }

  @Test
  void wrongArgumentsAreRefused() {
    Request request = SmallAccesses.request(false, Access.NOTHING);
    Plan.Exchanging plan = new Plan.TwoPhase(request, new Domains(0, 10, 1, 0, 1, 1), 8, 2);
    assertThatThrownBy(() -> Chunks.of(plan, 1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("aggregator 1 of 1");
    assertThatThrownBy(() -> Chunks.of(plan, 0, false).chunk())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new Domains(0, 10, 1, 0, 2, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Domains(0, 10, 1, 0, 1, 1).blockOf(10))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void domainsOfAllSmallWorldsCoverEveryByteOnceInWholeUnits() {
    for (long start : new long[] {0, 3}) {
      for (long length = 0; length <= 13; length++) {
        for (long unit = 1; unit <= 4; unit++) {
          for (long block = 0; block <= 3; block++) {
            for (int aggregators = 1; aggregators <= 5; aggregators++) {
              checkDomains(
                  new Domains(start, start + length, unit, block, aggregators, aggregators));
            }
          }
        }
      }
    }
  }

  private static void checkDomains(Domains domains) {
    long at = domains.start();
    long min = Long.MAX_VALUE;
    long max = 0;
    for (long block = 0; block < domains.blocks(); block++) {
      Extent extent = domains.block(block);
      assertThat(extent.offset()).isEqualTo(at);
      assertThat((extent.offset() - domains.start()) % domains.unitBytes() == 0 || extent.isEmpty())
          .isTrue();
      for (long offset = extent.offset(); offset < extent.end(); offset++) {
        assertThat(domains.blockOf(offset)).isEqualTo(block);
      }
      at = extent.end();
      long units = Math.ceilDiv(extent.length(), domains.unitBytes());
      min = Math.min(min, units);
      max = Math.max(max, units);
      assertThat(extent.length()).isLessThanOrEqualTo(domains.maxBlockBytes());
    }
    assertThat(at).isEqualTo(domains.end());
    if (domains.blockUnits() == 0) {
      assertThat(domains.blocks()).isEqualTo(domains.aggregators());
      assertThat(max - min).as("balanced").isLessThanOrEqualTo(1);
    }
  }
}
