package org.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.Cluster;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;

final class HeatTest {

  @TempDir private Path folder;

  @ParameterizedTest(name = "{0} ranks, {1} nodes, size {2}, {3} steps")
  @CsvSource({
    "1, 1, 40, 30",
    "2, 1, 40, 30",
    "3, 2, 40, 30",
    "4, 4, 41, 30",
    "7, 3, 40, 30", // the last rank has fewer rows
    "9, 2, 10, 30", // some have none
    "12, 2, 5, 7", // more ranks than rows
    "3, 2, 1, 9",
    "2, 2, 2, 9",
    "2, 3, 3, 9",
    "4, 2, 40, 0"
  })
  void fieldIsThatOfOnePlainLoopForAnyRanksAndNodes(int ranks, int nodes, int size, int steps)
      throws IOException {
    HeatResult.Done done = run(request(ranks, nodes, size, steps, 10));
    assertThat(done.checksum()).isEqualTo(PlainHeat.checksum(size, steps));
    assertThat(read(HeatRank.FIELD)).isEqualTo(PlainHeat.bytes(size, steps));
    double[] cells =
        Arrays.stream(PlainHeat.field(size, steps)).flatMapToDouble(Arrays::stream).toArray();
    assertThat(done.maximum()).isEqualTo(Arrays.stream(cells).max().orElseThrow());
    double mean = Arrays.stream(cells).average().orElseThrow();
    assertThat(done.mean()).isEqualTo(mean, within(1e-9));
  }

  @Test
  void snapshotsAreTheFieldsOfTheWayOneAfterTheOther() throws IOException {
    run(request(3, 2, 33, 25, 10));
    byte[] all = read(HeatRank.SNAPSHOTS);
    int each = 33 * 33 * Double.BYTES;
    assertThat(all).hasSize(3 * each);
    for (int i = 0; i < 3; i++) {
      assertThat(Arrays.copyOfRange(all, i * each, (i + 1) * each))
          .as("snapshot " + i)
          .isEqualTo(PlainHeat.bytes(33, 10 * i));
    }
  }

  @Test
  void snapshotsAreChosenForThePictureWithTheirSteps() throws IOException {
    HeatResult.Done done = run(request(2, 2, 300, 8, 1));
    assertThat(done.snapshots()).extracting(HeatResult.Snapshot::step).containsExactly(0, 2, 4, 6);
    Raster small = done.snapshots().get(1).raster();
    double[][] field = PlainHeat.field(300, 2);
    assertThat(small.side()).isEqualTo(100);
    assertThat(small.at(50, 31)).isEqualTo(field[150][93]);
    assertThat(small.at(99, 99)).isEqualTo(field[297][297]);
  }

  @ParameterizedTest(name = "{0} ranks stopped, then {1} ranks over {2} nodes")
  @CsvSource({"4, 5, 2", "1, 3, 4", "5, 1, 1", "2, 50, 3"})
  void stoppedAndResumedIsTheSameAsStraightThrough(int before, int after, int nodes)
      throws IOException {
    StopAt watch = new StopAt(2);
    HeatResult stopped = Heat.run(request(before, 2, 40, 300, 70), watch);
    assertThat(stopped).isInstanceOf(HeatResult.Stopped.class);
    assertThat(stopped.plan().step()).isBetween(1, 299).isEqualTo(watch.saved);
    HeatResult.Done done = run(resume(after, nodes));
    assertThat(done.plan().step()).isEqualTo(300);
    assertThat(done.checksum()).isEqualTo(PlainHeat.checksum(40, 300));
    int each = 40 * 40 * Double.BYTES;
    byte[] all = read(HeatRank.SNAPSHOTS);
    assertThat(Arrays.copyOfRange(all, 4 * each, 5 * each)).isEqualTo(PlainHeat.bytes(40, 280));
  }

  @Test
  void finishedRunGoesOnWithMoreSteps() throws IOException {
    run(request(3, 2, 20, 15, 10));
    HeatRequest more =
        new HeatRequest(
            folder, 4, 2, OptionalInt.of(20), OptionalInt.of(33), OptionalInt.empty(), true);
    assertThat(run(more).checksum()).isEqualTo(PlainHeat.checksum(20, 33));
    assertThat(run(resume(1, 1)).checksum()).isEqualTo(PlainHeat.checksum(20, 33));
  }

