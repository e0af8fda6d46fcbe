package org.millrace.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.peers.PeerRow;
import org.millrace.bench.peers.PeerRows;
import org.millrace.bench.peers.PeersBenchmark;
import org.millrace.bench.testing.Json;

/** Verdicts about peers, and the three ways to print them. */
class PeerReportTest {

  private static final Machine MACHINE = new Machine("25", "a <system>", 2, "today");

  private static Cell cell(String method, double millis) {
    return Cell.of(method, Cell.How.MEASURED, List.of(millis * 1e6));
  }

  private static Cell cut(String method, double millis) {
    return new Cell(method, millis * 1e6, Cell.How.CUT, List.of());
  }

  private static PeerRow row(boolean scattered, double auto, Cell... peers) {
    List<Cell> cells = new ArrayList<>(List.of(cell("calls", 99), cell("limit", 8)));
    cells.add(cell("auto", auto));
    cells.addAll(List.of(peers));
    return new PeerRow(new GridRow("s", "w", false, 4, 1000, 10, scattered, cells, ""));
  }

  @Test
  void bestIsTheFastestThatWasMeasured() {
    PeerRow row = row(true, 10, cut("a", 5), cell("b", 40), cell("c", 25));
    assertThat(row.best()).map(Cell::method).contains("c");
    assertThat(row.ratio()).isEqualTo(2.5);
    assertThat(row.verdict()).isEqualTo(PeerRow.Verdict.OK);
  }

  @Test
  void targetDependsOnWhetherRequestsAreScattered() {
    assertThat(row(true, 10, cell("a", 19)).verdict()).isEqualTo(PeerRow.Verdict.BELOW);
    assertThat(row(false, 10, cell("a", 9)).verdict()).isEqualTo(PeerRow.Verdict.OK);
    assertThat(row(false, 10, cell("a", 8)).verdict()).isEqualTo(PeerRow.Verdict.BELOW);
  }

  @Test
  void peersThatWereCutOffCanBeBeatenButNotBeat() {
    assertThat(row(true, 10, cut("a", 30)).verdict()).isEqualTo(PeerRow.Verdict.OK);
    assertThat(row(true, 10, cut("a", 15)).verdict()).isEqualTo(PeerRow.Verdict.OPEN);
    assertThat(row(true, 10).verdict()).isEqualTo(PeerRow.Verdict.OPEN);
  }

  @Test
  void roundsAreJoinedAndPartsGiveWayToWholes() {
    GridRow first = row(true, 10).grid();
    List<Cell> cells = new ArrayList<>(first.cells());
    cells.set(0, Cell.of("calls", Cell.How.SCALED, List.of(1.0)));
    cells.set(2, Cell.of("auto", Cell.How.MEASURED, List.of(12e6, 14e6)));
    GridRow joined = PeerRows.join(first, PeerRows.with(first, cells));
    assertThat(joined.cell("calls")).contains(cell("calls", 99));
    assertThat(joined.cell("auto")).map(Cell::nanos).contains(12e6);
  }

  @Test
  void everyReportNamesWhatWasCutOff() {
    PeerRow open = row(true, 10, cut("mpich, collective", 15));
    PeerRow good = row(true, 10, cell("ompio, independent", 25));
    var result =
        new PeersBenchmark.Result(false, List.of("lib"), List.of("note <1>"), List.of(open, good));
    String line = PeersTable.line(open);
    assertThat(line).contains(">15.0", "mpich, collective", ">1.50", "open");
    assertThat(PeersTable.heading().indexOf("verdict")).isEqualTo(line.indexOf("open"));
    assertThat(PeersTable.summary(result.rows())).contains("1 of 2 rows", "0 of 0 rows");
    Object json = Json.read(PeersJson.of(MACHINE, result));
    List<?> rows = (List<?>) ((Map<?, ?>) java.util.Objects.requireNonNull(json)).get("rows");
    assertThat(rows).extracting("verdict").containsExactly("OPEN", "OK");
    assertThat(rows).extracting("ratioToBest").containsExactly(1.5, 2.5);
    String page = PeersPage.of("title", MACHINE, result);
    assertThat(page).contains("<svg", "note &lt;1&gt;", "a &lt;system&gt;").doesNotContain("http");
  }
}
