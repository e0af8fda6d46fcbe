package org.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/** What is left after a kill at each stage of writing a checkpoint. */
final class CheckpointsTest {

  private static final int SIZE = 100;
  private static final HeatPlan FIRST = new HeatPlan(SIZE, 10, 50, 10);
  private static final HeatPlan SECOND = FIRST.at(20);

  @TempDir private Path folder;

  /** Two checkpoints, by three ranks: step 10 in the first file, step 20 in the second. */
  @BeforeEach
  void saveTwo() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      cluster.run(
          3,
          rank -> {
            if (rank.number() == 0) {
              rank.names().makeDirectory("heat");
            }
            rank.barrier();
            try (Checkpoints checkpoints = Checkpoints.open(rank, 2)) {
              RowBlock field = new RowBlock(rank, SIZE);
              field.begin();
              checkpoints.save(FIRST, field);
              field.step();
              checkpoints.save(SECOND, field);
            }
          });
    }
  }

  @Test
  void newestCountsIfBothAreWhole() throws IOException {
    assertThat(newestPlan()).contains(SECOND);
  }

  @Test
  void killedWhileWritingTheFieldLeavesTheOther() throws IOException {
    overwrite(1, 70_000, new byte[] {1, 2, 3});
    assertThat(newestPlan()).contains(FIRST);
  }

  @Test
  void killedBeforeTheHeaderLeavesTheOther() throws IOException {
    // The field of step 30 is all there, in front of the header of step 10.
    overwrite(0, 64 << 10, new byte[SIZE * SIZE * Double.BYTES]);
    assertThat(newestPlan()).contains(SECOND);
    overwrite(1, 64 << 10, new byte[SIZE * SIZE * Double.BYTES]);
    assertThat(newestPlan()).isEmpty();
  }

  @Test
  void headerThatIsCutOrWrongLeavesTheOther() throws IOException {
    overwrite(1, 12, new byte[] {21});
    assertThat(newestPlan()).contains(FIRST);
    overwrite(0, 0, new byte[CheckpointHeader.BYTES]);
    assertThat(newestPlan()).isEmpty();
  }

  @Test
  void nextSaveOverwritesTheOlder() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      cluster.run(
          5,
          rank -> {
            try (Checkpoints checkpoints = Checkpoints.open(rank, 2)) {
              Checkpoints.Saved saved = checkpoints.newest().orElseThrow();
              checkpoints.save(FIRST.at(30), saved.field());
            }
          });
    }
    overwrite(0, 0, new byte[1]);
    assertThat(newestPlan()).contains(SECOND);
  }

  @Test
  void fieldComesBackForAnotherNumberOfRanks() throws IOException {
    int expected = PlainHeat.checksum(SIZE, 1);
    onRanks(
        7,
        rank -> {
          try (Checkpoints checkpoints = Checkpoints.open(rank, 2)) {
            assertThat(checkpoints.newest().orElseThrow().field().checksum()).isEqualTo(expected);
          }
        });
  }

  private Optional<HeatPlan> newestPlan() throws IOException {
    AtomicReference<Optional<HeatPlan>> found = new AtomicReference<>(Optional.empty());
    onRanks(
        2,
        rank -> {
          try (Checkpoints checkpoints = Checkpoints.open(rank, 2)) {
            var newest = checkpoints.newest();
            if (rank.number() == 0) {
              found.set(newest.map(Checkpoints.Saved::plan));
            }
          }
        });
    return found.get();
  }

  private void overwrite(int file, long at, byte[] bytes) throws IOException {
    onRanks(
        1,
        rank -> {
          try (var open = rank.open(Checkpoints.NAMES.get(file), OpenOptions.readWrite())) {
            open.at(at).write(Memory.of(bytes));
          }
        });
  }

  private void onRanks(int ranks, Body body) throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      cluster.run(ranks, body::run);
    }
  }

  private interface Body {
    void run(Rank rank) throws IOException;
  }
}
