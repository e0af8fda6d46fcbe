package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;

/** Adjacent pieces and ghost cells: cases 23 and 24. */
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
                            full.writeAt(0, before);
                          }
                          rank.barrier();
                          fresh.writeAtAll(place, MemorySegment.ofArray(mine));
                          full.writeAtAll(place, MemorySegment.ofArray(mine));
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
                        array.write(interior(local, n, rim));
                        rank.barrier();
                        assertThat(Bytes.toInts(Bytes.ofFile(rank, "ghost"))).isEqualTo(file);
                        byte[] back = Bytes.ints(n * n, _ -> -8);
                        array.readAt(0, interior(back, n, rim));
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
}
