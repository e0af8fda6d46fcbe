package org.millrace.bench.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.bench.grid.GridOptions.Suite;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.bench.report.GridJson;
import org.millrace.bench.report.GridPage;
import org.millrace.bench.report.GridTable;
import org.millrace.bench.testing.Json;
import org.millrace.env.Env;
import org.xml.sax.InputSource;

/** The driver with sizes that measure nothing, its checks, and the ways to print a grid. */
class StrategyGridTest {

  private static final Machine MACHINE = new Machine("25", "a \"system\" <&>", 2, "today");

  @TempDir Path dir;

  @Test
  void aSuiteRunsAllMethodsChecksItsBytesAndCleansUp() throws Exception {
    run(Suite.PASSION);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(value = Suite.class, names = "PASSION", mode = EnumSource.Mode.EXCLUDE)
  void allOthersDoTheSame(Suite suite) throws Exception {
    run(suite);
  }

  private void run(Suite suite) throws Exception {
    Path folder = dir.resolve("new");
    GridOptions options =
        new GridOptions(suite, folder, true, List.of(2, 4), List.of(), 0, true, 4096, 8192);
    Heard heard = new Heard();
    StrategyGrid.Result result = new StrategyGrid(Env.real(), options, GridSizes.TINY).run(heard);

    assertThat(result.rows()).isNotEmpty().isEqualTo(heard.rows);
    assertThat(result.cold()).isNotEmpty().isEqualTo(heard.cold);
    assertThat(result.rows())
        .allSatisfy(
            row -> {
              assertThat(row.cells()).hasSize(8);
              assertThat(row.cells()).allSatisfy(cell -> assertThat(cell.nanos()).isPositive());
              assertThat(row.cells()).extracting(Cell::method).endsWith("auto");
              assertThat(row.cells()).extracting(Cell::method).contains(row.taken());
              assertThat(row.taken()).isNotEqualTo("auto");
            });
    assertThat(result.rows()).extracting(GridRow::write).contains(true, false);
    assertThat(heard.stepped).isEqualTo(heard.expected).isPositive();
    assertThat(folder).doesNotExist();
  }

  @Test
  void shortCallsHaveMoreLaps() throws Exception {
    GridOptions options =
        new GridOptions(Suite.PATTERNS, dir, true, List.of(2), List.of("bb, 8 K"), 0, false, 0, 0);
    assertThat(laps(options, GridSizes.TINY)).containsOnly(2);
    assertThat(laps(options, GridSizes.TINY.goingOnFor(60_000_000_000L))).containsOnly(25);
  }

  private List<Integer> laps(GridOptions options, GridSizes sizes) throws Exception {
    return new StrategyGrid(Env.real(), options, sizes)
        .run(new Heard()).rows().stream()
            .map(row -> row.cell("auto").orElseThrow().laps().size())
            .toList();
  }

  @Test
  void unknownWorkloadIsRefusedWithThoseThereAre() {
    GridOptions options =
        new GridOptions(Suite.PASSION, dir, true, List.of(4), List.of("nothing"), 0, true, 0, 0);
    assertThatThrownBy(() -> new StrategyGrid(Env.real(), options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nothing")
        .hasMessageContaining("row-cyclic");
  }

  @Test
  void wrongByteInMemoryIsNoticed() {
    try (Arena arena = Arena.ofConfined()) {
      Workload workload = Workloads.passion(4, 64).getLast();
      RankMemory memory = new RankMemory(arena, workload.size());
      memory.lay(workload);
      long bytes = workload.parts().get(3).size();
      memory.fill(3);
      memory.target(3).copyFrom(memory.source(3, false));
      memory.check(3, bytes);
      MemorySegment target = memory.target(3);
      long place = bytes - 3;
      target.set(
          ValueLayout.JAVA_BYTE, place, (byte) (target.get(ValueLayout.JAVA_BYTE, place) + 1));
      assertThatThrownBy(() -> memory.check(3, bytes))
          .isInstanceOf(WrongResultException.class)
          .hasMessageContaining("rank 3")
          .hasMessageContaining("at " + place);
      memory.poison(3);
      assertThatThrownBy(() -> memory.check(3, bytes)).isInstanceOf(WrongResultException.class);
    }
  }

  @Test
  void wrongByteAnywhereInTheFileIsNoticed() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      Workload workload = Workloads.iorHard(2, 2).getFirst();
      MemorySegment file = arena.allocate(workload.fileBytes(), 8);
      FileModel model = new FileModel(arena, workload.fileBytes());
      model.write((at, part) -> MemorySegment.copy(part, 0, file, at, part.byteSize()));
      FileModel.Transfer read =
          (at, part) -> MemorySegment.copy(file, at, part, 0, part.byteSize());
      model.check("before", false, read);

      Workload half =
          new Workload(
              "s",
              "n",
              workload.fileBytes(),
              false,
              workload.ops(),
              List.of(workload.parts().get(1)));
      RankMemory memory = new RankMemory(arena, half.size());
      memory.lay(half);
      memory.fill(0);
      PartCopy copy = new PartCopy(half.parts().getFirst());
      copy.copy(file, memory.source(0, true), true, 0, half.fileBytes());
      model.mark(half);
      model.check("after", true, read);
      assertThatThrownBy(() -> model.check("stale", false, read))
          .isInstanceOf(WrongResultException.class);

      file.set(ValueLayout.JAVA_BYTE, 7, (byte) 1); // a neighbour's
      assertThatThrownBy(() -> model.check("neighbour", true, read))
          .isInstanceOf(WrongResultException.class)
          .hasMessageContaining("neighbour")
          .hasMessageContaining("byte 0");
    }
  }

  @Test
  void copiesOfAnyRangesOfTheFileAddUpToTheWhole() {
    try (Arena arena = Arena.ofConfined()) {
      for (Workload workload : Workloads.passion(4, 64)) {
        MemorySegment file = arena.allocate(workload.fileBytes(), 8);
        for (long i = 0; i < file.byteSize(); i += 8) {
          file.set(ValueLayout.JAVA_LONG, i, i / 8);
        }
        RankMemory memory = new RankMemory(arena, workload.size());
        memory.lay(workload);
        for (int rank = 0; rank < 4; rank++) {
          memory.fill(rank);
          PartCopy copy = new PartCopy(workload.parts().get(rank));
          for (long block : new long[] {40, 1000, 4096, 1 << 20}) {
            memory.poison(rank);
            for (long at = 0; at < file.byteSize(); at += block) {
              copy.copy(file, memory.target(rank), false, at, at + block);
            }
            memory.check(rank, workload.parts().get(rank).size());
          }
        }
      }
    }
  }

  private static GridRow row(String name, boolean write, String taken, double... millis) {
    List<String> names =
        List.of(
            "calls",
            "limit",
            "direct",
            "sieved",
            "two-phase",
            "extended-two-phase",
            "disk-directed",
            "auto");
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      Cell.How how = i == 0 ? Cell.How.SCALED : i == 2 ? Cell.How.ESTIMATED : Cell.How.MEASURED;
      cells.add(Cell.of(names.get(i), how, List.of(millis[i] * 1e6)));
    }
    return new GridRow("passion", name, write, 16, 1000, 10, true, cells, taken);
  }

