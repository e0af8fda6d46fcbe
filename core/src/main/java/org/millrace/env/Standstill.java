package org.millrace.env;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Says where the threads of a {@link SeededEnv} stand, for people. Stateless. */
final class Standstill {

  private Standstill() {}

  /** The threads by number, each with the innermost of its own places. */
  static String describe(Map<Integer, Thread> threads) {
    return threads.entrySet().stream()
        .map(
            e ->
                "thread %d '%s' at %s"
                    .formatted(e.getKey(), e.getValue().getName(), place(e.getValue())))
        .collect(Collectors.joining("; "));
  }

  private static String place(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .filter(f -> !f.getClassName().startsWith("java.") && !f.getClassName().startsWith("jdk."))
        .filter(f -> !f.getClassName().startsWith(SeededEnv.class.getName()))
        .filter(f -> !f.getClassName().equals(SeededSignal.class.getName()))
        .limit(3)
        .map(f -> f.getClassName() + "." + f.getMethodName() + ":" + f.getLineNumber())
        .collect(Collectors.joining(" < "));
  }
}
