package org.millrace.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.testing.Seeds;

/** Chunks, rounds and tables against what each byte says. */
class ChunksTest {

  @Test
  void chunksOfAllPairsOfSmallAccessesHoldWhatIsWantedAndNothingElse() {
    List<Access> all = SmallAccesses.all();
    for (Access a : all) {
      for (Access b : all) {
        Request request = SmallAccesses.request(true, a, b);
        check(request, domains(request, 2, Math.max(1, request.span().length() / 2)), 5);
        check(request, domains(request, 2, 3), 2);
      }
    }
  }

  @Test
  void chunksOfRandomGroupsHoldWhatIsWantedAndNothingElse() {
    for (long seed : Seeds.of(3)) {
      Random random = new Random(seed);
      for (int i = 0; i < 1500; i++) {
        List<Access> accesses =
            random.nextBoolean() ? SmallAccesses.any(random) : SmallAccesses.distributed(random);
        Request request = SmallAccesses.request(random.nextBoolean(), accesses);
        int aggregators = 1 + random.nextInt(request.ranks());
        Domains domains = domains(request, aggregators, 1 + random.nextInt(40));
        try {
          check(request, domains, 1 + random.nextInt(30));
        } catch (AssertionError e) {
          throw new AssertionError(request + " " + domains + "; " + Seeds.replay(seed), e);
        }
      }
    }
  }

  private static Domains domains(Request request, int aggregators, long block) {
    Extent span = request.span();
    long start = Math.max(0, span.offset() - 1);
    return new Domains(start, Math.max(start, span.end()), aggregators, block, request.ranks());
  }

  private static void check(Request request, Domains domains, long chunkBytes) {
    SortedMap<Long, int[]> wanted = SmallAccesses.wanted(request);
    boolean overlapping = Overlaps.between(request.accesses());
    checkChunks(request, domains, chunkBytes, wanted, overlapping);
    checkRounds(request, domains, chunkBytes, wanted, overlapping);
    checkTables(request, domains, wanted);
  }