  @Test
  void secondRunInTheFolderMayHaveFewerOrMoreNodes() throws IOException {
    for (int nodes : new int[] {3, 1, 4}) {
      run(request(2, nodes, 40, 3, 3));
      try (Cluster cluster = Cluster.embedded(folder, 1)) {
        cluster.run(
            1,
            rank -> {
              try (var file = rank.open(HeatRank.FIELD, OpenOptions.read())) {
                assertThat(file.layout().strands()).isEqualTo(nodes);
              }
            });
      }
    }
  }

  @Test
  void resumeThatDoesNotFitSaysWhy() throws IOException {
    run(request(2, 1, 20, 12, 5));
    refuses(OptionalInt.of(21), OptionalInt.empty(), OptionalInt.empty(), "--size 21", "20");
    refuses(OptionalInt.empty(), OptionalInt.of(11), OptionalInt.empty(), "--steps 11", "12");
    refuses(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.of(6), "--every 6", "5");
    assertThat(run(resume(2, 1)).checksum()).isEqualTo(PlainHeat.checksum(20, 12));
  }

  private void refuses(OptionalInt size, OptionalInt steps, OptionalInt every, String... says) {
    HeatRequest request = new HeatRequest(folder, 3, 1, size, steps, every, true);
    assertThatThrownBy(() -> run(request))
        .isInstanceOf(HeatException.class)
        .hasMessageContainingAll(says);
  }

  @Test
  void resumeWithoutCheckpointSaysSoAndMakesNoFolder() throws IOException {
    Path absent = folder.resolve("absent");
    HeatRequest request =
        new HeatRequest(
            absent, 2, 1, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), true);
    assertThatThrownBy(() -> run(request)).hasMessageContaining("no checkpoint in " + absent);
    assertThat(absent).doesNotExist();
    assertThatThrownBy(() -> run(resume(2, 2)))
        .isInstanceOf(HeatException.class)
        .hasMessageContaining("no checkpoint in " + folder);
  }

  @Test
  void sizeBeyondTheHeapIsRefusedBeforeAnythingIsTouched() throws IOException {
    run(request(2, 1, 20, 12, 5));
    assertThatThrownBy(() -> run(request(2, 1, 1_000_000, 12, 5)))
        .isInstanceOf(HeatException.class)
        .hasMessageContainingAll("--size 1000000", "-Xmx");
    assertThat(run(resume(2, 1)).checksum()).isEqualTo(PlainHeat.checksum(20, 12));
  }

  private HeatRequest request(int ranks, int nodes, int size, int steps, int every) {
    return new HeatRequest(
        folder,
        ranks,
        nodes,
        OptionalInt.of(size),
        OptionalInt.of(steps),
        OptionalInt.of(every),
        false);
  }

  private HeatRequest resume(int ranks, int nodes) {
    return new HeatRequest(
        folder, ranks, nodes, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), true);
  }

  private static HeatResult.Done run(HeatRequest request) throws IOException {
    return (HeatResult.Done) Heat.run(request, new StopAt(Integer.MAX_VALUE));
  }

  private byte[] read(String name) throws IOException {
    AtomicReference<byte[]> bytes = new AtomicReference<>(new byte[0]);
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open(name, OpenOptions.read())) {
              byte[] all = new byte[(int) file.size()];
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(all.length);
              bytes.set(all);
            }
          });
    }
    return bytes.get();
  }

  /** Wants to stop when it has been asked so many times. */
  private static final class StopAt implements HeatWatch {

    private final int times;
    private int asked;
    private int saved = -1;

    StopAt(int times) {
      this.times = times;
    }

    @Override
    public void begun(HeatPlan plan) {}

    @Override
    public void stepped() {}

    @Override
    public void saved(int step) {
      saved = step;
    }

    @Override
    public boolean wantsStop() {
      return ++asked >= times;
    }
  }
}
