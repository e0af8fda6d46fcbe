package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** Disk-directed calls in which ranks speak only to strands that have something of theirs. */
abstract class SparseDirectedCases {

  static final int RANKS = 8;
  static final int STRANDS = 128;
  static final int UNIT = 4096;
  static final int RUN = UNIT / 2;
  static final int RUNS = 16;
  static final int MINE = RUN * RUNS;

  private static final Worlds.Build BUILD = new Worlds.Build(3, Worlds.Build.DEFAULT_UNIT);

  abstract Worlds worlds();

  static OpenOptions options() {
    return OpenOptions.create()
        .withStrands(STRANDS)
        .withStripeUnit(UNIT)
        .withHints(Hints.DEFAULT.withStrategy(Strategy.DISK_DIRECTED));
  }

  /** Runs of half a unit, dealt to the ranks in turn: each strand has something of two of them. */
  static View view(int rank) {
    return new View((long) rank * RUN, Pattern.run(RUN), (long) RANKS * RUN);
  }

  /** What the ranks write: every byte of the file has another place, rank and salt. */
  static byte[] content(int rank, int salt) {
    return BadInputs.content(MINE, 100L * salt + rank);
  }

  static void write(Rank rank, SharedFile file, int salt) throws java.io.IOException {
    MemorySegment bytes = MemorySegment.ofArray(content(rank.number(), salt));
    assertThat(file.at(0).all().write(bytes)).isEqualTo(MINE);
  }

  static void read(Rank rank, SharedFile file, int salt) throws java.io.IOException {
    byte[] back = new byte[MINE];
    assertThat(file.at(0).all().read(MemorySegment.ofArray(back))).isEqualTo(MINE);
    assertThat(back).isEqualTo(content(rank.number(), salt));
  }

  @Test
  void everyByteIsWhereItBelongsThoughRanksComeLate() throws Exception {
    worlds()
        .in(
            BUILD,
            world -> {
              world.run(
                  RANKS,
                  rank -> {
                    try (SharedFile file = rank.open("f", options())) {
                      file.setView(view(rank.number()));
                      for (int salt = 1; salt <= 3; salt++) {
                        for (int late = 0; late < rank.number() * salt % 5; late++) {
                          file.extend(1); // a round trip
                        }
                        write(rank, file, salt);
                        read(rank, file, salt);
                      }
                    }
                  });
              byte[] found = Bytes.ofFile(world, "f");
              assertThat(found).hasSize(RANKS * MINE);
              for (int r = 0; r < RANKS; r++) {
                byte[] expected = content(r, 3);
                for (int i = 0; i < MINE; i++) {
                  assertThat(found[i / RUN * RUN * RANKS + r * RUN + i % RUN])
                      .isEqualTo(expected[i]);
                }
              }
            });
  }

  /** Memory in two parts, and ranks that want nothing. */
  @Test
  void partsOfMemoryAndRanksThatWantNothing() throws Exception {
    worlds()
        .in(
            BUILD,
            world ->
                world.run(
                    RANKS + 2,
                    rank -> {
                      try (SharedFile file = rank.open("f", options())) {
                        boolean idle = rank.number() >= RANKS;
                        byte[] mine = idle ? new byte[0] : content(rank.number(), 7);
                        byte[] left = new byte[mine.length / 3];
                        byte[] right = new byte[mine.length - left.length];
                        file.setView(idle ? View.WHOLE : view(rank.number()));
                        assertThat(file.at(0).all().write(MemorySegment.ofArray(mine)))
                            .isEqualTo(mine.length);
                        Memory both =
                            Memory.of(
                                List.of(MemorySegment.ofArray(left), MemorySegment.ofArray(right)));
                        assertThat(file.at(0).all().read(both)).isEqualTo(mine.length);
                        byte[] back = java.util.Arrays.copyOf(left, mine.length);
                        System.arraycopy(right, 0, back, left.length, right.length);
                        assertThat(back).isEqualTo(mine);
                      }
                    }));
  }
}
