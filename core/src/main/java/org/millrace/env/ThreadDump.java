package org.millrace.env;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes where the threads of a {@link SeededEnv} stand. Stateless. */
final class ThreadDump {

  private ThreadDump() {}

  /** The threads by number, each with the innermost of its own places. */
  static String describe(Map<Integer, Thread> threads) {
    return threads.entrySet().stream()
        .map(
            e ->
                "thread %s '%s' at %s"
                    .formatted(e.getKey(), e.getValue().getName(), place(e.getValue())))
        .collect(Collectors.joining("; "));
  }

  private static String place(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .filter(f -> !f.getClassName().startsWith("java.") && !f.getClassName().startsWith("jdk."))
        .filter(f -> !isOurs(f.getClassName()))
        .limit(3)
        .map(f -> f.getClassName() + "." + f.getMethodName() + ":" + f.getLineNumber())
        .collect(Collectors.joining(" < "));
  }

  private static boolean isOurs(String type) {
    String env = SeededEnv.class.getName();
    return type.equals(env)
        || type.startsWith(env + "$")
        || type.equals(SeededSignal.class.getName());
  }
}
