package org.millrace.cli.daemons;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How to start this command again in a JVM of its own: the same Java, the same options and classes.
 * Nothing secret is among them. Stateless.
 */
public final class JavaCommand {

  /** Options that belong to one JVM alone: its terminal, its debugger. */
  private static final String OWN =
      "-Dmillrace\\.(columns|out)=.*|-agentlib:.*|-Xrunjdwp.*|-Xdebug";

  /** By its name: the command knows its parts, and they do not know it. */
  private static final String MAIN = "org.millrace.cli.Main";

  private JavaCommand() {}

  /**
   * The command line for somebody who starts it at another time: by the launcher, if this JVM was
   * started by it, because its next build takes the place of these classes, and the host may have
   * other memory then.
   */
  public static List<String> later(List<String> args) {
    String launcher = System.getProperty("millrace.command", "");
    if (launcher.isEmpty()) {
      return of(args);
    }
    List<String> line = new ArrayList<>();
    line.add(Path.of(launcher).toAbsolutePath().normalize().toString());
    line.addAll(args);
    return line;
  }

  /** The command line of a JVM that runs {@code millrace} with these arguments. */
  public static List<String> of(List<String> args) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xlog:disable", "-Xlog:all=warning:stderr")); // output is the program's
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (!option.matches(OWN)) {
        line.add(option);
      }
    }
    line.add("-cp");
    line.add(System.getProperty("java.class.path"));
    line.add(MAIN);
    line.addAll(args);
    return line;
  }
}
