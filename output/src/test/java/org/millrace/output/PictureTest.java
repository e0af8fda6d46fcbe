package org.millrace.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Charts, bars and the pages that hold them. */
final class PictureTest {

  private static Document parsed(String text) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(text)));
  }

  private static Element only(Document document, String tag, int index) {
    return (Element) document.getElementsByTagName(tag).item(index);
  }

  private static double number(Element element, String name) {
    return Double.parseDouble(element.getAttribute(name));
  }

  @Test
  void roundAxesHaveSomeTicksButNotMany() {
    assertThat(Axis.upTo("", 33).ticks())
        .containsExactly(0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0);
    for (double highest = 1e-3; highest < 1e9; highest *= 1.37) {
      Axis axis = Axis.upTo("", highest);
      assertThat(axis.ticks().size()).as("up to %s", highest).isBetween(3, 11);
      assertThat(axis.high()).isGreaterThanOrEqualTo(highest);
    }
  }

  @Test
  void decadesHoldAllValues() {
    Axis axis = Axis.decades("", 0.02, 350);
    assertThat(axis.ticks()).hasSize(6);
    assertThat(axis.share(axis.low())).isZero();
    assertThat(axis.share(1)).isCloseTo(0.4, org.assertj.core.api.Assertions.within(1e-9));
    assertThat(axis.share(1e9)).isEqualTo(1);
    assertThat(axis.text().apply(0.01)).isEqualTo("0.01");
    assertThat(axis.text().apply(1000)).isEqualTo("1,000");
  }

  @Test
  void higherValuesAreHigherAndFurtherRight() throws Exception {
    var points = List.of(new Chart.Point(1, 10, "a <b>"), new Chart.Point(4, 90, ""));
    Chart chart =
        new Chart("title", Axis.powers("x", 1, 16, 4), Axis.linear("y", 100, 20), 400, 300);
    chart.add(new Chart.Series("line", 2, Chart.Mark.CURVE, points));
    Document document = parsed(chart.draw().file());
    Element first = only(document, "circle", 0);
    Element second = only(document, "circle", 1);
    assertThat(number(second, "cx")).isGreaterThan(number(first, "cx"));
    assertThat(number(second, "cy")).isLessThan(number(first, "cy"));
    assertThat(only(document, "title", 0).getTextContent()).isEqualTo("a <b>");
    assertThat(chart.drawWithLegend().file()).contains(">line</text>");
    assertThat(chart.draw().file()).doesNotContain(">line</text>");
  }

  @Test
  void partsOfABarFollowEachOtherAndEndWhereTheAxisDoes() throws Exception {
    Bars bars = new Bars(Bars.scale(10), 100, 200, 50).group("heading");
    bars.bar("label", "words", new Bars.Part(2, Paint.fill(0)), new Bars.Part(3, Paint.fill(1)));
    bars.bar("long", "words", new Bars.Part(99, Paint.BAD)).line(5, Paint.LIMIT);
    Document document = parsed(bars.draw().file());
    Element first = only(document, "rect", 1); // behind the background
    Element second = only(document, "rect", 2);
    assertThat(number(first, "x")).isEqualTo(100);
    assertThat(number(first, "width")).isEqualTo(40);
    assertThat(number(second, "x")).isEqualTo(140);
    assertThat(number(second, "width")).isEqualTo(60);
    assertThat(number(only(document, "rect", 3), "width")).isEqualTo(193.5);
    assertThat(only(document, "path", 0).getAttribute("d"))
        .as("an arrow, because it is longer than the axis")
        .matches("M293\\.5 \\S+L300 .*Z");
    assertThat(only(document, "path", 1).getAttribute("d")).startsWith("M200 ");
  }

  @Test
  void picturesAndPagesHaveLightAndDarkColours() throws Exception {
    Svg svg = new Svg(10, 10).rect(0, 0, 5, 5, Paint.fill(0));
    assertThat(svg.file()).contains("prefers-color-scheme: dark", "#2f6fa8", "#6ba6dc");
    String page = new Page("a <title>").paragraph("x & y").figure("", svg).text("<t>").html();
    parsed(page);
    assertThat(page)
        .contains("<h1>a &lt;title&gt;</h1>", "<p>x &amp; y</p>", "<pre>&lt;t&gt;</pre>")
        .containsOnlyOnce("prefers-color-scheme: dark")
        .doesNotContain("http");
  }

  @Test
  void figuresThatFollowEachOtherStandSideBySide() {
    Svg svg = new Svg(1, 1);
    String page =
        new Page("t").figure("a", svg).figure("b", svg).heading("h").figure("", svg).html();
    assertThat(page.split("<div class=\"figures\">", -1)).hasSize(3);
    assertThat(page.split("</div>", -1)).hasSize(3);
  }
}
