package org.millrace.output.site;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MarkdownTest {

  private static String html(String text) {
    return Markdown.render(text, new Inline(target -> target)).html().strip();
  }

  @Test
  void paragraphsHaveCodeLinksPicturesAndStress() {
    assertThat(html("One `a < b` and **two *three***\n[four `x`](y.md#z)."))
        .isEqualTo(
            "<p>One <code>a &lt; b</code> and <strong>two <em>three</em></strong>\n"
                + "<a href=\"y.md#z\">four <code>x</code></a>.</p>");
    assertThat(html("![A wheel](w.png)"))
        .isEqualTo("<p><img src=\"w.png\" alt=\"A wheel\" loading=\"lazy\"></p>");
  }

  @Test
  void whatIsNoMarkStaysAsItIs() {
    assertThat(html("2 * 3 * 4 and a_b_c, <tag> & \"quote\""))
        .isEqualTo("<p>2 * 3 * 4 and a_b_c, &lt;tag&gt; &amp; &quot;quote&quot;</p>");
    assertThat(html("`**not bold** [no](link)`"))
        .isEqualTo("<p><code>**not bold** [no](link)</code></p>");
  }

  @Test
  void idsOfHeadingsAreThoseThatLinksExpect() {
    Rendered page =
        Markdown.render(
            "# Top\n## What it does, and `what` not\n## Zarr\n## Zarr", new Inline(t -> t));
    assertThat(page.title()).isEqualTo("Top");
    assertThat(page.sections())
        .extracting(Rendered.Section::id)
        .containsExactly("top", "what-it-does-and-what-not", "zarr", "zarr-1");
  }

  @Test
  void sectionsHaveTheTextBelowTheirHeading() {
    Rendered page =
        Markdown.render("# A\none `two`\n\n## B\n| x | y |\n|---|---|\n| [z](z.md) | 3 |", link());
    assertThat(page.sections())
        .containsExactly(
            new Rendered.Section("a", 1, "A", "one two"),
            new Rendered.Section("b", 2, "B", "x y z 3"));
  }

  private static Inline link() {
    return new Inline(target -> target);
  }

  @Test
  void tablesHaveRowsAndCellsWithBars() {
    assertThat(html("| a | b |\n|---|:-:|\n| `x \\| y` | **2** |"))
        .isEqualTo(
            """
            <div class="wide"><table>
            <thead><tr><th>a</th><th>b</th></tr>
            </thead>
            <tbody>
            <tr><td><code>x | y</code></td><td><strong>2</strong></td></tr>
            </tbody></table></div>""");
  }

  @Test
  void listsHaveListsAndCodeInside() {
    assertThat(html("- one\n  more\n  - deep\n- two"))
        .isEqualTo("<ul>\n<li>one\nmore<ul>\n<li>deep</li>\n</ul>\n</li>\n<li>two</li>\n</ul>");
    assertThat(html("1. one:\n\n   ```sh\n   run\n     this\n   ```\n\n2. two"))
        .isEqualTo(
            """
            <ol start="1">
            <li><p>one:</p>
            <pre data-kind="sh"><code>run
              this</code></pre>
            </li>
            <li>two</li>
            </ol>""");
  }

  @Test
  void aListThatGoesOnKeepsItsNumbers() {
    assertThat(html("14. [a](a.md): x\n15. b")).startsWith("<ol start=\"14\">");
  }

  @Test
  void codeIsLeftAlone() {
    assertThat(html("```\n# no heading\n- no *list*\n<b>\n```"))
        .isEqualTo("<pre data-kind=\"\"><code># no heading\n- no *list*\n&lt;b&gt;</code></pre>");
  }
}
