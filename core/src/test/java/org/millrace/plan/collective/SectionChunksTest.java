package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.layout.Layout;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.DomainTable;
import org.millrace.plan.Domains;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/**
 * Descriptors, tables, covering sections and chunks of sections of arrays, against what each
 * element says.
 */
class SectionChunksTest {

  private static final Gaps NONE = new Gaps(0, 0);

  @Test
  void allPairsOfSectionsOfSmallMatricesAreCoveredAndReadInOrder() {
    for (Order order : Order.values()) {
      Geometry array = new Geometry(Shape.of(order, 3, 3), 2, 5);
      List<Section> all = sections(array.shape());
      for (Section a : all) {
        for (Section b : all) {
          check(array, List.of(a, b), Hints.DEFAULT.withBufferBytes(16), NONE);
        }
      }
    }
  }

  @Test
  void randomSectionsOfArraysOfOneToFiveDimensionsAreCoveredAndReadInOrder() {
    for (long seed : Seeds.of(3)) {
      Random random = new Random(seed);
      for (int i = 0; i < 300; i++) {
        long[] dims = random.longs(1 + random.nextInt(5), 1, 6).toArray();
        Order order = random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR;
        Geometry array =
            new Geometry(Shape.of(order, dims), 1 + random.nextInt(9), random.nextInt(130));
        List<Section> sections = new ArrayList<>();
        for (int ranks = 1 + random.nextInt(5); ranks > 0; ranks--) {
          sections.add(section(array.shape(), random));
        }
        Hints hints =
            Hints.DEFAULT
                .withBufferBytes(2L + random.nextInt(200))
                .withAggregators(random.nextInt(4))
                .withDomainBlockBytes(random.nextInt(3) == 0 ? 1 + random.nextInt(90) : 0);
        Gaps gaps = new Gaps(random.nextInt(60), random.nextInt(90));
        try {
          check(array, sections, hints, gaps);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(
              "%s %s %s %s; %s".formatted(array, sections, hints, gaps, Seeds.replay(seed)), e);
        }
      }
    }
  }

  private static Section section(Shape shape, Random random) {
    List<Range> ranges = new ArrayList<>();
    for (long n : shape.dims()) {
      long lower = random.nextInt((int) n);
      long upper = random.nextInt(12) == 0 ? lower - 1 : lower + random.nextInt((int) (n - lower));
      ranges.add(new Range(lower, upper, 1 + random.nextInt(3)));
    }
    return new Section(ranges);
  }

  private static List<Section> sections(Shape shape) {
    List<Section> all = new ArrayList<>();
    for (Range rows : ranges(shape.dimension(0))) {
      for (Range columns : ranges(shape.dimension(1))) {
        all.add(Section.of(rows, columns));
      }
    }
    return all;
  }

  private static SortedSet<Range> ranges(long n) {
    SortedSet<Range> all = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    all.add(Range.EMPTY);
    for (long lower = 0; lower < n; lower++) {
      for (long upper = lower; upper < n; upper++) {
        for (long stride = 1; stride <= 3; stride++) {
          all.add(new Range(lower, upper, stride));
        }
      }
    }
    return all;
  }

  private static void check(Geometry array, List<Section> sections, Hints hints, Gaps gaps) {
    List<Access> accesses = sections.stream().map(array::whole).toList();
    Request request =
        new Request(false, Layout.striped(4, 2), accesses, java.util.Optional.of(array));
    AccessDescriptor descriptor = AccessDescriptor.of(array, accesses);
    assertThat(descriptor.isExact()).isTrue();
    for (int rank = 0; rank < sections.size(); rank++) {
      assertThat(elements(array, descriptor.sections().get(rank)))
          .isEqualTo(elements(array, sections.get(rank)));
    }
    Domains domains = Planner.domains(request, hints);
    checkColumns(array, domains, request.ranks(), hints);
    long chunkBytes = Math.max(array.elementBytes(), hints.bufferBytes() / hints.depth());
    Plan.Exchanging plan =
        new Plan.ExtendedTwoPhase(
            request, domains, java.util.Optional.of(descriptor), chunkBytes, 2, gaps);
    for (long block = 0; block < domains.blocks(); block++) {
      checkTables(
          array, sections, DomainTable.of(descriptor, domains.block(block)), domains, block);
    }
    checkChunks(array, plan);
  }

  /** Elements by their file offset. */
  private static SortedSet<Long> elements(Geometry array, Section section) {
    SortedSet<Long> offsets = new TreeSet<>();
    for (long i = 0; i < array.shape().elements(); i++) {
      if (contains(section, array.shape().index(i))) {
        offsets.add(array.start() + i * array.elementBytes());
      }
    }
    return offsets;
  }

  private static boolean contains(Section section, long[] index) {
    for (int d = 0; d < index.length; d++) {
      if (!section.range(d).contains(index[d])) {
        return false;
      }
    }
    return true;
  }

