package org.millrace.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Geometry;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.output.Paint;
import org.millrace.output.Svg;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.plan.collective.Explanation;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Planner;
import org.millrace.plan.collective.Request;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Explanations as text, as JSON and as a picture. */
final class PresentationTest {

  private static final Shape ARRAY = Shape.columnMajor(8, 8);

  /** Four ranks with two rows each of an array of pages. */
  private static Request rows(boolean write) {
    Distribution all = Distribution.of(ARRAY, Grid.of(4, 1), Spread.block(), Spread.none());
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      Pattern part = all.part(rank, 4096);
      accesses.add(new Access(new View(0, part, ARRAY.bytes(4096)), 0, part.size()));
    }
    return new Request(write, Layout.striped(1 << 16, 2), accesses);
  }

  private static Explanation explain(boolean write, Hints hints) {
    return Explanation.of(rows(write), hints, Costs.DEFAULT, true);
  }

  @Test
  void textTellsRequestChoiceAndAllStrategies() {
    String text = ExplanationText.of(explain(true, Hints.DEFAULT));
    assertThat(text)
        .contains("write by 4 ranks", "256 KiB in 32 runs, 8 KiB on average")
        .contains("bytes 0 to 262144", "100 % are wanted", "2 strands on 2 nodes")
        .contains("no two ranks write the same byte", "the cheapest by the cost model");
    for (Strategy strategy : Strategy.values()) {
      assertThat(text.contains(strategy.word())).isEqualTo(strategy != Strategy.AUTO);
    }
    assertThat(text.lines().filter(line -> line.startsWith("* "))).hasSize(1);
  }

  @Test
  void domainsOfANamedStrategyAreShown() {
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.EXTENDED_TWO_PHASE).withAggregators(2);
    assertThat(ExplanationText.of(explain(false, hints)))
        .contains("rank 0          0  131072       1  128 KiB")
        .contains("rank 2     131072  262144       1  128 KiB");
  }

  @Test
  void jsonHoldsTheSameNumbers() {
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.TWO_PHASE);
    String json = ExplanationJson.of(explain(false, hints));
    assertThat(json)
        .contains("\"bytes\": 262144", "\"runs\": 32", "\"taken\": \"two-phase\"")
        .contains("\"strategy\": \"disk-directed\"", "\"cb_nodes\": \"0\"", "\"wantedBytes\": ");
    assertThat(json.chars().filter(c -> c == '{').count())
        .isEqualTo(json.chars().filter(c -> c == '}').count());
  }

  @Test
  void pictureOfEachStrategyIsWellFormedAndShowsAllSquares() throws Exception {
    for (Strategy strategy : Strategy.values()) {
      Planned planned = explain(false, Hints.DEFAULT.withStrategy(strategy)).planned();
      String svg = PlanPicture.svg(planned, new Geometry(ARRAY, 4096, 0));
      Document document =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(svg)));
      assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(4);
      // 64 numbered squares in each panel, beside titles and legends.
      assertThat(document.getElementsByTagName("text").getLength()).isGreaterThan(3 * 64);
    }
  }

  @Test
  void everyByteOfPicturesIsTransferredAsTheChunksSay() {
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.EXTENDED_TWO_PHASE).withAggregators(3);
    Access holes = new Access(new View(5, Pattern.loop(3, 100, Pattern.run(7)), 1000), 0, 21);
    Request request =
        new Request(false, Layout.striped(1 << 16, 2), List.of(holes, Access.NOTHING, holes));
    Planned planned = Planner.plan(request, hints.withBufferBytes(20), Costs.DEFAULT, true);
    TransferOwners transfers = new TransferOwners(planned);
    RequestedBytes requested = new RequestedBytes(request);
    for (long offset = 0; offset < 400; offset++) {
      boolean wanted = offset >= 5 && offset < 300 && (offset - 5) % 100 < 7;
      assertThat(requested.rankAt(offset))
          .isEqualTo(wanted ? TransferOwners.SEVERAL : TransferOwners.NOBODY);
      if (wanted) {
        assertThat(transfers.servedAt(offset)).isEqualTo(transfers.ownerAt(offset));
      }
    }
  }

  /** Each square of a row has the colour of the rank that the row belongs to. */
  @Test
  void cyclicRowsAreStripesHoweverLargeTheArrayIs() throws Exception {
    for (int n : new int[] {64, 100, 4096}) {
      Shape shape = Shape.rowMajor(n, n);
      Distribution all = Distribution.of(shape, Grid.of(4, 1), Spread.cyclic(), Spread.none());
      List<Access> accesses = new ArrayList<>();
      for (int rank = 0; rank < 4; rank++) {
        Pattern part = all.part(rank, 8);
        accesses.add(new Access(new View(0, part, shape.bytes(8)), 0, part.size()));
      }
      Request request = new Request(false, Layout.striped(1 << 16, 2), accesses);
      Hints hints = Hints.DEFAULT.withStrategy(Strategy.DIRECT);
      Planned planned = Planner.plan(request, hints, Costs.DEFAULT, true);
      Squares squares = new Squares(shape, 8, 0, 4);
      Svg svg = new Svg(squares.width(), squares.height());
      squares.draw(svg, new RequestedBytes(request)::rankAt, 4);
      List<String> rows =
          svg.file().lines().filter(line -> line.startsWith("<rect x=\"0\"")).toList();
      assertThat(rows).as("%d rows", n).hasSizeBetween(48, 96);
      assertThat(svg.file().lines().filter(line -> line.startsWith("<rect x"))).hasSameSizeAs(rows);
      boolean inTurn = n / rows.size() != 2; // two rows are no whole period of four ranks
      for (int i = 0; inTurn && i < rows.size(); i++) {
        assertThat(rows.get(i)).contains(Paint.owner(i % 4, 4).attributes());
      }
      assertThat(PlanPicture.svg(planned, new Geometry(shape, 8, 0))).contains("which rank");
    }
  }

  @Test
  void captionsFitIntoThePicture() {
    Planned planned = explain(false, Hints.DEFAULT).planned();
    String svg = PlanPicture.svg(planned, new Geometry(Shape.rowMajor(8, 2), 4096, 0));
    double width = Double.parseDouble(svg.replaceFirst("(?s).*? width=\"([0-9.]+)\".*", "$1"));
    var text = java.util.regex.Pattern.compile("<text x=\"([0-9.]+)\"[^>]*>([^<]*)<").matcher(svg);
    while (text.find()) {
      assertThat(Double.parseDouble(text.group(1)) + 6 * text.group(2).length()).isLessThan(width);
    }
    assertThat(text.reset().results().count()).isGreaterThan(5);
  }

  @Test
  void largeArraysAreSampledAndOthersRefused() {
    Planned planned = explain(false, Hints.DEFAULT).planned();
    assertThat(PlanPicture.svg(planned, new Geometry(Shape.rowMajor(1000, 3000), 8, 0)))
        .contains("one of 20 x 40 elements");
    assertThatThrownBy(() -> PlanPicture.svg(planned, new Geometry(Shape.rowMajor(10), 8, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two dimensions");
  }

  @Test
  void amountsAreReadable() {
    assertThat(Amounts.bytes(0)).isEqualTo("0 B");
    assertThat(Amounts.bytes(1536)).isEqualTo("1.50 KiB");
    assertThat(Amounts.bytes(Long.MAX_VALUE)).isEqualTo("8.00 EiB");
    assertThat(Amounts.time(1500)).isEqualTo("1.50 us");
    assertThat(Amounts.time(2.5e9)).isEqualTo("2.50 s");
  }
}
