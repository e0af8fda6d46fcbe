package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

/** Views that end where strands do. */
final class ViewEndTest {

  private static final OpenOptions STRANDS = OpenOptions.create().withStripeUnit(4).withStrands(3);

  @Test
  void aStrandEndsWhereItWasWrittenLast() throws IOException {
    try (var world = ClusterWorld.inMemory(Env.real(), new Worlds.Build(3, 7))) {
      world.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", STRANDS)) {
              file.at(4 + 12).write(Memory.of(new byte[] {1, 2})); // the second unit of strand 1
              assertThat(file.size()).isEqualTo(18);
              assertThat(file.strandEnd(0)).isZero();
              assertThat(file.strandEnd(1)).isEqualTo(6);
              assertThat(file.strandEnd(2)).isZero();
              file.setView(new View(4, Pattern.run(4), 12));
              assertThat(file.endPosition()).isEqualTo(6);
              file.setView(new View(0, Pattern.run(4), 12));
              assertThat(file.endPosition()).as("where the file ends").isEqualTo(8);
              file.setView(new View(0, Pattern.run(4), 12), ends -> ends[0]);
              assertThat(file.endPosition()).isZero();
              assertThat(file.read(Memory.of(new byte[9]))).isZero();
              file.setView(new View(0, Pattern.run(4), 12));
              assertThat(file.read(Memory.of(new byte[9]))).as("forgotten").isEqualTo(8);
            }
          });
    }
  }

  @Test
  void inEveryModeReadsGoToTheEndOfTheViewAndWhatIsMissingIsZeros() throws IOException {
    try (var world = ClusterWorld.inMemory(Env.real(), new Worlds.Build(3, 7))) {
      world.run(
          2,
          rank -> {
            // downwards on strand 0, then on strand 1: bytes 0, 12, 4, 16 and so on
            Pattern down = Pattern.loop(2, 12, Pattern.run(1));
            Pattern tile =
                Pattern.sequence(java.util.List.of(new Placed(0, down), new Placed(4, down)));
            View view = new View(0, tile, 24);
            try (SharedFile file = rank.open("f", STRANDS)) {
              if (rank.number() == 0) {
                file.at(0).write(Memory.of(new byte[] {7}));
                file.at(4).write(Memory.of(new byte[] {8}));
              }
              rank.barrier();
              for (Mode mode : Mode.values()) {
                file.setMode(Mode.INDEPENDENT);
                file.setView(view, _ -> 3); // byte 12 lies behind the end of the file
                file.setMode(mode);
                byte[] got = {9, 9, 9, 9, 9};
                long count = file.read(Memory.of(got));
                long all = rank.allReduceLong(count, Long::sum);
                switch (mode) {
                  case INDEPENDENT, ATOMIC, GLOBAL -> {
                    assertThat(count).as("%s", mode).isEqualTo(3);
                    assertThat(got).containsExactly(7, 0, 8, 9, 9);
                  }
                  default -> assertThat(all).as("%s", mode).isEqualTo(3);
                }
              }
            }
          });
    }
  }
}
