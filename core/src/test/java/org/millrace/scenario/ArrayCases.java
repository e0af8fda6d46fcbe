package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.zarr.NaiveShard;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.array.zarr.ZarrMetadata;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/** Arrays, adjacent pieces and ghost cells: cases 20, 21, 23 and 24. */
abstract class ArrayCases {

  abstract Worlds worlds();

  @Test
  void case23AdjacentPiecesAreExactAndNothingOutsideIsWritten() throws Exception {
    for (int start : new int[] {0, 2235}) {
      worlds()
          .inEach(
              world ->
                  world.run(
                      4,
                      rank -> {
                        byte[] mine = piece(rank.number());
                        long place = start + 100L * rank.number();
                        try (var fresh = rank.open("fresh", OpenOptions.create());
                            var full = rank.open("full", OpenOptions.create())) {
                          byte[] before = new byte[3000];
                          Arrays.fill(before, (byte) 0x55);
                          if (rank.number() == 0) {
                            full.at(0).write(Memory.of(before));
                          }
                          rank.barrier();
                          fresh.at(place).all().write(MemorySegment.ofArray(mine));
                          full.at(place).all().write(MemorySegment.ofArray(mine));
                          byte[] fromNothing = new byte[start + 400];
                          for (int r = 0; r < 4; r++) {
                            System.arraycopy(piece(r), 0, fromNothing, start + 100 * r, 100);
                            System.arraycopy(piece(r), 0, before, start + 100 * r, 100);
                          }
                          assertThat(Bytes.ofFile(rank, "fresh")).isEqualTo(fromNothing);
                          assertThat(Bytes.ofFile(rank, "full")).isEqualTo(before);
                        }
                      }));
    }
  }

