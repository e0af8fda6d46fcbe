package org.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What one run of the command line printed, and how it ended. */
public record CommandLineRun(int exitCode, String out, String err) {

  /** Runs {@code args} in this JVM. */
  public static CommandLineRun of(String... args) {
    return on(Runtime.version(), args);
  }

  /** Runs {@code args} as if this were a Java of another version. */
  public static CommandLineRun on(Runtime.Version java, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(java, new PrintWriter(out, true), new PrintWriter(err, true), args);
    return new CommandLineRun(exitCode, out.toString(), err.toString());
  }
}
