package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Each module that is published says what Maven Central asks for, itself or through its parent. */
final class PomsTest {

  /** What each POM must say itself. */
  private static final List<String> OWN = List.of("name", "description");

  /** What it may have from its parent. */
  private static final List<String> INHERITED =
      List.of(
          "url",
          "licenses/license/name",
          "licenses/license/url",
          "developers/developer/name",
          "scm/connection",
          "scm/developerConnection",
          "scm/url");

  /** Modules that are tests, and nothing else. */
  private static final Set<String> NOT_PUBLISHED = Set.of("judge");

  private final Path root = Sources.ofRepository().root();

  @Test
  void everyModuleSaysWhatMavenCentralAsksFor() throws Exception {
    Element parent = pom(root.resolve("pom.xml"));
    assertThat(missing(parent, parent)).isEmpty();
    for (String module : Sources.ofRepository().modules()) {
      Element pom = pom(root.resolve(module).resolve("pom.xml"));
      assertThat(missing(pom, text(pom, "parent/artifactId").isEmpty() ? pom : parent))
          .as(module)
          .isEmpty();
    }
  }

  @Test
  void whatIsMissingIsFound() throws Exception {
    Element bare = parse("<project><name>x</name><url>https://x.example</url></project>");
    assertThat(missing(bare, bare))
        .containsExactly(
            "description",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url");
  }

  @Test
  void theBomHasAllModulesThatArePublishedAndTheVersionOfTheOthers() throws Exception {
    Element bom = pom(root.resolve("bom/pom.xml"));
    assertThat(text(bom, "version")).isEqualTo(text(pom(root.resolve("pom.xml")), "version"));
    Set<String> listed = new TreeSet<>();
    NodeList all = bom.getElementsByTagName("dependency");
    for (int i = 0; i < all.getLength(); i++) {
      listed.add(text(all.item(i), "artifactId"));
    }
    Set<String> published = new TreeSet<>();
    for (String module : Sources.ofRepository().modules()) {
      if (!NOT_PUBLISHED.contains(module) && !module.equals("bom")) {
        published.add("millrace-" + module);
      }
    }
    assertThat(listed).isEqualTo(published);
  }

  @Test
  void whatIsNotPublishedSaysSo() throws Exception {
    for (String module : NOT_PUBLISHED) {
      Element pom = pom(root.resolve(module).resolve("pom.xml"));
      assertThat(text(pom, "properties/maven.deploy.skip")).as(module).isEqualTo("true");
    }
  }

  private static List<String> missing(Element pom, Element parent) throws XPathExpressionException {
    List<String> names = new ArrayList<>();
    for (String name : OWN) {
      if (text(pom, name).isEmpty()) {
        names.add(name);
      }
    }
    for (String name : INHERITED) {
      if (text(pom, name).isEmpty() && text(parent, name).isEmpty()) {
        names.add(name);
      }
    }
    return names;
  }

  private static String text(Node from, String path) throws XPathExpressionException {
    return XPathFactory.newInstance().newXPath().evaluate(path, from).strip();
  }

  private static Element pom(Path file) throws Exception {
    return parse(Files.readString(file));
  }

  private static Element parse(String text) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(text)));
    return document.getDocumentElement();
  }
}