  /** Domains begin and end between columns, behind the header, and there is one for each rank. */
  private static void checkColumns(Geometry array, Domains domains, int ranks, Hints hints) {
    int fastest = array.shape().fastest(0);
    long column =
        array.shape().dimensions() == 1
            ? array.elementBytes()
            : array.shape().dimension(fastest) * array.elementBytes();
    assertThat(domains.aggregators())
        .isEqualTo(hints.aggregators() == 0 ? ranks : Math.min(ranks, hints.aggregators()));
    long at = array.start();
    int owners = 0;
    for (long block = 0; block < domains.blocks(); block++) {
      Extent extent = domains.block(block);
      assertThat(extent.offset()).isEqualTo(at);
      assertThat(extent.length() % column).isZero();
      at = extent.end();
      owners += extent.isEmpty() ? 0 : 1;
    }
    assertThat(at).isEqualTo(array.end());
    if (domains.blockUnits() == 0) {
      long columns = array.bytes() / column;
      assertThat((long) owners).isEqualTo(Math.min(columns, domains.aggregators()));
    }
  }

  private static void checkTables(
      Geometry array,
      List<Section> sections,
      List<DomainTable> tables,
      Domains domains,
      long block) {
    Extent extent = domains.block(block);
    SortedSet<Long> owned = new TreeSet<>();
    for (DomainTable table : tables) {
      SortedSet<Long> domain = elements(array, table.domain());
      assertThat(owned.isEmpty() || owned.last() < domain.first()).isTrue();
      owned.addAll(domain);
      SortedSet<Long> wanted = new TreeSet<>();
      for (int rank = 0; rank < sections.size(); rank++) {
        SortedSet<Long> row = elements(array, sections.get(rank));
        row.retainAll(domain);
        assertThat(elements(array, table.rows().get(rank))).isEqualTo(row);
        wanted.addAll(row);
      }
      checkCovering(array, table.covering(), wanted);
    }
    assertThat(owned.size() * (long) array.elementBytes()).isEqualTo(extent.length());
    assertThat(owned).allMatch(offset -> offset >= extent.offset() && offset < extent.end());
  }

  /** The bounds are the minimum and the maximum of the wanted indices, and nothing is left out. */
  private static void checkCovering(Geometry array, Section covering, SortedSet<Long> wanted) {
    assertThat(covering.isEmpty()).isEqualTo(wanted.isEmpty());
    if (wanted.isEmpty()) {
      return;
    }
    assertThat(elements(array, covering)).containsAll(wanted);
    for (int d = 0; d < array.shape().dimensions(); d++) {
      int dimension = d;
      assertThat(covering.range(d).lower())
          .isEqualTo(wanted.stream().mapToLong(at -> index(array, at, dimension)).min().orElse(-1));
      assertThat(covering.range(d).upper())
          .isEqualTo(wanted.stream().mapToLong(at -> index(array, at, dimension)).max().orElse(-1));
    }
  }

  private static long index(Geometry array, long offset, int dimension) {
    return array.shape().index((offset - array.start()) / array.elementBytes())[dimension];
  }

  private static void checkChunks(Geometry array, Plan.Exchanging plan) {
    Request request = plan.request();
    SortedMap<Long, int[]> wanted = SmallAccesses.wanted(request);
    TreeMap<Long, Integer> read = new TreeMap<>();
    for (int aggregator = 0; aggregator < plan.domains().aggregators(); aggregator++) {
      Chunks chunks = Chunks.of(plan, aggregator, true);
      long before = 0;
      while (chunks.next()) {
        Chunk chunk = chunks.chunk();
        assertThat(chunk.bytes()).isBetween(1L, plan.chunkBytes());
        Extent extent = chunk.access().span();
        assertThat(extent.offset()).isGreaterThanOrEqualTo(before);
        before = extent.end();
        ChunksTest.checkPieces(request, chunk, wanted);
        for (long i = chunk.access().from(); i < chunk.access().to(); i++) {
          long offset = chunk.access().view().offsetOf(i);
          read.merge(offset, 1, Integer::sum);
          assertThat(plan.domains().blockOf(offset) % plan.domains().aggregators())
              .isEqualTo(aggregator);
        }
      }
    }
    assertThat(read.values()).as("read once").allMatch(times -> times == 1);
    assertThat(read.keySet()).containsAll(wanted.keySet());
    if (plan.gaps().equals(NONE)) {
      assertThat(read.keySet()).isEqualTo(covered(array, plan));
    }
  }

  /** Without sieving: of every column in which something is wanted the rows of the cover. */
  private static SortedSet<Long> covered(Geometry array, Plan.Exchanging plan) {
    SortedSet<Long> bytes = new TreeSet<>();
    AccessDescriptor descriptor = plan.descriptor().orElseThrow();
    for (long block = 0; block < plan.domains().blocks(); block++) {
      for (DomainTable table : DomainTable.of(descriptor, plan.domains().block(block))) {
        int columns = array.shape().fastest(array.shape().dimensions() - 1);
        if (table.covering().range(columns).count() < 2) {
          columns = array.shape().fastest(0);
        }
        for (long offset : elements(array, table.covering())) {
          long column = index(array, offset, columns);
          int dimension = columns;
          if (table.rows().stream()
              .anyMatch(row -> !row.isEmpty() && row.range(dimension).contains(column))) {
            for (int i = 0; i < array.elementBytes(); i++) {
              bytes.add(offset + i);
            }
          }
        }
      }
    }
    return bytes;
  }

