package org.millrace.judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs tests of others, written for JUnit 4, and compares how they end with the failures that are
 * written down: one that is not, and one that passes although it is, are both unexpected. Leaves
 * the outcomes in a file for {@code millrace judge}. Used by one thread at a time.
 */
final class ForeignSuite extends RunListener {

  private static final String NOT_RUN = "not run because FS is/has not:";
  private static final String PASSED = "passed";
  private static final String FAILED = "failed";
  private static final String UNEXPECTED = "unexpected";
  private static final String SKIPPED = "skipped";

  // constant after construction
  private final Map<String, String> reasons;

  private final Map<String, Ended> ended = new TreeMap<>();

  /** How a test ended, and why. */
  private record Ended(String ending, String reason) {}

  /**
   * Nothing has run yet.
   *
   * @param reasons why tests are known to fail, by their names
   */
  ForeignSuite(Map<String, String> reasons) {
    this.reasons = Map.copyOf(reasons);
  }

  void run(Class<?> suite) {
    run(Request.aClass(suite));
  }

  void run(Request request) {
    JUnitCore core = new JUnitCore();
    core.addListener(this);
    core.run(request);
  }

  private static String name(Description test) {
    return Optional.ofNullable(test.getMethodName())
        .map(name -> name.replaceFirst(" .*", ""))
        .orElse(test.getDisplayName());
  }

  @Override
  public void testFinished(Description test) {
    ended.putIfAbsent(name(test), new Ended(PASSED, ""));
  }

  @Override
  public void testFailure(Failure failure) {
    String test = name(failure.getDescription());
    if (!reasons.containsKey(test)) {
      System.err.println(test + ": " + failure.getTrace()); // with the seed, where there is one
    }
    ended.put(test, new Ended(FAILED, inOneLine(failure.getException())));
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    ended.put(name(failure.getDescription()), new Ended(SKIPPED, needed(failure.getMessage())));
  }

  /** What a test needs that the file system does not have, in niotest's word for it. */
  private static String needed(@Nullable String message) {
    String text = String.valueOf(message).replaceAll("\\s+", " ");
    int mark = text.indexOf(NOT_RUN);
    return mark < 0
        ? text
        : "needs " + text.substring(mark + NOT_RUN.length()).strip().replaceFirst(":.*", "");
  }

  @Override
  public void testIgnored(Description test) {
    ended.put(name(test), new Ended(SKIPPED, "the suite ignores it"));
  }

  private static String inOneLine(Throwable thrown) {
    String text = thrown.toString().replaceAll("\\s+", " ");
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }

  private Ended judged(String test, Ended how) {
    String reason = reasons.get(test);
    return switch (how.ending()) {
      case FAILED ->
          reason == null ? new Ended(UNEXPECTED, how.reason()) : new Ended(FAILED, reason);
      case PASSED ->
          reason == null ? how : new Ended(UNEXPECTED, "passes, though it is written to fail");
      default -> how;
    };
  }

  /** Lines of tests that ended as nobody has written down. */
  List<String> unexpected() {
    List<String> lines = new ArrayList<>(lines(UNEXPECTED));
    reasons.keySet().stream()
        .filter(test -> !ended.containsKey(test))
        .forEach(test -> lines.add(test + ": is written to fail, but did not run"));
    return lines;
  }

  long passed() {
    return lines(PASSED).size();
  }

  long failed() {
    return lines(FAILED).size();
  }

  private List<String> lines(String ending) {
    List<String> lines = new ArrayList<>();
    ended.forEach(
        (test, how) -> {
          Ended judged = judged(test, how);
          if (judged.ending().equals(ending)) {
            lines.add(test + ": " + judged.reason());
          }
        });
    return lines;
  }

  /** Leaves the outcomes where {@code millrace judge} looks for them. */
  void write(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    ended.forEach(
        (test, how) -> {
          Ended judged = judged(test, how);
          lines.add(String.join("\t", judged.ending(), test, judged.reason()));
        });
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, lines);
  }
}
