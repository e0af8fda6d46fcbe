package org.millrace.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.testing.Sources.SourceFile;

/**
 * What can be seen in the text of a file. Each rule returns its complaints, none if all is well.
 */
final class StyleRules {

  /** Marks of unfinished work, each fine on a line that names the issue. */
  private static final Pattern UNFINISHED =
      Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b");

  private static final Pattern ISSUE = Pattern.compile("\\bissue #?[0-9]+\\b");

  private static final Pattern DISABLED = Pattern.compile("@Dis" + "abled\\b");

  private static final Pattern LIMITED = Pattern.compile("@Time" + "out\\b");

  /** Folders that exist on somebody's machine only. */
  private static final Pattern MACHINE =
      Pattern.compile("(?<![\\w.:/$}-])/(home|root|work|Users|tmp)/[\\w.]");

  /**
   * A text with a conversion to which languages give digits, points or groups of their own, and
   * which is not told to take nobody's. Names on disks were written so once.
   */
  private static final Pattern LOCALIZED =
      Pattern.compile(
          "(?:printf\\(\\s*|String\\.format\\(\\s*|)"
              + "\"(?:[^\"\\\\\n]|\\\\.)*%(?:\\d+\\$)?[-+ 0,#(]*\\d*(?:\\.\\d+)?[dfeEgGaA](?![a-zA-Z])"
              + "(?:[^\"\\\\\n]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\\n]|\\\\.)*\")*(?<call>\\s*\\.formatted\\()?");

  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(#[^)]*)?\\)");

  private StyleRules() {}

  /** Work left to do that no issue names. */
  static List<String> unfinished(SourceFile file) {
    return linesWith(file, UNFINISHED, ISSUE);
  }

  /** Tests switched off. */
  static List<String> disabled(SourceFile file) {
    return linesWith(file, DISABLED, null);
  }

  /** Tests with a time limit of their own: the build has one for all, which no machine exceeds. */
  static List<String> timeLimits(SourceFile file) {
    return linesWith(file, LIMITED, null);
  }

  /** Tabs. */
  static List<String> tabs(SourceFile file) {
    return linesWith(file, Pattern.compile("\t"), null);
  }

  /** Paths of the machine that somebody worked on. */
  static List<String> machinePaths(SourceFile file) {
    return linesWith(file, MACHINE, null);
  }

  /** Numbers that are written in the language of the machine: names and JSON must not be. */
  static List<String> localizedNumbers(SourceFile file) {
    List<String> complaints = new ArrayList<>();
    Matcher text = LOCALIZED.matcher(file.text());
    while (text.find()) {
      boolean formatted = text.group("call") != null;
      boolean direct = !text.group().startsWith("\"");
      if (formatted || direct) {
        complaints.add(
            "%s: use %%s, or String.format(Locale.ROOT, ...): %s"
                .formatted(file.path(), text.group().strip()));
      }
    }
    return complaints;
  }

  /**
   * Links of a document to files that {@code exists} does not know, by their path below the root.
   */
  static List<String> deadLinks(SourceFile file, Predicate<String> exists) {
    if (!file.path().endsWith(".md")) {
      return List.of();
    }
    List<String> complaints = new ArrayList<>();
    Matcher link = LINK.matcher(file.text());
    Path document = Path.of(file.path());
    while (link.find()) {
      String target = document.resolveSibling(link.group(1)).normalize().toString();
      if (!link.group(1).contains("://") && !exists.test(target.replace('\\', '/'))) {
        complaints.add(file.path() + ": there is no " + target);
      }
    }
    return complaints;
  }

  /** Packages, of the product or only of tests, whose {@code package-info} is not null-marked. */
  static List<String> packages(List<SourceFile> files) {
    Set<String> marked =
        files.stream()
            .filter(file -> file.path().endsWith("/package-info.java"))
            .filter(file -> file.text().contains("@NullMarked") && file.text().contains("/**"))
            .map(SourceFile::folder)
            .map(StyleRules::packageOf)
            .collect(Collectors.toSet());
    return files.stream()
        .filter(file -> !file.path().endsWith("/module-info.java"))
        .map(SourceFile::folder)
        .map(StyleRules::packageOf)
        .filter(name -> !marked.contains(name))
        .collect(Collectors.toCollection(TreeSet::new))
        .stream()
        .map(name -> name + ": no package-info with a sentence and @NullMarked")
        .toList();
  }

  private static String packageOf(String folder) {
    return folder.replaceFirst("/src/(main|test)/java/", "/");
  }

  private static List<String> linesWith(SourceFile file, Pattern bad, @Nullable Pattern unless) {
    List<String> complaints = new ArrayList<>();
    int number = 0;
    for (String line : file.text().lines().toList()) {
      number++;
      Matcher matcher = bad.matcher(line);
      if (matcher.find() && (unless == null || !unless.matcher(line).find())) {
        complaints.add(file.path() + ":" + number + ": " + line.strip());
      }
    }
    return complaints;
  }
}
