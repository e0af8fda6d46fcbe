package org.millrace.output.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of this repository: every link on it leads somewhere. */
final class SiteTest {

  private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

  @TempDir private Path out;

  private static Path root() {
    return Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("");
  }

  private List<Path> make() throws IOException {
    Path javadoc = Files.createDirectories(out.resolve("javadoc"));
    Files.writeString(javadoc.resolve("index.html"), "api");
    Path site = out.resolve("site");
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Site.make(root(), site, List.of("core=" + javadoc), nowhere);
    try (Stream<Path> files = Files.walk(site)) {
      return files.filter(each -> each.toString().endsWith(".html")).sorted().toList();
    }
  }

  @Test
  void everyLinkLeadsToAPageAndASectionThatAreThere() throws IOException {
    List<String> dead = new ArrayList<>();
    List<Path> pages = make();
    assertThat(pages).hasSizeGreaterThan(100);
    for (Path page : pages) {
      String text = Files.readString(page);
      for (MatchResult found : REFERENCE.matcher(text).results().toList()) {
        String target = found.group(1);
        if (!leads(page, text, target)) {
          dead.add(out.relativize(page) + ": " + target);
        }
      }
    }
    assertThat(dead).isEmpty();
  }

  private static boolean leads(Path page, String text, String target) throws IOException {
    if (target.startsWith("https://") || target.startsWith("http://")) {
      return true;
    }
    if (target.startsWith("#")) { // sources are named, not linked
      return target.contains("/") || text.contains("id=\"" + target.substring(1) + "\"");
    }
    int mark = target.indexOf('#');
    String name = mark < 0 ? target : target.substring(0, mark);
    Path there = Objects.requireNonNull(page.getParent()).resolve(name).normalize();
    return Files.isRegularFile(there)
        && (mark < 0
            || Files.readString(there).contains("id=\"" + target.substring(mark + 1) + "\""));
  }

  @Test
  void theSearchKnowsAllPagesAndNothingComesFromElsewhere() throws IOException {
    List<Path> pages = make();
    String index = Files.readString(out.resolve("site/search-index.js"));
    assertThat(index).startsWith("window.MILLRACE_INDEX = [").contains("docs/copies.html#");
    for (Path page : pages) {
      assertThat(Files.readString(page))
          .doesNotContainPattern("<(script|link|img)[^>]*(src|href)=\"(https?:)?//");
    }
    String script = Files.readString(out.resolve("site/site.js"));
    assertThat(script).doesNotContain("fetch(", "XMLHttpRequest", "import(");
  }
}