  private static void checkChunks(
      Request request,
      Domains domains,
      long chunkBytes,
      SortedMap<Long, int[]> wanted,
      boolean overlapping) {
    TreeSet<Long> left = new TreeSet<>(wanted.keySet());
    for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
      Chunks chunks = Chunks.of(request, domains, aggregator, chunkBytes, overlapping);
      long before = 0;
      while (chunks.next()) {
        Extent extent = chunks.pieces().extent();
        assertThat(extent.length()).isBetween(1L, chunkBytes);
        assertThat(extent.offset()).isGreaterThanOrEqualTo(before);
        assertThat(wanted).containsKeys(extent.offset(), extent.end() - 1);
        before = extent.end();
        long first = (extent.offset() - domains.start()) / domains.blockBytes();
        long last = (extent.end() - 1 - domains.start()) / domains.blockBytes();
        assertThat(first).isEqualTo(last);
        assertThat(first % domains.aggregators()).isEqualTo(aggregator);
        for (long offset = extent.offset(); offset < extent.end(); offset++) {
          left.remove(offset);
        }
        checkPieces(request, chunks.pieces(), wanted);
      }
    }
    assertThat(left).isEmpty();
  }

  private static void checkRounds(
      Request request,
      Domains domains,
      long chunkBytes,
      SortedMap<Long, int[]> wanted,
      boolean overlapping) {
    Rounds rounds = Rounds.of(request, domains, chunkBytes, overlapping);
    List<Extent> extents = new ArrayList<>();
    for (long round = 0; round < rounds.count(); round++) {
      for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
        Extent extent = rounds.extent(round, aggregator);
        if (!extent.isEmpty()) {
          assertThat(extent.length()).isLessThanOrEqualTo(chunkBytes);
          extents.add(extent);
          checkPieces(request, rounds.pieces(round, aggregator), wanted);
        }
      }
    }
    extents.sort((a, b) -> Long.compare(a.offset(), b.offset()));
    long at = request.span().offset();
    for (Extent extent : extents) {
      assertThat(extent.offset()).isEqualTo(at);
      at = extent.end();
    }
    assertThat(at).isEqualTo(request.span().end());
  }

  private static void checkPieces(Request request, Pieces pieces, SortedMap<Long, int[]> wanted) {
    Extent extent = pieces.extent();
    long[] bytes = new long[request.ranks()];
    boolean covered = true;
    boolean disjoint = true;
    for (long offset = extent.offset(); offset < extent.end(); offset++) {
      int[] counts = wanted.getOrDefault(offset, new int[request.ranks()]);
      covered &= Arrays.stream(counts).sum() > 0;
      disjoint &= Arrays.stream(counts).filter(count -> count > 0).count() <= 1;
      for (int rank = 0; rank < counts.length; rank++) {
        bytes[rank] += counts[rank];
      }
    }
    long[] found = new long[request.ranks()];
    for (Piece piece : pieces.list()) {
      found[piece.rank()] = piece.bytes();
      checkPiece(request.accesses().get(piece.rank()), piece, extent);
    }
    assertThat(found).isEqualTo(bytes);
    assertThat(pieces.bytes()).isEqualTo(Arrays.stream(bytes).sum());
    assertThat(!pieces.isCovered() || covered).as("covered").isTrue();
    assertThat(!pieces.isDisjoint() || disjoint).as("disjoint").isTrue();
    boolean ascending = request.accesses().stream().allMatch(one -> one.view().isAscending());
    if (ascending && covered && pieces.isDisjoint()) {
      assertThat(pieces.isCovered()).isTrue();
    }
  }

  private static void checkPiece(Access access, Piece piece, Extent extent) {
    View view = access.view();
    assertThat(piece.bytes()).isPositive();
    if (view.isAscending()) {
      assertThat(piece.isExact()).isTrue();
      assertThat(view.offsetOf(piece.from())).isGreaterThanOrEqualTo(extent.offset());
      assertThat(view.offsetOf(piece.to() - 1)).isLessThan(extent.end());
    }
    long bytes = 0;
    Runs runs = view.runs(piece.from(), piece.to(), extent.offset(), extent.end());
    while (runs.next()) {
      bytes += runs.count() * runs.length();
    }
    assertThat(bytes).isEqualTo(piece.bytes());
  }

  private static void checkTables(Request request, Domains domains, SortedMap<Long, int[]> wanted) {
    for (int aggregator = 0; aggregator < domains.aggregators(); aggregator++) {
      DomainTable table = DomainTable.of(request, domains, aggregator);
      long low = Long.MAX_VALUE;
      long high = 0;
      for (int rank = 0; rank < request.ranks(); rank++) {
        long bytes = 0;
        long first = Long.MAX_VALUE;
        long end = 0;
        for (var one : wanted.entrySet()) {
          long block = (one.getKey() - domains.start()) / domains.blockBytes();
          if (one.getValue()[rank] > 0 && block % domains.aggregators() == aggregator) {
            bytes += one.getValue()[rank];
            first = Math.min(first, one.getKey());
            end = one.getKey() + 1;
          }
        }
        DomainTable.Row row = table.rows().get(rank);
        assertThat(row.bytes()).isEqualTo(bytes);
        assertThat(row.isEmpty()).isEqualTo(bytes == 0);
        if (bytes > 0) {
          assertThat(row.extent()).isEqualTo(Extent.between(first, end));
        }
        low = Math.min(low, first);
        high = Math.max(high, end);
      }
      if (high > 0) {
        assertThat(table.covering()).isEqualTo(Extent.between(low, high));
      } else {
        assertThat(table.covering().isEmpty()).isTrue();
      }
    }
  }

  @Test
  void emptyStretchesAreJumpedOverHoweverManyBlocksTheyHave() {
    // Two bytes a petabyte apart, domains of one byte in turn.
    Access apart =
        new Access(
            new View(0, org.millrace.access.Pattern.loop(2, 1L << 50, run(1)), 1L << 51), 0, 2);
    Request request = SmallAccesses.request(false, apart, Access.NOTHING);
    Domains domains = new Domains(0, (1L << 50) + 1, 2, 1, 2);
    Chunks chunks = Chunks.of(request, domains, 0, 1, false);
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.pieces().extent()).isEqualTo(new Extent(1L << 50, 1));
    assertThat(chunks.next()).isFalse();
    assertThat(Chunks.of(request, domains, 1, 1, false).next()).isFalse();
  }

  private static org.millrace.access.Pattern run(long length) {
    return org.millrace.access.Pattern.run(length);
  }

  @Test
  void chunksEndOnBlocksSoThatNoBlockIsReadForTwo() {
    Access all = new Access(View.WHOLE, 1000, 1_000_000);
    Request request = SmallAccesses.request(false, all);
    Domains domains = new Domains(0, 1_000_000, 1, 1_000_000, 1);
    Chunks chunks = Chunks.of(request, domains, 0, 3 * 65536, false);
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.pieces().extent()).isEqualTo(Extent.between(1000, 3 * 65536));
    assertThat(chunks.next()).isTrue();
    assertThat(chunks.pieces().extent()).isEqualTo(new Extent(3 * 65536, 3 * 65536));
  }

  @Test
  void wrongArgumentsAreRefused() {
    Request request = SmallAccesses.request(false, Access.NOTHING);
    Domains domains = new Domains(0, 10, 1, 10, 1);
    assertThatThrownBy(() -> Chunks.of(request, domains, 1, 8, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("aggregator 1 of 1");
    assertThatThrownBy(() -> Rounds.of(request, domains, 0, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Rounds.of(request, domains, 8, false).extent(2, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Chunks.of(request, domains, 0, 8, false).pieces())
        .isInstanceOf(IllegalStateException.class);
  }
}
