package org.millrace.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How tests start another JVM. What the JVM itself has to say goes to standard error: JVMs that
 * start at the same time lock each other's files of counters for a moment and warn about it, by
 * default in the middle of what the child says on standard output. Stateless.
 */
public final class ChildJava {

  private ChildJava() {}

  /** The command of a JVM of this Java, to which a class and its arguments are to be added. */
  public static List<String> command(String... options) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:-UsePerfData", "-Xlog:disable", "-Xlog:all=warning:stderr"));
    line.addAll(List.of(options));
    return line;
  }
}
