package org.millrace.output.site;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AddressesTest {

  private final Addresses addresses = new Addresses(path -> path.endsWith(".svg"));

  @Test
  void documentsBecomePagesInTheirFolders() {
    assertThat(Addresses.page("docs/heritage/README.md")).isEqualTo("docs/heritage/index.html");
    assertThat(Addresses.page("README.md")).isEqualTo("index.html");
    assertThat(Addresses.page("docs/copies.md")).isEqualTo("docs/copies.html");
    assertThat(Addresses.toTop("docs/heritage/index.html")).isEqualTo("../../");
  }

  @Test
  void linksFollowThem() {
    String from = "docs/a.md";
    assertThat(addresses.link(from, "copies.md#x")).isEqualTo("copies.html#x");
    assertThat(addresses.link(from, "../README.md")).isEqualTo("../index.html");
    assertThat(addresses.link(from, "decisions/")).isEqualTo("decisions/index.html");
    assertThat(addresses.link(from, "#here")).isEqualTo("#here");
    assertThat(addresses.link(from, "https://example.org/x.md"))
        .isEqualTo("https://example.org/x.md");
    assertThat(addresses.link(from, "pictures/p.svg")).isEqualTo("pictures/p.svg");
  }

  @Test
  void aLinkToASourceSaysWhatItIsAndLeadsNowhere() {
    assertThat(addresses.link("docs/a.md", "../core/src/X.java")).isEqualTo("#core/src/X.java");
  }
}