  @Test
  void gapsBetweenColumnsAreReadIfAndOnlyIfTheyAreNotLongerThanTheLimit() {
    Geometry array = new Geometry(Shape.columnMajor(10, 6), 8, 128);
    Section rows = Section.parse("2:4,1:4"); // 24 bytes of each column, gaps of 56
    assertThat(readBytes(array, rows, new Gaps(55, 0))).isEqualTo(4 * 24);
    assertThat(readBytes(array, rows, new Gaps(56, 0))).isEqualTo(4 * 24 + 3 * 56);
  }

  @Test
  void columnsThatNoRankWantsAreReadIfAndOnlyIfTheyAreNotLongerThanTheLimit() {
    Geometry array = new Geometry(Shape.columnMajor(4, 16), 8, 0);
    List<Section> apart = List.of(Section.parse("0:3,0:1"), Section.parse("0:3,7:8"));
    assertThat(readBytes(array, apart, new Gaps(0, 5 * 32 - 1))).isEqualTo(4 * 32);
    assertThat(readBytes(array, apart, new Gaps(0, 5 * 32))).isEqualTo(9 * 32);
  }

  private static long readBytes(Geometry array, Section section, Gaps gaps) {
    return readBytes(array, List.of(section), gaps);
  }

  private static long readBytes(Geometry array, List<Section> sections, Gaps gaps) {
    List<Access> accesses = sections.stream().map(array::whole).toList();
    Request request =
        new Request(false, Layout.striped(4, 2), accesses, java.util.Optional.of(array));
    Domains domains = Planner.domains(request, Hints.DEFAULT.withAggregators(1));
    Chunks chunks =
        Chunks.of(
            new Plan.ExtendedTwoPhase(
                request,
                domains,
                java.util.Optional.of(AccessDescriptor.of(array, accesses)),
                1 << 20,
                2,
                gaps),
            0,
            true);
    long bytes = 0;
    while (chunks.next()) {
      bytes += chunks.chunk().bytes();
    }
    return bytes;
  }

  @Test
  void asManyColumnsAsTheBufferHoldsAreReadAtATime() {
    Geometry array = new Geometry(Shape.columnMajor(100, 10), 8, 16);
    assertThat(chunks(array, "10:59,0:9", 1200)) // 400 bytes of each column
        .containsExactly("10:59,0:2", "10:59,3:5", "10:59,6:8", "10:59,9:9");
    assertThat(chunks(array, "10:59,3:4", 200)) // 25 rows
        .containsExactly("10:34,3:3", "35:59,3:3", "10:34,4:4", "35:59,4:4");
  }

  private static List<String> chunks(Geometry array, String text, long bufferBytes) {
    List<String> found = new ArrayList<>();
    var parts = new SectionPacking.Parts(array, Section.parse(text), 0, bufferBytes);
    while (parts.hasNext()) {
      found.add(parts.next().toString());
    }
    return found;
  }

  @Test
  void oneRowOfTwentyThousandColumnsIsReadWithoutWhatLiesBetween() {
    Geometry array = new Geometry(Shape.columnMajor(20_000, 20_000), 8, 0);
    Access row = array.whole(Section.parse("0:0,0:19999"));
    Request request =
        new Request(
            false,
            Layout.striped(1 << 16, 4),
            java.util.Collections.nCopies(16, row),
            java.util.Optional.of(array));
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.EXTENDED_TWO_PHASE);
    Explanation explanation = Explanation.of(request, hints, Costs.DEFAULT, true);
    Explanation.Counted counted = explanation.counted().orElseThrow();
    assertThat(counted.bytes()).isEqualTo(20_000 * 8);
    assertThat(counted.unwantedBytes()).isZero();
    assertThat(counted.transfers()).isEqualTo(16);
    assertThat(counted.wantedBytes()).isEqualTo(16 * 20_000 * 8);
    assertThat(explanation.planned().choice().taken().unwantedBytes()).isZero();
    assertThat(explanation.planned().choice().of(Strategy.TWO_PHASE).unwantedBytes())
        .as("the control: reading all of the domains")
        .isGreaterThan(2L << 30);
  }

  @Test
  void partsThatAreNoSectionsAreNotTakenForSome() {
    Geometry array = new Geometry(Shape.columnMajor(8, 8), 4, 12);
    Access whole = array.whole(Section.parse("1:6:2,0:7"));
    assertThat(array.section(whole)).hasValue(Section.parse("1:5:2,0:7"));
    assertThat(array.section(new Access(whole.view(), 0, whole.to() - 4))).isEmpty();
    assertThat(array.section(new Access(whole.view(), 4, whole.to()))).isEmpty();
    assertThat(array.section(new Access(org.millrace.access.View.from(13), 0, 4))).isEmpty();
    assertThat(array.section(new Access(org.millrace.access.View.from(8), 0, 4))).isEmpty();
    assertThat(array.section(Access.NOTHING).orElseThrow().isEmpty()).isTrue();
  }
}
