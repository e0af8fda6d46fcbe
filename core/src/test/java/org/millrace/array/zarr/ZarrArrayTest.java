package org.millrace.array.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ArrayFixture;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.testing.Seeds;

/** Arrays of chunks and shards as files, against models in memory. */
final class ZarrArrayTest {

  private static final ElementType INT = ElementType.INT32;

  private static ZarrMetadata random(Random random, Shape shape, long[] chunk) {
    ElementType type =
        List.of(
                ElementType.INT8,
                ElementType.INT16.withOrder(ByteOrder.BIG_ENDIAN),
                ElementType.FLOAT64,
                ElementType.COMPLEX128.withOrder(ByteOrder.BIG_ENDIAN),
                ElementType.raw(3))
            .get(random.nextInt(5));
    ZarrMetadata plain = ZarrMetadata.chunked(shape, type, chunk);
    List<Extension> codecs = new ArrayList<>();
    if (random.nextBoolean()) {
      codecs.add(Codecs.transpose(chunk.length == 1 ? new int[] {0} : new int[] {1, 0}));
    }
    List<Extension> serial = new ArrayList<>(List.of(Codecs.bytes(type)));
    if (random.nextBoolean()) {
      serial.add(Codecs.gzip(random.nextInt(10)));
    }
    if (random.nextBoolean()) {
      serial.add(Codecs.crc32c());
    }
    if (random.nextBoolean()) {
      List<Long> inner = new ArrayList<>();
      boolean swapped = !codecs.isEmpty();
      for (int d = 0; d < chunk.length; d++) {
        long size = chunk[swapped ? chunk.length - 1 - d : d];
        inner.add(size % 2 == 0 ? size / 2 : 1);
      }
      Extension sharding = Codecs.sharding(inner, serial);
      if (random.nextBoolean()) {
        sharding = sharding.with("index_location", new Json.Str("start"));
      }
      codecs.add(sharding);
    } else {
      codecs.addAll(serial);
    }
    return plain.withCodecs(codecs);
  }

