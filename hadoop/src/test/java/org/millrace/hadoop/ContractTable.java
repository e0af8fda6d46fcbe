package org.millrace.hadoop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Counts how the tests of each class below a test class ended, and prints and keeps a table of it.
 * Safe for use by several threads.
 */
final class ContractTable implements TestWatcher, AfterAllCallback {

  private static final int PASSED = 0;
  private static final int FAILED = 1;
  private static final int SKIPPED = 2;

  private final Map<String, AtomicIntegerArray> counts = new ConcurrentSkipListMap<>();

  private void count(ExtensionContext context, int outcome) {
    String name = context.getRequiredTestClass().getSimpleName();
    counts.computeIfAbsent(name, _ -> new AtomicIntegerArray(3)).incrementAndGet(outcome);
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    count(context, PASSED);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    count(context, FAILED);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    count(context, SKIPPED);
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    count(context, SKIPPED);
  }

  /** Called for the classes below, too: prints once, when all of them have ended. */
  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (!context.getRequiredTestClass().equals(ContractTest.class)) {
      return;
    }
    List<String> lines = new ArrayList<>();
    lines.add("| contract | passed | failed | skipped |");
    lines.add("|---|--:|--:|--:|");
    AtomicIntegerArray sum = new AtomicIntegerArray(3);
    counts.forEach(
        (name, one) -> {
          lines.add(row(name, one));
          for (int i = 0; i < sum.length(); i++) {
            sum.addAndGet(i, one.get(i));
          }
        });
    lines.add(row("all", sum));
    lines.forEach(System.out::println);
    Path target = Path.of("target");
    if (Files.isDirectory(target)) {
      Files.write(target.resolve("contract.md"), lines);
    }
  }

  private static String row(String name, AtomicIntegerArray one) {
    return "| `%s` | %d | %d | %d |"
        .formatted(name, one.get(PASSED), one.get(FAILED), one.get(SKIPPED));
  }
}
