package org.millrace.bench.measure;

import java.time.Instant;
import org.millrace.env.Env;

/**
 * What the numbers were measured on. Immutable.
 *
 * @param java version of the JVM
 * @param system name, version and architecture of the operating system
 * @param processors how many the JVM may use
 * @param when the time, as ISO 8601 has it
 */
public record Machine(String java, String system, int processors, String when) {

  /** For the head of a report. */
  public String words() {
    return "%s, %s processors, Java %s, %s".formatted(system, processors, java, when);
  }

  /** This one, now. */
  public static Machine here(Env env) {
    String system =
        System.getProperty("os.name", "?")
            + " "
            + System.getProperty("os.version", "?")
            + " "
            + System.getProperty("os.arch", "?");
    return new Machine(
        Runtime.version().toString(),
        system,
        Runtime.getRuntime().availableProcessors(),
        Instant.ofEpochMilli(env.wallMillis()).toString());
  }
}
