package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.layout.Layout;

/**
 * Case 19: how many bytes each strand has on its disk, for four strands and stripe units of 1 MiB.
 */
abstract class StripingCases {

  private static final long S = 1 << 20;

  abstract Worlds worlds();

  /** The written range and the strands' sizes, each as a number of stripe units plus some bytes. */
  @ParameterizedTest
  @CsvSource({
    "6, 0,  0, 0,   2 0, 2 0, 1 0, 1 0",
    "7, 0,  1, 0,   2 0, 2 0, 2 0, 2 0",
    "7, 0,  2, 0,   3 0, 2 0, 2 0, 2 0",
    "2, 0,  0, 1,   1 0, 1 0, 0 1, 0 0",
    "2, 0,  1, -1,  1 0, 1 0, 1 -1, 0 0",
    "2, 1,  0, 0,   1 0, 1 0, 0 1, 0 0",
  })
  void case19StrandsHaveExactlyTheirBytes(
      long lengthUnits,
      long lengthBytes,
      long startUnits,
      long startBytes,
      String first,
      String second,
      String third,
      String fourth)
      throws Exception {
    byte[] written = new byte[Math.toIntExact(lengthUnits * S + lengthBytes)];
    Arrays.fill(written, (byte) 0xFF);
    long start = startUnits * S + startBytes;
    List<Long> expected = List.of(bytes(first), bytes(second), bytes(third), bytes(fourth));
    worlds()
        .in(
            new Worlds.Build(4, S),
            world -> {
              List<Integer> nodes = new ArrayList<>();
              world.run(
                  1,
                  rank -> {
                    try (var file = rank.open("striped", OpenOptions.create().withStrands(4))) {
                      Layout layout = file.layout();
                      assertThat(layout.stripeUnitBytes()).isEqualTo(S);
                      nodes.addAll(layout.nodes());
                      assertThat(file.at(start).write(Memory.of(written)))
                          .isEqualTo(written.length);
                    }
                  });
              List<Long> byNode = world.strandSizes();
              assertThat(nodes.stream().map(byNode::get)).isEqualTo(expected);
              byte[] all = Bytes.ofFile(world, "striped");
              assertThat(all).hasSize(Math.toIntExact(start + written.length));
              byte[] hole = Arrays.copyOf(all, Math.toIntExact(start));
              assertThat(Arrays.equals(hole, new byte[hole.length])).isTrue();
              assertThat(Arrays.mismatch(all, hole.length, all.length, written, 0, written.length))
                  .isEqualTo(-1);
            });
  }

  private static long bytes(String unitsAndBytes) {
    int blank = unitsAndBytes.indexOf(' ');
    return Long.parseLong(unitsAndBytes.substring(0, blank)) * S
        + Long.parseLong(unitsAndBytes.substring(blank + 1));
  }
}
