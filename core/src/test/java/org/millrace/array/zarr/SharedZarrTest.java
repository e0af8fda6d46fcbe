package org.millrace.array.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ArrayFixture;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.LocalArrays;
import org.millrace.array.Partitions;
import org.millrace.array.SectionWindow;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/** Arrays in one shard that all ranks write together, against files encoded element by element. */
final class SharedZarrTest {

  private static final ElementType INT = ElementType.INT32;

  private static int[] values(Shape shape) {
    int[] values = new int[(int) shape.elements()];
    Arrays.setAll(values, i -> 0x01020304 * (i + 1));
    return values;
  }

  private static byte[] little(int... values) {
    byte[] bytes = new byte[4 * values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (values[i / 4] >>> (8 * (i % 4)));
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void ranksTogetherWriteTheFileThatTheSpecificationAsksFor(Strategy strategy) throws Exception {
    OpenOptions options =
        OpenOptions.create().withTruncate().withHints(Hints.DEFAULT.withStrategy(strategy));
    try (RunningCluster cluster = ArrayFixture.cluster(2, 24)) {
      for (int ranks : new int[] {1, 2, 3}) {
        for (Order order : Order.values()) {
          for (long[] dims : new long[][] {{7}, {5, 6}, {3, 4, 5}}) {
            for (long size : new long[] {1, 2, 3, 8}) {
              long[] chunk = new long[dims.length];
              Arrays.setAll(chunk, d -> size + d % 2);
              Shape shape = Shape.of(order, dims);
              cluster.run(ranks, rank -> writeCyclic(rank, shape, chunk, options));
              Shape rows = Shape.rowMajor(dims);
              assertThat(ArrayFixture.file(cluster, "a.zarr/c" + "/0".repeat(dims.length)))
                  .as("%s in chunks of %s by %d ranks", shape, Arrays.toString(chunk), ranks)
                  .isEqualTo(NaiveShard.encode(shape, chunk, little(values(rows)), new byte[4]));
            }
          }
        }
      }
    }
  }

  private static void writeCyclic(Rank rank, Shape shape, long[] chunk, OpenOptions options)
      throws IOException {
    Spread[] spreads = new Spread[shape.dimensions()];
    int[] grid = new int[shape.dimensions()];
    Arrays.fill(spreads, Spread.none());
    Arrays.fill(grid, 1);
    spreads[spreads.length - 1] = Spread.blockCyclic(2);
    grid[spreads.length - 1] = rank.size();
    var distribution = Distribution.of(shape, Grid.of(grid), spreads);
    Shape local = distribution.localShape(rank.number());
    int[] all = values(shape);
    int[] mine = new int[(int) local.elements()];
    Shape rows = new Shape(shape.dims(), Order.ROW_MAJOR);
    for (int i = 0; i < mine.length; i++) {
      mine[i] = all[(int) rows.linear(distribution.global(rank.number(), local.index(i)))];
    }
    try (GlobalArray array =
        SharedZarr.create(rank, "a.zarr", ZarrMetadata.shared(shape, INT, chunk), options)) {
      array.writeDistributed(distribution, Local.of(mine, local));
    }
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void everySectionOfASmallArrayIsReadAndWrittenInItsPlace(Order order) throws Exception {
    Shape shape = Shape.of(order, 4, 5);
    List<Section> sections = new ArrayList<>();
    for (int a = 0; a < 4; a++) {
      for (int b = a; b < 4; b++) {
        for (int c = 0; c < 5; c++) {
          for (int d = c; d < 5; d++) {
            for (int s = 1; s <= 2; s++) {
              sections.add(Section.of(new Range(a, b, s), new Range(c, d, 3 - s)));
            }
          }
        }
      }
    }
    try (RunningCluster cluster = ArrayFixture.cluster(2, 24)) {
      cluster.run(
          2,
          rank -> {
            ZarrMetadata metadata = ZarrMetadata.shared(shape, INT, 3, 2);
            try (GlobalArray array =
                SharedZarr.create(rank, "s.zarr", metadata, OpenOptions.create())) {
              int[] model = new int[20];
              for (int i = 0; i < sections.size(); i++) {
                Section section = sections.get(i);
                Shape counts = section.shape(Order.ROW_MAJOR);
                int[] memory = new int[(int) counts.elements()];
                Arrays.setAll(memory, k -> k + 1);
                boolean mine = i % 2 == rank.number();
                Section nothing = Section.of(Range.EMPTY, Range.EMPTY);
                array.writeSection(mine ? section : nothing, Local.of(memory, counts));
                put(model, section, memory);
                int[] found = new int[memory.length];
                array.readSection(section, Local.of(found, counts));
                assertThat(found).as("%s", section).isEqualTo(memory);
                array.prefetch(section);
                Arrays.fill(found, 0);
                Shape turned = section.shape(Order.COLUMN_MAJOR);
                array.readSection(section, Local.of(found, turned));
                for (int k = 0; k < found.length; k++) {
                  assertThat(found[(int) turned.linear(counts.index(k))]).isEqualTo(memory[k]);
                }
              }
              int[] whole = new int[20];
              array.readSectionAlone(Section.whole(shape), Local.of(whole, Shape.rowMajor(4, 5)));
              assertThat(whole).isEqualTo(model);
              assertThat(array.prefetchHits()).isEqualTo(sections.size());
            }
          });
    }
  }

  private static void put(int[] model, Section section, int[] memory) {
    int k = 0;
    for (long i = section.range(0).lower(); i <= section.range(0).upper(); i++) {
      for (long j = section.range(1).lower(); j <= section.range(1).upper(); j++) {
        if (section.range(0).contains(i) && section.range(1).contains(j)) {
          model[(int) (i * 5 + j)] = memory[k++];
        }
      }
    }
  }

  @Test
  void seededOverlappingSectionsOfRanksEndAsIfTheyHadWrittenInTurn() throws Exception {
    for (long seed : Seeds.of(6)) {
      Random random = new Random(seed);
      Shape shape = Shape.of(random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR, 23, 17);
      long[] chunk = {1 + random.nextInt(9), 1 + random.nextInt(9)};
      Section[] sections = new Section[12];
      for (int i = 0; i < sections.length; i++) {
        sections[i] = Section.of(range(random, 23), range(random, 17));
      }
      int[] model = new int[23 * 17];
      try (RunningCluster cluster = ArrayFixture.cluster(3, 40)) {
        cluster.run(
            3,
            rank -> {
              ZarrMetadata metadata = ZarrMetadata.shared(shape, INT, chunk);
              try (GlobalArray array =
                  SharedZarr.create(rank, "o.zarr", metadata, OpenOptions.create())) {
                for (int i = rank.number(); i < sections.length; i += 3) {
                  int value = i + 1;
                  int[] memory = new int[(int) sections[i].elements()];
                  Arrays.fill(memory, value);
                  array.writeSection(
                      sections[i], Local.of(memory, sections[i].shape(Order.ROW_MAJOR)));
                }
              }
            });
        for (int i = 0; i < sections.length; i++) {
          for (int k = 0; k < model.length; k++) {
            if (sections[i].range(0).contains(k / 17) && sections[i].range(1).contains(k % 17)) {
              model[k] = i + 1;
            }
          }
        }
        assertThat(ArrayFixture.file(cluster, "o.zarr/c/0/0"))
            .as(Seeds.replay(seed))
            .isEqualTo(NaiveShard.encode(shape, chunk, little(model), new byte[4]));
      }
    }
  }

  private static Range range(Random random, int n) {
    int lower = random.nextInt(n);
    return new Range(lower, lower + random.nextInt(n - lower), 1 + random.nextInt(3));
  }

  @Test
  void fillValueIsInEveryElementAndInThePadding() throws Exception {
    Shape shape = Shape.rowMajor(5, 3);
    ZarrMetadata metadata = ZarrMetadata.shared(shape, INT, 2, 2).withFillValue(new Json.Num(-7));
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          3, rank -> SharedZarr.create(rank, "f.zarr", metadata, OpenOptions.create()).close());
      int[] values = new int[15];
      Arrays.fill(values, -7);
      assertThat(ArrayFixture.file(cluster, "f.zarr/c/0/0"))
          .isEqualTo(NaiveShard.encode(shape, new long[] {2, 2}, little(values), little(-7)));
    }
  }

  @Test
  void partitionsLocalArraysAndWindowsWorkOnChunksToo() throws Exception {
    Shape shape = Shape.columnMajor(9, 8);
    try (RunningCluster cluster = ArrayFixture.cluster(2, 24)) {
      cluster.run(
          2,
          rank -> {
            ZarrMetadata metadata = ZarrMetadata.shared(shape, INT, 4, 3);
            try (GlobalArray array =
                SharedZarr.create(rank, "p.zarr", metadata, OpenOptions.create())) {
              int[] all = values(shape);
              array.writeSection(Section.whole(shape), Local.of(all, shape));
              Partitions.of(array, 3 * 40)
                  .update(
                      (_, _, part) -> {
                        for (long i = 0; i < part.shape().elements(); i++) {
                          var int32 = java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
                          part.segment().set(int32, 4 * i, part.segment().get(int32, 4 * i) + 1);
                        }
                      });
              int[] found = new int[72];
              array.readSection(Section.whole(shape), Local.of(found, shape));
              assertThat(found).isEqualTo(Arrays.stream(all).map(v -> v + 1).toArray());
              var columns = Distribution.columns(shape, 2);
              OpenOptions fresh = OpenOptions.create().withTruncate();
              try (LocalArrays local = LocalArrays.create(rank, "l", columns, INT, fresh)) {
                local.fromGlobal(array, 12);
                local.toGlobal(array, 20);
              }
              try (SectionWindow window = array.window()) {
                Section now = Section.parse("0:8,0:3");
                Section next = Section.parse("0:8,2:6");
                window.next(now, next);
                Local its = window.next(next);
                var int32 = java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
                for (int i = 0; i < 45; i++) {
                  assertThat(its.segment().getAtIndex(int32, i)).isEqualTo(all[18 + i] + 1);
                }
              }
            }
          });
    }
  }

  @Test
  void arrayIsOpenedAgainByItsMetadata() throws Exception {
    Shape shape = Shape.columnMajor(5, 6);
    ZarrMetadata metadata = ZarrMetadata.shared(shape, ElementType.FLOAT64, 2, 4);
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            try (GlobalArray array =
                SharedZarr.create(rank, "o.zarr", metadata, OpenOptions.create())) {
              double[] values = new double[30];
              Arrays.setAll(values, i -> i / 2.0);
              array.writeSection(
                  rank.number() == 0 ? Section.whole(shape) : nothing(), Local.of(values, shape));
            }
            try (GlobalArray array = SharedZarr.open(rank, "o.zarr", OpenOptions.read())) {
              assertThat(array.shape()).isEqualTo(shape);
              assertThat(array.type()).isEqualTo(ElementType.FLOAT64);
              double[] found = new double[1];
              array.readSection(Section.parse("4:4,5:5"), Local.of(found, Shape.rowMajor(1, 1)));
              assertThat(found[0]).isEqualTo(29 / 2.0);
            }
            try (ZarrStore store = ZarrStore.of(rank, "o.zarr")) {
              double[] found = new double[30];
              ZarrArray.open(store).readSection(Section.whole(shape), Local.of(found, shape));
              assertThat(found[29]).isEqualTo(29 / 2.0);
            }
          });
    }
  }

  private static Section nothing() {
    return Section.of(Range.EMPTY, Range.EMPTY);
  }

  @Test
  void emptyAndSingleArraysExistToo() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            ZarrMetadata empty = ZarrMetadata.shared(Shape.rowMajor(0, 4), INT, 2, 2);
            SharedZarr.create(rank, "e.zarr", empty, OpenOptions.create()).close();
            try (GlobalArray array = SharedZarr.open(rank, "e.zarr", OpenOptions.read())) {
              assertThat(array.shape().elements()).isZero();
            }
            ZarrGrid none = new ZarrGrid(List.of(), List.of(), ChunkKeys.DEFAULT, List.of());
            ZarrMetadata single =
                new ZarrMetadata(
                    none,
                    INT,
                    new Json.Num(5),
                    List.of(Codecs.sharding(List.of(), List.of(Codecs.bytes(INT)))),
                    Json.Obj.EMPTY);
            try (GlobalArray array =
                SharedZarr.create(rank, "one.zarr", single, OpenOptions.create())) {
              int[] found = new int[1];
              array.readSection(Section.parse("0:0"), Local.of(found, Shape.rowMajor(1)));
              assertThat(found[0]).isEqualTo(5);
            }
          });
      assertThat(ArrayFixture.file(cluster, "one.zarr/c")).hasSize(4 + 16 + 4);
    }
  }

  @Test
  void whatRanksCannotWriteTogetherIsRefusedOnAllOfThem() throws Exception {
    Shape shape = Shape.rowMajor(4, 4);
    ZarrMetadata chunked = ZarrMetadata.chunked(shape, INT, 2, 2);
    ZarrMetadata zipped =
        chunked.withCodecs(
            List.of(Codecs.sharding(List.of(1L, 1L), List.of(Codecs.bytes(INT), Codecs.gzip(1)))));
    ZarrMetadata many =
        chunked.withCodecs(List.of(Codecs.sharding(List.of(1L, 1L), List.of(Codecs.bytes(INT)))));
    try (RunningCluster cluster = ArrayFixture.cluster(1)) {
      cluster.run(
          2,
          rank -> {
            refused(rank, chunked, "no plain shard");
            refused(rank, zipped, "compressed");
            refused(rank, many, "several shards");
            ZarrMetadata good = ZarrMetadata.shared(shape, INT, rank.number() + 1, 2);
            assertThatThrownBy(() -> SharedZarr.create(rank, "m.zarr", good, OpenOptions.create()))
                .isInstanceOf(MixedCallException.class);
            ZarrMetadata same = ZarrMetadata.shared(shape, INT, 2, 2);
            SharedZarr.create(rank, "twice.zarr", same, OpenOptions.create()).close();
            assertThatThrownBy(
                    () -> SharedZarr.create(rank, "twice.zarr", same, OpenOptions.create()))
                .isInstanceOfSatisfying(
                    MillraceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.NAME_EXISTS));
            assertThatThrownBy(() -> SharedZarr.open(rank, "none.zarr", OpenOptions.read()))
                .hasMessageContaining("none.zarr/zarr.json");
          });
      byte[] shard = ArrayFixture.file(cluster, "twice.zarr/c/0/0");
      shard[shard.length - 9]++;
      ArrayFixture.store(cluster, "twice.zarr/c/0/0", shard);
      cluster.run(
          2,
          rank ->
              assertThatThrownBy(() -> SharedZarr.open(rank, "twice.zarr", OpenOptions.read()))
                  .hasMessageContaining("checksum"));
    }
  }

  private static void refused(Rank rank, ZarrMetadata metadata, String why) {
    assertThatThrownBy(() -> SharedZarr.create(rank, "r.zarr", metadata, OpenOptions.create()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(why);
  }
}
