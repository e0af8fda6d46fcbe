package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NameExistsException;

/** Wrong sections, lying headers, ranks that disagree, full disks: the same error on all ranks. */
final class BadArraysTest {

  private static final Shape SHAPE = Shape.rowMajor(6, 4);

  private static void fails(ErrorCode code, ThrowingCallable call, String... words) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(MillraceException.class);
    assertThat(((MillraceException) thrown).code()).as(thrown.toString()).isEqualTo(code);
    for (String word : words) {
      assertThat(thrown.getMessage()).contains(word);
    }
  }

  private static GlobalArray create(Rank rank, OpenOptions options) throws IOException {
    return GlobalArray.create(rank, "a.npy", SHAPE, ElementType.INT32, options);
  }

  @Test
  void oneRanksWrongSectionOrMemoryFailsOnAllAndNothingMoves() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          3,
          rank -> {
            int[] values = new int[24];
            Arrays.setAll(values, i -> i + 1);
            Section whole = Section.whole(SHAPE);
            Local good = Local.of(values, SHAPE);
            try (GlobalArray array = create(rank, OpenOptions.create())) {
              array.writeSection(whole, good);
              wrong(rank, array, Section.parse("0:6,0:3"), good, "0:6", "size 6");
              wrong(rank, array, Section.parse("0:5"), good, "dimensions");
              wrong(rank, array, whole, Local.of(new int[23], SHAPE), "needs 96 bytes", "92");
              wrong(rank, array, whole, Local.of(values, Shape.rowMajor(5, 4)), "do not fit");
              wrong(rank, array, whole, good.startingAt(1, 0), "do not fit", "from 1");
              wrong(rank, array, whole, good.stepping(1, 2), "do not fit", "step 2");
              wrong(rank, array, whole, Local.of(new double[24], SHAPE), "DOUBLE", "<i4");
              wrong(rank, array, whole, Local.of(values, Shape.rowMajor(24)), "dimensions");
              int[] found = new int[24];
              array.readSection(whole, Local.of(found, SHAPE));
              assertThat(found).isEqualTo(values);
            }
          });
    }
  }

  /** Rank 1's part is wrong, in every way to call; independent calls throw at once. */
  private static void wrong(
      Rank rank, GlobalArray array, Section section, Local local, String... words) {
    boolean mine = rank.number() == 1;
    Section its = mine ? section : Section.parse("2:3,0:3");
    Local memory =
        mine ? local : Local.of(new int[] {-1, -1, -1, -1, -1, -1, -1, -1}, Shape.rowMajor(2, 4));
    fails(ErrorCode.INVALID, () -> array.writeSection(its, memory), words);
    fails(ErrorCode.INVALID, () -> array.readSection(its, memory), words);
    fails(ErrorCode.INVALID, () -> Transfer.await(array.writeSectionAsync(its, memory)), words);
    splitFails(array, its, memory, words);
    if (mine) {
      assertThatThrownBy(() -> array.writeSectionAlone(its, memory))
          .isInstanceOfAny(IndexOutOfBoundsException.class, IllegalArgumentException.class)
          .hasMessageContaining(words[0]);
    }
  }

  private static void splitFails(
      GlobalArray array, Section section, Local memory, String... words) {
    fails(
        ErrorCode.INVALID,
        () -> {
          array.beginWriteSection(section, memory);
          array.endSection();
        },
        words);
  }

  @Test
  void memoryThatCannotBeUsedFailsOnAllRanks() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            try (GlobalArray array = create(rank, OpenOptions.create());
                Arena confined = Arena.ofConfined()) {
              Section whole = Section.whole(SHAPE);
              MemorySegment fine = confined.allocate(96);
              Local mine =
                  rank.number() == 0
                      ? Local.of(MemorySegment.ofArray(new int[24]).asReadOnly(), SHAPE)
                      : Local.of(fine, SHAPE);
              fails(ErrorCode.INVALID, () -> array.readSection(whole, mine), "read-only");
              fails(
                  ErrorCode.INVALID,
                  () -> Transfer.await(array.writeSectionAsync(whole, mine)),
                  "confined");
              array.writeSection(whole, mine);
              assertThatThrownBy(array::endSection).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(
                      () -> array.readDistributed(rows(rank.size() + 1), Local.of(fine, SHAPE)))
                  .hasMessageContaining("grid of 3 ranks");
            }
          });
    }
  }

  private static Distribution rows(int ranks) {
    return Distribution.of(SHAPE, Grid.of(ranks, 1), Spread.block(), Spread.none());
  }

  @Test
  void stridesAndPermutationsThatAreNoneThrowAtOnce() {
    Local local = Local.of(new int[24], SHAPE);
    assertThatThrownBy(() -> Section.parse("0:5:0,0:3")).hasMessageContaining("stride 0");
    assertThatThrownBy(() -> Section.parse("0:5:-1,0:3")).hasMessageContaining("stride -1");
    assertThatThrownBy(() -> local.stepping(0, 1)).hasMessageContaining("step 0");
    assertThatThrownBy(() -> local.startingAt(-1, 0)).hasMessageContaining("-1");
    assertThatThrownBy(() -> local.permuted(0, 0)).hasMessageContaining("not a permutation");
    assertThatThrownBy(() -> local.permuted(0)).hasMessageContaining("axes");
  }

  @Test
  void ranksThatDisagreeAboutTheArrayMakeNoFile() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          3,
          rank -> {
            OpenOptions options = OpenOptions.create();
            boolean odd = rank.number() == 2;
            Shape shape = odd ? Shape.rowMajor(6, 5) : SHAPE;
            assertThatThrownBy(
                    () -> GlobalArray.create(rank, "a", shape, ElementType.INT32, options))
                .isInstanceOf(MixedCallException.class)
                .hasMessageContaining("rank 2")
                .hasMessageContaining("(6, 5)");
            ElementType type = odd ? ElementType.FLOAT32 : ElementType.INT32;
            assertThatThrownBy(() -> GlobalArray.create(rank, "a", SHAPE, type, options))
                .isInstanceOf(MixedCallException.class);
            Shape order = odd ? Shape.columnMajor(6, 4) : SHAPE;
            assertThatThrownBy(
                    () -> GlobalArray.openRaw(rank, "a", order, ElementType.INT32, 0, options))
                .isInstanceOf(MixedCallException.class);
            fails(
                ErrorCode.INVALID,
                () ->
                    GlobalArray.create(
                        rank, "a", SHAPE, ElementType.INT32, odd ? OpenOptions.read() : options),
                "rank 2",
                "for writing");
            assertThat(rank.names().list("")).isEmpty();
            rank.barrier();
            try (GlobalArray array = create(rank, options)) {
              assertThat(array.shape()).isEqualTo(SHAPE);
            }
            assertThatThrownBy(() -> create(rank, options)).isInstanceOf(NameExistsException.class);
            rank.barrier();
            create(rank, options.withTruncate()).close();
          });
    }
  }

  @Test
  void lyingHeadersAndWrongSizesAreRefusedOnAllRanksAndChangeNothing() throws Exception {
    byte[] header = NpyHeader.of(SHAPE, ElementType.INT32).encode();
    byte[] good = Arrays.copyOf(header, header.length + 96);
    byte[] noMagic = good.clone();
    noMagic[3] = 0;
    byte[] otherShape = good.clone();
    int at = NpyHeader.of(SHAPE, ElementType.INT32).dict().indexOf("(6") + 11;
    assertThat(otherShape[at]).isEqualTo((byte) '6');
    otherShape[at] = '7';
    List<byte[]> files =
        List.of(
            new byte[0],
            new byte[5],
            noMagic,
            otherShape,
            Arrays.copyOf(good, good.length - 1),
            Arrays.copyOf(good, good.length + 1),
            Arrays.copyOf(good, 100),
            NpyHeaderTest.file(1, "{'descr': '<f8', 'shape': (3,), }"));
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      for (byte[] bytes : files) {
        ArrayFixture.store(cluster, "bad", bytes);
        cluster.run(
            3,
            rank ->
                fails(
                    ErrorCode.INVALID,
                    () -> GlobalArray.open(rank, "bad", OpenOptions.readWrite()),
                    "bad: "));
        assertThat(ArrayFixture.file(cluster, "bad")).isEqualTo(bytes);
      }
      ArrayFixture.store(cluster, "bad", good);
      cluster.run(3, rank -> GlobalArray.open(rank, "bad", OpenOptions.readWrite()).close());
      cluster.run(
          2,
          rank -> {
            fails(
                ErrorCode.INVALID,
                () ->
                    GlobalArray.openRaw(
                        rank, "bad", SHAPE, ElementType.INT32, 4097, OpenOptions.read()),
                "needs 4193 bytes");
            fails(ErrorCode.NO_SUCH_NAME, () -> GlobalArray.open(rank, "no", OpenOptions.read()));
            fails(
                ErrorCode.INVALID,
                () -> GlobalArray.open(rank, "bad", OpenOptions.readWrite().withTruncate()));
          });
      assertThat(ArrayFixture.file(cluster, "bad")).isEqualTo(good);
    }
  }

  @Test
  void rawFilesKeepWhatLiesBeforeAndBehind() throws Exception {
    byte[] bytes = new byte[200];
    Arrays.fill(bytes, (byte) 7);
    try (RunningCluster cluster = ArrayFixture.cluster(2, 9)) {
      ArrayFixture.store(cluster, "raw", bytes);
      cluster.run(
          2,
          rank -> {
            try (GlobalArray array =
                GlobalArray.openRaw(
                    rank, "raw", SHAPE, ElementType.INT32, 13, OpenOptions.readWrite())) {
              boolean first = rank.number() == 0;
              array.writeSection(
                  first ? Section.whole(SHAPE) : Section.of(Range.EMPTY, Range.EMPTY),
                  Local.of(new int[24], SHAPE));
            }
            GlobalArray made =
                GlobalArray.openRaw(
                    rank, "new", SHAPE, ElementType.raw(3), 5, OpenOptions.create());
            assertThat(made.file().size()).isEqualTo(5 + 24 * 3);
            made.close();
          });
      Arrays.fill(bytes, 13, 13 + 96, (byte) 0);
      assertThat(ArrayFixture.file(cluster, "raw")).isEqualTo(bytes);
    }
  }

  @Test
  void sectionsAtTheFarEndOfAFileBeyondFourGigabytes() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(3, 64 << 10)) {
      Shape shape = Shape.rowMajor(3, 100_000, 100_000); // 240 GB, almost all of it a hole
      cluster.run(
          2,
          rank -> {
            try (GlobalArray array =
                GlobalArray.create(
                    rank, "far.npy", shape, ElementType.FLOAT64, OpenOptions.create())) {
              assertThat(array.file().size()).isEqualTo(4096 + 240_000_000_000L);
              int r = rank.number();
              Section mine =
                  Section.of(
                      Range.at(2), new Range(99_000 + r, 99_999, 2), Range.of(99_998, 99_999));
              Shape counts = Shape.columnMajor(1, 500, 2);
              double[] values = new double[1000];
              Arrays.setAll(values, i -> r * 1000 + i + 1);
              assertThat(array.writeSection(mine, Local.of(values, counts))).isEqualTo(8000);
              double[] both = new double[4];
              array.readSection(
                  Section.of(Range.at(2), Range.of(99_998, 99_999), Range.of(99_998, 99_999)),
                  Local.of(both, Shape.rowMajor(1, 2, 2)));
              assertThat(both).containsExactly(500, 1000, 1500, 2000);
              double[] hole = {1};
              array.readSection(Section.parse("1,5,7"), Local.of(hole, Shape.rowMajor(1, 1, 1)));
              assertThat(hole).containsExactly(0);
            }
            GlobalArray.open(rank, "far.npy", OpenOptions.read()).close();
          });
    }
  }

  @Test
  void emptyDimensionsAreAllowed() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            Shape shape = Shape.rowMajor(3, 0);
            try (GlobalArray array =
                GlobalArray.create(rank, "e.npy", shape, ElementType.INT8, OpenOptions.create())) {
              assertThat(array.file().size()).isEqualTo(4096);
              assertThat(array.readSection(Section.whole(shape), Local.of(new byte[0], shape)))
                  .isZero();
            }
            GlobalArray.open(rank, "e.npy", OpenOptions.read()).close();
          });
    }
  }

  @Test
  void fullDisksFailOnAllRanksAndOtherDataIsUnharmed() throws Exception {
    Faults faults = Faults.seeded(1);
    List<Disk> disks =
        List.of(new FaultyDisk(new MemoryDisk("node 0"), faults), new MemoryDisk("node 1"));
    ClusterOptions options = ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20);
    Shape big = Shape.rowMajor(1024, 1024);
    byte[] kept = new byte[300_000];
    Arrays.fill(kept, (byte) 3);
    try (RunningCluster cluster =
        RunningCluster.over(Env.real(), new MemoryDisk("coordinator"), disks, options)) {
      ArrayFixture.store(cluster, "kept", kept);
      cluster.run(
          2,
          rank -> {
            GlobalArray array =
                GlobalArray.create(rank, "big.npy", big, ElementType.FLOAT64, OpenOptions.create());
            double[] mine = new double[512 * 1024];
            Arrays.fill(mine, rank.number() + 1);
            int first = 512 * rank.number();
            Section half = Section.of(Range.of(first, first + 511), Range.all(1024));
            Local local = Local.of(mine, Shape.rowMajor(512, 1024));
            rank.barrier();
            if (rank.number() == 0) {
              faults.fullAfter(100_000);
            }
            rank.barrier();
            assertThatThrownBy(() -> array.writeSection(half, local))
                .isInstanceOf(DiskFullException.class);
            rank.barrier();
            faults.clear();
            rank.barrier();
            array.writeSection(half, local);
            double[] found = new double[512 * 1024];
            array.readSection(half, Local.of(found, Shape.rowMajor(512, 1024)));
            assertThat(found).isEqualTo(mine);
            array.close();
            try (SharedFile file = rank.alone().open("kept", OpenOptions.read())) {
              byte[] back = new byte[kept.length];
              file.at(0).read(Memory.of(back));
              assertThat(back).isEqualTo(kept);
            }
          });
    }
  }
}
