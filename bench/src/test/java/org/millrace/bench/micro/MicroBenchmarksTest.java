package org.millrace.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.bench.measure.Allocations;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Places;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Sizes;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/** The driver with sizes that measure nothing. */
class MicroBenchmarksTest {

  @TempDir Path dir;

  static List<String> names() {
    return MicroBenchmarks.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyBenchmarkChecksItsBytesReportsItsStepsAndCleansUp(String name) throws Exception {
    Path folder = dir.resolve("new");
    Steps steps = new Steps();
    MicroOptions options = new MicroOptions(folder, true, List.of(name));
    List<Row> rows = new MicroBenchmarks(Env.real(), options, Sizes.TINY).run(steps);

    assertThat(rows).isNotEmpty().allSatisfy(row -> assertThat(row.benchmark()).isEqualTo(name));
    assertThat(rows)
        .filteredOn(row -> row.verdict() != Row.Verdict.SKIPPED)
        .allSatisfy(row -> assertThat(row.value().getAsDouble()).isNotNegative().isFinite());
    assertThat(steps.told).isEqualTo(steps.expected).isPositive();
    assertThat(steps.rows).isEqualTo(rows);
    assertThat(folder).doesNotExist();
  }

  @Test
  void unknownNameIsRefusedWithThoseThereAre() {
    assertThatThrownBy(() -> new MicroOptions(dir, true, List.of("nothing")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nothing")
        .hasMessageContaining("contiguous");
  }

  @Test
  void folderThatWasThereStays() throws Exception {
    MicroOptions options = new MicroOptions(dir, true, List.of("shared"));
    new MicroBenchmarks(Env.real(), options, Sizes.TINY).run(new Steps());
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void wrongBytesAreNoticed() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64, 8);
      Content.fill(memory, 128, 7);
      Content.check(memory, 128, 7);
      assertThatThrownBy(() -> Content.check(memory, 128, 8))
          .isInstanceOf(WrongResultException.class);
      assertThatThrownBy(() -> Content.check(memory, 136, 7))
          .isInstanceOf(WrongResultException.class);
      memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 63, (byte) 0);
      memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 62, (byte) 1);
      assertThatThrownBy(() -> Content.check(memory, 128, 7))
          .isInstanceOf(WrongResultException.class)
          .hasMessageContaining("at 184");
    }
  }

  @Test
  void whatAVirtualThreadAllocatesIsCounted() throws Exception {
    int arrays = 10_000;
    List<byte[]> kept = new ArrayList<>();
    long before = Allocations.total();
    Env.real()
        .start(
            ThreadKind.RANK,
            "allocates",
            () -> {
              for (int i = 0; i < arrays; i++) {
                kept.add(new byte[1000]);
              }
            })
        .join();
    assertThat(Allocations.total() - before).isGreaterThan(arrays * 1000L);
    assertThat(kept).hasSize(arrays);
  }

  @Test
  void placesStayInTheirRangeAndReachAllOfIt() {
    Places places = new Places(1, 100, 7);
    boolean[] seen = new boolean[7];
    for (int i = 0; i < 1000; i++) {
      seen[(int) places.next() - 100] = true;
    }
    assertThat(seen).containsOnly(true);
  }

  private static final class Steps implements MicroBenchmarks.Listener {
    private int expected;
    private int told;
    private List<Row> rows = List.of();

    @Override
    public void begins(String benchmark, int steps) {
      expected = steps;
    }

    @Override
    public void stepped() {
      told++;
    }

    @Override
    public void ended(List<Row> ended) {
      rows = ended;
    }
  }
}