  private static byte[] piece(int rank) {
    byte[] bytes = new byte[100];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (100 * rank + i + 1);
    }
    return bytes;
  }

  @Test
  void case24GhostCellsStayInMemory() throws Exception {
    int n = 8;
    int rim = 2;
    Distribution quadrants =
        Distribution.of(Shape.rowMajor(n, n), Grid.balanced(4, 2), Spread.block(), Spread.block());
    int[] file =
        IntStream.range(0, n * n).map(k -> k / n / (n / 2) * 2 + k % n / (n / 2)).toArray();
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      byte[] local =
                          Bytes.ints(n * n, k -> isRim(k / n) || isRim(k % n) ? -8 : rank.number());
                      try (var array = rank.open("ghost", OpenOptions.create())) {
                        array.setView(
                            new View(
                                0,
                                quadrants.part(rank.number(), Bytes.INT),
                                (long) n * n * Bytes.INT));
                        array.write(Memory.of(interior(local, n, rim)));
                        rank.barrier();
                        assertThat(Bytes.toInts(Bytes.ofFile(rank, "ghost"))).isEqualTo(file);
                        byte[] back = Bytes.ints(n * n, _ -> -8);
                        array.at(0).read(Memory.of(interior(back, n, rim)));
                        assertThat(back).isEqualTo(local);
                      }
                    }));
  }

  private static boolean isRim(int index) {
    return index < 2 || index >= 6;
  }

  private static List<MemorySegment> interior(byte[] local, int n, int rim) {
    MemorySegment all = MemorySegment.ofArray(local);
    return IntStream.range(rim, n - rim)
        .mapToObj(
            row -> all.asSlice((long) (row * n + rim) * Bytes.INT, (n - 2L * rim) * Bytes.INT))
        .toList();
  }

  @Test
  void case20WhatIsWrittenBySectionsIsReadBackIntoOtherShapes() throws Exception {
    worlds()
        .inEach(
            world -> {
              world.run(2, ArrayCases::writeHalves);
              world.reopen();
              world.run(3, ArrayCases::readWholeAndSections);
            });
  }

  private static void writeHalves(Rank rank) throws IOException {
    Shape shape = Shape.columnMajor(100, 100);
    int[] values = IntStream.range(0, 10_000).toArray(); // a(i,j) = i-1 + (j-1)*100
    int from = rank.number() * 50;
    try (GlobalArray array =
        GlobalArray.create(rank, "a.npy", shape, ElementType.INT32, OpenOptions.create())) {
      array.writeSection(
          Section.of(Range.of(from, from + 49), Range.all(100)),
          Local.of(values, shape).startingAt(from, 0));
    }
  }

  private static void readWholeAndSections(Rank rank) throws IOException {
    Random random = new Random(rank.number());
    try (GlobalArray array = GlobalArray.open(rank, "a.npy", OpenOptions.read())) {
      int[] all = new int[10_000];
      array.readSection(Section.whole(array.shape()), Local.of(all, array.shape()));
      assertThat(all).isEqualTo(IntStream.range(0, 10_000).toArray());
      for (int turn = 0; turn < 30; turn++) {
        int i = random.nextInt(100);
        int j = random.nextInt(100);
        int rows = 1 + random.nextInt(100 - i);
        int columns = 1 + random.nextInt(100 - j);
        int[] found = new int[rows * columns];
        array.readSection(
            Section.of(Range.of(i, i + rows - 1), Range.of(j, j + columns - 1)),
            Local.of(found, Shape.rowMajor(rows, columns)));
        for (int k = 0; k < found.length; k++) {
          assertThat(found[k]).isEqualTo(i + k / columns + (j + k % columns) * 100);
        }
      }
    }
  }

  @Test
  void shardThatRanksWriteTogetherIsTheFileOfTheSpecification() throws Exception {
    Shape shape = Shape.rowMajor(13, 11);
    byte[] elements = Bytes.ints(13 * 11, k -> k + 1);
    byte[] file = NaiveShard.encode(shape, new long[] {4, 3}, elements, new byte[4]);
    worlds()
        .inEach(
            world -> {
              world.run(3, rank -> writeShard(rank, shape));
              world.reopen();
              world.run(
                  2,
                  rank -> {
                    assertThat(Bytes.ofFile(rank, "a.zarr/c/0/0")).isEqualTo(file);
                    try (GlobalArray array = SharedZarr.open(rank, "a.zarr", OpenOptions.read())) {
                      int[] column = new int[13];
                      array.readSection(
                          Section.of(Range.all(13), Range.at(rank.number())),
                          Local.of(column, Shape.rowMajor(13, 1)));
                      assertThat(column[12]).isEqualTo(12 * 11 + rank.number() + 1);
                    }
                  });
            });
  }

  private static void writeShard(Rank rank, Shape shape) throws IOException {
    ZarrMetadata metadata = ZarrMetadata.shared(shape, ElementType.INT32, 4, 3);
    Distribution columns = Distribution.columns(shape, rank.size());
    Shape mine = columns.localShape(rank.number());
    int[] values = new int[(int) mine.elements()];
    Arrays.setAll(
        values, i -> (int) shape.linear(columns.global(rank.number(), mine.index(i))) + 1);
    try (GlobalArray array = SharedZarr.create(rank, "a.zarr", metadata, OpenOptions.create())) {
      array.writeDistributed(columns, Local.of(values, mine));
    }
  }

  @Test
  void case21ProductOfArraysOnDiskWithPrefetchedPanels() throws Exception {
    worlds().in(new Worlds.Build(3, Worlds.Build.DEFAULT_UNIT), w -> w.run(2, ArrayCases::product));
  }

  private static void product(Rank rank) throws IOException {
    int n = 500;
    int m = 250;
    int panel = 100;
    Shape square = Shape.columnMajor(n, n);
    Shape tall = Shape.columnMajor(n, m);
    try (GlobalArray a =
            GlobalArray.create(rank, "a.npy", square, ElementType.FLOAT64, OpenOptions.create());
        GlobalArray b =
            GlobalArray.create(rank, "b.npy", tall, ElementType.FLOAT64, OpenOptions.create())) {
      double[] values = new double[n * n];
      Arrays.setAll(values, k -> k % n + 1 + k / n + 1);
      double[] rows = new double[n * m];
      Arrays.setAll(rows, k -> k / n + 1);
      boolean first = rank.number() == 0;
      Section nothing = Section.of(Range.EMPTY, Range.EMPTY);
      a.writeSection(first ? Section.whole(square) : nothing, Local.of(values, square));
      b.writeSection(first ? nothing : Section.whole(tall), Local.of(rows, tall));
      Arrays.fill(values, Double.NaN);
      Arrays.fill(rows, Double.NaN);
      b.readSection(Section.whole(tall), Local.of(rows, tall));
      double[] c = new double[n * m];
      double[] columns = new double[n * panel];
      for (int from = 0; from < n; from += panel) {
        Section now = Section.of(Range.all(n), Range.of(from, from + panel - 1));
        a.readSection(now, Local.of(columns, Shape.columnMajor(n, panel)));
        if (from + panel < n) {
          a.prefetch(Section.of(Range.all(n), Range.of(from + panel, from + 2 * panel - 1)));
        }
        for (int j = rank.number(); j < m; j += rank.size()) {
          for (int k = 0; k < panel; k++) {
            for (int i = 0; i < n; i++) {
              c[i + j * n] += columns[i + k * n] * rows[from + k + j * n];
            }
          }
        }
      }
      for (int j = rank.number(); j < m; j += rank.size()) {
        for (int i = 0; i < n; i++) {
          double wanted = 0.5 * n * (j + 1) * (n + 1 + 2.0 * (i + 1));
          assertThat(c[i + j * n]).isEqualTo(wanted, offset(1e-8 * wanted));
        }
      }
    }
  }
}
