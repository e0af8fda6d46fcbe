package org.millrace.bench.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM that this one has started. It takes commands, one line each, and answers each with
 * one line. It ends when its parent does, so none is left behind.
 *
 * <p>Used by one thread. Closing lets it end, and makes it if it does not.
 */
public final class ChildJvm implements AutoCloseable {

  /** What a line begins with that is an answer; a JVM may print others. */
  static final String ANSWER = "answer ";

  /** What a line begins with that says why an order was not carried out. */
  static final String FAILURE = "failure ";

  private static final long TIMEOUT_SECONDS = 30;
  private static final int MAX_ERRORS = 600;

  private final String name;
  private final Process process;
  private final Path errors;
  private final BufferedWriter orders;
  private final BufferedReader answers;

  private ChildJvm(String name, Process process, Path errors) {
    this.name = name;
    this.process = process;
    this.errors = errors;
    this.orders = process.outputWriter(UTF_8);
    this.answers = process.inputReader(UTF_8);
  }

  /**
   * Starts one.
   *
   * @param folder where it leaves what it prints as errors, in a file of that name
   * @param main its class
   * @param environment more variables for it
   */
  public static ChildJvm start(
      Path folder, String name, Class<?> main, List<String> args, Map<String, String> environment)
      throws IOException {
    return start(folder, name, List.of(), main, args, environment);
  }

  /**
   * Starts one by another command.
   *
   * @param through that command, which goes before the rest; may be nothing
   */
  public static ChildJvm start(
      Path folder,
      String name,
      List<String> through,
      Class<?> main,
      List<String> args,
      Map<String, String> environment)
      throws IOException {
    List<String> line = new ArrayList<>(through);
    line.addAll(java());
    // as many of them share a machine, each takes little; what is measured is not the collector
    line.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    line.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
    line.addAll(cacheOptions());
    String more = System.getProperty("millrace.bench.java", "");
    if (!more.isEmpty()) {
      line.addAll(List.of(more.split(" ", -1)));
    }
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    line.addAll(args);
    Path errors = folder.resolve(name + ".err");
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    return new ChildJvm(name, builder.start(), errors);
  }

  /** A JVM of this Java that says on standard output only what its program says. */
  public static List<String> java() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return List.of(java, "-Xlog:disable", "-Xlog:all=warning,aot*=off,cds*=off:stderr");
  }

  /** What an earlier JVM has written down for later ones, if this one uses it. */
  private static List<String> cacheOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-XX:AOTCache="))
        .toList();
  }

  /** Gives an order. */
  public void order(String line) throws IOException {
    try {
      orders.write(line);
      orders.newLine();
      orders.flush();
    } catch (IOException e) {
      throw ended(e.toString());
    }
  }

  /** What it answers to the order before. */
  public String answer() throws IOException {
    for (String line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(ANSWER)) {
        return line.substring(ANSWER.length());
      }
      if (line.startsWith(FAILURE)) {
        throw new IOException(name + ": " + line.substring(FAILURE.length()));
      }
    }
    throw ended("no answer");
  }

  /** Gives an order and waits for the answer. */
  public String ask(String line) throws IOException {
    order(line);
    return answer();
  }

  private IOException ended(String why) throws IOException {
    String text = Files.exists(errors) ? Files.readString(errors).strip() : "";
    String first = text.substring(0, Math.min(MAX_ERRORS, text.length()));
    return new IOException(
        "%s has ended (%s): %s".formatted(name, why, first.replaceAll("\\s*\\R\\s*", "; ")));
  }

  /** Ends it at once: after a failure it may wait for others that wait for it. */
  public void kill() {
    process.destroyForcibly();
  }

  /** No more orders; it may end. */
  public void hangUp() {
    try {
      orders.close();
    } catch (IOException e) {
      // it has ended already
    }
  }

  @Override
  public void close() throws IOException {
    hangUp();
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw (IOException) new InterruptedIOException("while " + name + " ends").initCause(e);
    }
  }
}
