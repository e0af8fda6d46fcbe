package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.millrace.testing.ChildJava;

/**
 * A child JVM with this one's classes, talked to line by line. Belongs to one thread; signals may
 * be sent by any. Closing kills it.
 */
final class Jvm implements AutoCloseable {

  private static final long END_SECONDS = 300;

  // constant after construction
  private final Process process;
  private final BufferedReader output;
  private final PrintWriter input;

  private Jvm(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.input = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  static Jvm start(Class<?> main, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command =
        ChildJava.command(
            "-Xmx256m",
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new Jvm(builder.start());
  }

  void send(String line) {
    input.println(line);
  }

  /** The next line that it says; null at its end. */
  @Nullable String readLine() throws IOException {
    return output.readLine();
  }

  /** The next line, which must be {@code expected}. */
  void expect(String expected) throws IOException {
    String said = readLine();
    if (!expected.equals(said)) {
      throw new IOException("process " + pid() + " was to say '" + expected + "', said: " + said);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** As {@code kill -9}. */
  void kill() {
    process.toHandle().destroyForcibly(); // unlike the process's own, it leaves the output readable
  }

  void stop() throws IOException {
    signal("STOP");
  }

  void resume() throws IOException {
    signal("CONT");
  }

  private void signal(String name) throws IOException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start();
    try {
      if (kill.waitFor() != 0) {
        throw new IOException("kill -" + name + " " + pid() + " failed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Waits for its end: its exit code. */
  int await() throws IOException {
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("process " + pid() + " does not end");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    await();
    input.close();
    output.close();
  }
}
