package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Sources.SourceFile;

/** Reads the sources of all modules and keeps an eye on them; then shows that it can see. */
final class StyleTest {

  private static final Shapes READABLE = new Shapes(11, 5, 80, 40);

  private final Sources sources = Sources.ofRepository();

  @Test
  void methodsAndFilesAreEasyToTakeIn() throws IOException {
    List<SourceFile> main = sources.java().stream().filter(SourceFile::isMain).toList();
    assertThat(READABLE.complaints(main)).isEmpty();
  }

  @Test
  void unfinishedWorkNamesItsIssue() throws IOException {
    assertThat(complaints(sources.all(), StyleRules::unfinished)).isEmpty();
  }

  @Test
  void noTestIsSwitchedOff() throws IOException {
    assertThat(complaints(sources.java(), StyleRules::disabled)).isEmpty();
  }

  @Test
  void noTestHasATimeLimitOfItsOwn() throws IOException {
    assertThat(complaints(sources.java(), StyleRules::timeLimits)).isEmpty();
  }

  @Test
  void thereAreNoTabs() throws IOException {
    assertThat(complaints(sources.all(), StyleRules::tabs)).isEmpty();
  }

  @Test
  void noFileNamesFoldersOfSomebodysMachine() throws IOException {
    assertThat(complaints(sources.all(), StyleRules::machinePaths)).isEmpty();
  }

  @Test
  void numbersAreWrittenAlikeInAllLanguages() throws IOException {
    List<SourceFile> main = sources.java().stream().filter(SourceFile::isMain).toList();
    assertThat(complaints(main, StyleRules::localizedNumbers)).isEmpty();
  }

  @Test
  void documentsLinkToWhatIsThere() throws IOException {
    Path root = sources.root();
    assertThat(
            complaints(
                sources.all(),
                file -> StyleRules.deadLinks(file, target -> Files.exists(root.resolve(target)))))
        .isEmpty();
  }

  @Test
  void everyPackageSaysWhatItIsAndIsNullMarked() throws IOException {
    assertThat(StyleRules.packages(sources.java())).isEmpty();
  }

  @Test
  void typesAndPublicMembersHaveJavadoc() throws IOException {
    List<SourceFile> main = sources.java().stream().filter(SourceFile::isMain).toList();
    assertThat(main).isNotEmpty();
    assertThat(Javadocs.missing(main)).isEmpty();
  }

  @Test
  void whatIsHardToReadIsFound() throws IOException {
    String text =
        """
        import org.millrace.a.B;
        import org.millrace.a.C;
        class X {
          int many(int a, int b, int c) {
            if (a > 0) {
              for (int i = 0; i < b; i++) {
                while (c > 0) {
                  c--;
                }
              }
            } else if (b > 0) {
              return 1;
            }
            return 2;
          }
          record Wide(int a, int b, int c) {
            Wide {}
          }
        }
        """;
    List<SourceFile> one = List.of(main(text));
    assertThat(new Shapes(3, 3, 12, 2).complaints(one)).isEmpty();
    assertThat(new Shapes(2, 3, 12, 2).complaints(one)).hasSize(1);
    assertThat(new Shapes(3, 2, 12, 2).complaints(one)).hasSize(1);
    assertThat(new Shapes(3, 3, 11, 2).complaints(one)).hasSize(1);
    assertThat(new Shapes(3, 3, 12, 1).complaints(one)).hasSize(1);
  }

  @Test
  void unfinishedWorkIsFound() {
    assertThat(StyleRules.unfinished(main("x\n// TO" + "DO later"))).hasSize(1);
    assertThat(StyleRules.unfinished(main("// FIX" + "ME"))).hasSize(1);
    assertThat(StyleRules.unfinished(main("// TO" + "DO issue 7: later"))).isEmpty();
  }

  @Test
  void switchedOffTestsTimeLimitsAndTabsAreFound() {
    assertThat(StyleRules.timeLimits(test("@Time" + "out(60)"))).hasSize(1);
    assertThat(StyleRules.disabled(test("@Dis" + "abled(\"why\")"))).hasSize(1);
    assertThat(StyleRules.tabs(main("a\tb"))).hasSize(1);
  }