  private static final GridRow GOOD = row("a <b>", false, "", 900, 7, 1, 20, 30, 40, 9.5, 10);
  private static final GridRow BAD = row("a <b>", true, "sieved", 900, 7, 1, 20, 30, 40, 8, 11);
  private static final GridRow CLOSE = row("c", true, "sieved", 900, 0.01, 1, 0.05, 3, 4, 8, 0.14);
  private static final StrategyGrid.Result RESULT =
      new StrategyGrid.Result(
          List.of(GOOD, BAD, CLOSE),
          List.of(
              Row.of(
                  "cold",
                  "x",
                  new Series(9),
                  Unit.BYTES_PER_SECOND,
                  new Series(10),
                  Target.ratio(0.9)),
              Row.skipped("cold", "y", Unit.BYTES_PER_SECOND, Target.ratio(0.9), "no root")));

  @Test
  void verdictsCompareAutoWithTheLimitAndWithTheBestMeasuredStrategy() {
    assertThat(GOOD.ratio()).isEqualTo(0.7);
    assertThat(GOOD.reachesTarget()).isTrue();
    assertThat(GOOD.choosesWell()).isTrue();
    assertThat(GOOD.best().orElseThrow().method()).isEqualTo("disk-directed");
    assertThat(BAD.reachesTarget()).isFalse();
    assertThat(BAD.choosesWell()).isFalse();
    assertThat(CLOSE.choosesWell()).as("90 microseconds apart").isTrue();
    assertThat(RESULT.choosesWell()).isEqualTo(2.0 / 3);
    assertThat(BAD.takesWell()).as("sieved takes 20 ms, disk-directed 8").isFalse();
    assertThat(CLOSE.takesWell()).isTrue();
    assertThat(GOOD.takesWell()).as("nobody looked").isTrue();
    assertThat(RESULT.reachesTarget()).isEqualTo(1.0 / 3);
  }

  @Test
  void tableShowsMillisecondsAndMarksWhatWasScaled() {
    assertThat(GridTable.line(GOOD)).contains(" 7.00", "~900", "~1.00", "9.50", "0.70  ok");
    assertThat(GridTable.line(BAD))
        .endsWith("below, disk-directed is faster than sieved, which auto took");
    assertThat(GridTable.heading().indexOf("op")).isEqualTo(GridTable.line(GOOD).indexOf("read"));
    assertThat(GridTable.summary(RESULT)).contains("33 % of 3 rows", "on 67 %");
  }

  @Test
  void jsonIsWellFormedAndComplete() {
    Object read = Json.read(GridJson.of(MACHINE, RESULT));
    assertThat(read).extracting("machine.processors").isEqualTo(2.0);
    Map<?, ?> all = (Map<?, ?>) Objects.requireNonNull(read);
    assertThat((List<?>) all.get("grid"))
        .extracting("workload", "op", "best", "methods.limit.nanos", "methods.direct.how")
        .contains(
            org.assertj.core.groups.Tuple.tuple(
                "a <b>", "read", "disk-directed", 7e6, "ESTIMATED"));
    assertThat((List<?>) all.get("cold")).hasSize(2);
  }

  @Test
  void pageIsWellFormedAndHasAChartForEachWorkload() throws Exception {
    String page = GridPage.of("millrace bench passion", MACHINE, RESULT);
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
    assertThat(page.split("<svg", -1)).hasSize(3);
    assertThat(page.split("class=\"limit\"", -1)).hasSize(4);
    assertThat(page).contains("a &lt;b&gt;", "prefers-color-scheme").doesNotContain("http");
  }

  private static final class Heard implements StrategyGrid.Listener {
    private int expected;
    private int stepped;
    private final List<GridRow> rows = new ArrayList<>();
    private final List<Row> cold = new ArrayList<>();

    @Override
    public void begins(String what, int steps) {
      expected += steps;
    }

    @Override
    public void stepped() {
      stepped++;
    }

    @Override
    public void row(GridRow row) {
      rows.add(row);
    }

    @Override
    public void row(Row row) {
      cold.add(row);
    }
  }
}
