package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;

/**
 * Case 12: two ranks whose ints alternate, in memory (as vectored buffers), in the file, or in
 * both, write at the same time and not atomically.
 */
abstract class MemoryTypeCases {

  private static final int N = 5000;
  private static final long EXTENT = N * Bytes.INT;

  abstract Worlds worlds();

  private static byte[] values(int rank) {
    return Bytes.ints(N, i -> i + N * rank);
  }

  /** Every other int of a buffer. */
  private static List<MemorySegment> alternate(int rank, byte[] buffer) {
    MemorySegment all = MemorySegment.ofArray(buffer);
    return IntStream.range(0, N / 2)
        .mapToObj(k -> all.asSlice((2L * k + rank) * Bytes.INT, Bytes.INT))
        .toList();
  }

  private static View alternating(int rank) {
    Pattern every = Pattern.loop(N / 2, 2 * Bytes.INT, Pattern.run(Bytes.INT));
    return new View((long) rank * Bytes.INT, every, EXTENT);
  }

  @Test
  void case12AlternatingInMemoryAndFile() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    2,
                    rank -> {
                      int r = rank.number();
                      try (var file = rank.open("a", OpenOptions.create())) {
                        file.setView(alternating(r));
                        assertThat(file.at(0).write(Memory.of(alternate(r, values(r)))))
                            .isEqualTo(EXTENT / 2);
                        rank.barrier();
                        assertThat(Bytes.ofFile(rank, "a"))
                            .isEqualTo(Bytes.ints(N, p -> p + N * (p % 2)));
                        byte[] back = Bytes.ints(N, _ -> -1);
                        assertThat(file.at(0).read(Memory.of(alternate(r, back))))
                            .isEqualTo(EXTENT / 2);
                        assertThat(back).isEqualTo(Bytes.ints(N, p -> p % 2 == r ? p + N * r : -1));
                      }
                    }));
  }

  @Test
  void case12AlternatingInMemoryOnly() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    2,
                    rank -> {
                      int r = rank.number();
                      try (var file = rank.open("b", OpenOptions.create())) {
                        file.setView(View.from(r * EXTENT / 2));
                        assertThat(file.write(Memory.of(alternate(r, values(r)))))
                            .isEqualTo(EXTENT / 2);
                        rank.barrier();
                        int half = N / 2;
                        assertThat(Bytes.ofFile(rank, "b"))
                            .isEqualTo(
                                Bytes.ints(N, p -> 2 * (p % half) + p / half + N * (p / half)));
                        byte[] back = Bytes.ints(N, _ -> -1);
                        assertThat(file.at(0).read(Memory.of(alternate(r, back))))
                            .isEqualTo(EXTENT / 2);
                        assertThat(back).isEqualTo(Bytes.ints(N, p -> p % 2 == r ? p + N * r : -1));
                      }
                    }));
  }

  @Test
  void case12AlternatingInTheFileOnly() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    2,
                    rank -> {
                      int r = rank.number();
                      try (var file = rank.open("c", OpenOptions.create())) {
                        file.setView(alternating(r));
                        assertThat(file.write(Memory.of(values(r)))).isEqualTo(EXTENT);
                        rank.barrier();
                        assertThat(Bytes.ofFile(rank, "c"))
                            .isEqualTo(
                                Bytes.ints(
                                    2 * N, p -> N / 2 * (p / N) + p % N / 2 + N * (p % N % 2)));
                        byte[] back = new byte[N * Bytes.INT];
                        assertThat(file.at(0).read(Memory.of(back))).isEqualTo(EXTENT);
                        assertThat(back).isEqualTo(values(r));
                      }
                    }));
  }
}