  @Test
  void machinePathsAreFound() {
    String home = "/ho" + "me/somebody";
    assertThat(StyleRules.machinePaths(main("String x = \"" + home + "\";"))).hasSize(1);
    assertThat(StyleRules.machinePaths(main("https://example.org" + home))).isEmpty();
    assertThat(StyleRules.machinePaths(main("/usr/lib/jvm"))).isEmpty();
  }

  @Test
  void numbersInTheLanguageOfTheMachineAreFound() {
    assertThat(StyleRules.localizedNumbers(main("x = \"a-%d\".formatted(1);"))).hasSize(1);
    assertThat(StyleRules.localizedNumbers(main("\"%s\"\n + \" %,d\"\n .formatted(1, 2)")))
        .hasSize(1);
    assertThat(StyleRules.localizedNumbers(main("\"%.1f \"\n + \" %s\"\n .formatted(1, 2)")))
        .hasSize(1);
    assertThat(StyleRules.localizedNumbers(main("out.printf(\"%5.1f%n\", x);"))).hasSize(1);
    assertThat(StyleRules.localizedNumbers(main("String.format(\"%02d\", x)"))).hasSize(1);
    assertThat(StyleRules.localizedNumbers(main("String.format(Locale.ROOT, \"%02d\", x)")))
        .isEmpty();
    assertThat(StyleRules.localizedNumbers(main("\"%s and %08x\".formatted(a, b)"))).isEmpty();
  }

  @Test
  void deadLinksAreFound() {
    SourceFile document =
        new SourceFile(
            "docs/a.md", "[x](../there.md#part) [y](https://example.org/x) ![z](gone.png)");
    assertThat(StyleRules.deadLinks(document, "there.md"::equals))
        .containsExactly("docs/a.md: there is no docs/gone.png");
  }

  @Test
  void packagesWithoutMarkAreFound() {
    SourceFile type = main("");
    SourceFile bare = new SourceFile(type.folder() + "/package-info.java", "/** X. */ package x;");
    SourceFile marked = new SourceFile(bare.path(), "/** X. */ @NullMarked package x;");
    assertThat(StyleRules.packages(List.of(type))).hasSize(1);
    assertThat(StyleRules.packages(List.of(type, bare))).hasSize(1);
    assertThat(StyleRules.packages(List.of(type, test(""), marked))).isEmpty();
  }

  @Test
  void missingJavadocIsFound() throws IOException {
    String text =
        """
        public interface A {
          void one();
          /** Two. */
          void two();
          record Inner(int component) {}
        }
        final class B {
          public void three() {}
        }
        /** C. */
        public class C {
          public C() {}
          public static final int FOUR = 4;
          int five;
          @Override public String toString() { return ""; }
        }
        /** D. */
        public record D(int x) {
          public D {}
        }
        """;
    assertThat(Javadocs.missing(List.of(main(text))))
        .satisfiesExactly(
            complaint -> assertThat(complaint).endsWith("X.java:1: A has no Javadoc"),
            complaint -> assertThat(complaint).endsWith(":2: one has no Javadoc"),
            complaint -> assertThat(complaint).endsWith(":5: Inner has no Javadoc"),
            complaint -> assertThat(complaint).endsWith(":7: B has no Javadoc"),
            complaint -> assertThat(complaint).endsWith(":12: <init> has no Javadoc"),
            complaint -> assertThat(complaint).endsWith(":13: FOUR has no Javadoc"));
  }

  private static List<String> complaints(
      List<SourceFile> files, Function<SourceFile, List<String>> rule) {
    assertThat(files).isNotEmpty();
    return files.stream().flatMap(file -> rule.apply(file).stream()).toList();
  }

  private static SourceFile main(String text) {
    return new SourceFile("core/src/main/java/org/millrace/x/X.java", text);
  }

  private static SourceFile test(String text) {
    return new SourceFile("core/src/test/java/org/millrace/x/XTest.java", text);
  }
}