  @Test
  void seededSectionsComeBackWhateverTheCodecs() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2);
        FileTree tree = cluster.files()) {
      for (long seed : Seeds.of(40)) {
        seeded(tree, seed);
      }
    }
  }

  private static void seeded(FileTree tree, long seed) {
    Random random = new Random(seed);
    int n = 1 + random.nextInt(2);
    long[] dims = new long[n];
    long[] chunk = new long[n];
    for (int d = 0; d < n; d++) {
      dims[d] = 1L + random.nextInt(9);
      chunk[d] = 1L + random.nextInt(5);
    }
    Shape shape = Shape.rowMajor(dims);
    ZarrMetadata metadata = random(random, shape, chunk);
    try (ZarrStore store = ZarrStore.of(tree, "seed" + seed + ".zarr")) {
      turns(store, metadata, shape, random);
    } catch (AssertionError | IOException e) {
      throw new AssertionError(Seeds.replay(seed) + ": " + metadata, e);
    }
  }

  private static void turns(ZarrStore store, ZarrMetadata metadata, Shape shape, Random random)
      throws IOException {
    int bytes = metadata.type().bytes();
    byte[] model = new byte[(int) shape.bytes(bytes)];
    ZarrArray.create(store, metadata);
    for (int turn = 0; turn < 6; turn++) {
      Section section = section(random, shape);
      Shape counts = section.shape(random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR);
      byte[] memory = new byte[(int) counts.bytes(bytes)];
      random.nextBytes(memory);
      ZarrArray array = ZarrArray.open(store);
      array.writeSection(section, Local.of(MemorySegment.ofArray(memory), counts));
      for (long i = 0; i < counts.elements(); i++) {
        long[] index = counts.index(i);
        for (int d = 0; d < index.length; d++) {
          index[d] = section.range(d).lower() + index[d] * section.range(d).stride();
        }
        System.arraycopy(memory, (int) i * bytes, model, (int) shape.linear(index) * bytes, bytes);
      }
      Section other = section(random, shape);
      Shape its = other.shape(Order.ROW_MAJOR);
      byte[] found = new byte[(int) its.bytes(bytes)];
      assertThat(array.readSection(other, Local.of(MemorySegment.ofArray(found), its)))
          .isEqualTo(found.length);
      for (long i = 0; i < its.elements(); i++) {
        long[] index = its.index(i);
        for (int d = 0; d < index.length; d++) {
          index[d] = other.range(d).lower() + index[d] * other.range(d).stride();
        }
        int at = (int) shape.linear(index) * bytes;
        assertThat(Arrays.copyOfRange(found, (int) i * bytes, (int) (i + 1) * bytes))
            .as("%s of %s", Arrays.toString(index), other)
            .isEqualTo(Arrays.copyOfRange(model, at, at + bytes));
      }
    }
  }

  private static Section section(Random random, Shape shape) {
    List<Range> ranges = new ArrayList<>();
    for (long n : shape.dims()) {
      long lower = random.nextLong(n);
      ranges.add(new Range(lower, lower + random.nextLong(n - lower), 1 + random.nextInt(3)));
    }
    return new Section(ranges);
  }

  @Test
  void ranksWriteWholeChunksAtTheSameTime() throws Exception {
    Shape shape = Shape.rowMajor(8, 6);
    try (RunningCluster cluster = ArrayFixture.cluster(3)) {
      cluster.run(
          4,
          rank -> {
            try (ZarrStore store = ZarrStore.of(rank, "w.zarr")) {
              if (rank.number() == 0) {
                ZarrArray.create(
                    store, ZarrMetadata.chunked(shape, INT, 2, 3).with(Codecs.gzip(1)));
              }
              rank.barrier();
              ZarrArray array = ZarrArray.open(store);
              int[] mine = new int[12];
              Arrays.setAll(mine, i -> 12 * rank.number() + i);
              Range rows = Range.of(2L * rank.number(), 2L * rank.number() + 1);
              array.writeSection(
                  Section.of(rows, Range.all(6)), Local.of(mine, Shape.rowMajor(2, 6)));
              rank.barrier();
              int[] all = new int[48];
              array.readSection(Section.whole(shape), Local.of(all, shape));
              int[] wanted = new int[48];
              Arrays.setAll(wanted, i -> i);
              assertThat(all).isEqualTo(wanted);
            }
          });
    }
  }

  @Test
  void whatWasNeverWrittenIsTheFillValueAlsoInShards() throws Exception {
    Shape shape = Shape.rowMajor(6);
    ZarrMetadata plain =
        ZarrMetadata.chunked(shape, ElementType.FLOAT64, 4).withFillValue(new Json.Str("NaN"));
    ZarrMetadata shards =
        plain.withCodecs(
            List.of(Codecs.sharding(List.of(2L), List.of(Codecs.bytes(plain.type())))));
    try (RunningCluster cluster = ArrayFixture.cluster(1);
        FileTree tree = cluster.files()) {
      for (ZarrMetadata one : List.of(plain, shards)) {
        ZarrStore store = ZarrStore.of(tree, one == plain ? "p.zarr" : "s.zarr");
        ZarrArray array = ZarrArray.create(store, one);
        double[] found = new double[6];
        array.readSection(Section.whole(shape), Local.of(found, shape));
        assertThat(found).containsOnly(Double.NaN);
        array.writeSection(Section.parse("1:1"), Local.of(new double[] {5}, Shape.rowMajor(1)));
        array.readSection(Section.whole(shape), Local.of(found, shape));
        assertThat(found)
            .containsExactly(Double.NaN, 5, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        assertThat(store.size("c/1")).isEmpty();
        assertThat(store.size("c/0")).isPresent();
      }
      // one of two chunks of the shard, and the index
      assertThat(ArrayFixture.file(cluster, "s.zarr/c/0")).hasSize(2 * 8 + 2 * 16 + 4);
    }
  }

  @Test
  void damagedChunksAreErrorsThatNameTheFile() throws Exception {
    Shape shape = Shape.rowMajor(4);
    ZarrMetadata plain = ZarrMetadata.chunked(shape, INT, 4);
    List<Extension> bytes = List.of(Codecs.bytes(INT));
    try (RunningCluster cluster = ArrayFixture.cluster(1);
        FileTree tree = cluster.files()) {
      damaged(tree, "short", plain, new byte[15], "15 bytes after decoding, not 16");
      damaged(tree, "sum", plain.with(Codecs.crc32c()), new byte[20], "checksum");
      damaged(tree, "zip", plain.with(Codecs.gzip(1)), new byte[20], "gzip");
      byte[] bomb = new GzipCodec(9).encode(new byte[1 << 20]);
      damaged(tree, "bomb", plain.with(Codecs.gzip(1)), bomb, "more than");
      ZarrMetadata shards = plain.withCodecs(List.of(Codecs.sharding(List.of(2L), bytes)));
      damaged(tree, "cut", shards, new byte[10], "too few for an index");
      ShardIndex index = new ShardIndex(2, ByteOrder.LITTLE_ENDIAN, true, true);
      byte[] wild = index.encode(new long[] {0, 8, 1L << 60, 8});
      damaged(tree, "wild", shards, wild, "8 bytes from byte 1152921504606846976 on");
    }
  }

  private static void damaged(
      FileTree tree, String name, ZarrMetadata metadata, byte[] chunk, String why)
      throws IOException {
    ZarrStore store = ZarrStore.of(tree, name + ".zarr");
    ZarrArray array = ZarrArray.create(store, metadata);
    store.write("c/0", chunk);
    assertThatThrownBy(
            () -> array.readSection(Section.parse("0:3"), Local.of(new int[4], Shape.rowMajor(4))))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT))
        .hasMessageContaining(name + ".zarr/c/0")
        .hasMessageContaining(why);
  }

  @Test
  void groupsHaveAttributesAndConsolidatedMetadata() throws Exception {
    Json.Obj attributes = Json.Obj.EMPTY.with("title", new Json.Str("heat"));
    Shape shape = Shape.rowMajor(3);
    try (RunningCluster cluster = ArrayFixture.cluster(1);
        FileTree tree = cluster.files();
        ZarrStore store = ZarrStore.of(tree, "g.zarr")) {
      ZarrGroup group = ZarrGroup.create(store, attributes);
      group.createGroup("inner", Json.Obj.EMPTY);
      ZarrMetadata metadata = ZarrMetadata.chunked(shape, INT, 2);
      group
          .createArray("inner/a", metadata)
          .writeSection(Section.whole(shape), Local.of(new int[] {1, 2, 3}, shape));
      group.createArray("b", metadata);
      assertThat(group.names()).containsExactly("b", "inner");
      assertThat(group.isConsolidated()).isFalse();
      assertThat(group.consolidate().isConsolidated()).isTrue();
      store.remove("inner/a/zarr.json"); // it is read from the group's now
      ZarrGroup again = ZarrGroup.open(store);
      assertThat(again.attributes()).isEqualTo(attributes);
      assertThat(again.names()).containsExactly("b", "inner");
      int[] found = new int[3];
      again.array("inner/a").readSection(Section.whole(shape), Local.of(found, shape));
      assertThat(found).containsExactly(1, 2, 3);
      assertThat(again.group("inner").names()).isEmpty();
      assertThat(again.array("b").withAttributes(attributes).metadata().attributes())
          .isEqualTo(attributes);
      assertThatThrownBy(() -> ZarrGroup.create(store, attributes))
          .hasMessageContaining("g.zarr/zarr.json is there already");
      assertThatThrownBy(() -> again.array("none")).hasMessageContaining("none/zarr.json");
      store.write("bad/zarr.json", "{".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      assertThatThrownBy(() -> ZarrGroup.open(store.below("bad")))
          .hasMessageContaining("bad/zarr.json: no JSON: ends too early");
    }
  }

  @Test
  void wrongMemoryAndSectionsAreRefusedBeforeAnythingMoves() throws Exception {
    Shape shape = Shape.rowMajor(4);
    try (RunningCluster cluster = ArrayFixture.cluster(1);
        FileTree tree = cluster.files()) {
      ZarrStore store = ZarrStore.of(tree, "m.zarr");
      ZarrArray array = ZarrArray.create(store, ZarrMetadata.chunked(shape, INT, 2));
      assertThatThrownBy(
              () ->
                  array.writeSection(Section.whole(shape), Local.of(new int[3], Shape.rowMajor(3))))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(
              () -> array.writeSection(Section.whole(shape), Local.of(new double[4], shape)))
          .hasMessageContaining("cannot hold");
      assertThatThrownBy(
              () ->
                  array.readSection(Section.parse("0:4"), Local.of(new int[5], Shape.rowMajor(5))))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(store.size("c/0")).isEmpty();
    }
  }
}
