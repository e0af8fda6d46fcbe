package org.millrace.bench.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * Runs other programs and reads what they print. One that prints nothing for too long is killed
 * with all that it has started: a launcher that hangs does not look after its ranks. Used by one
 * thread.
 */
public final class Launch {

  private static final long LOOK_NANOS = 100_000_000;
  private static final long MAX_LOOKS = 100;
  private static final int MAX_ERRORS = 600;

  /** Open MPI refuses to run as root unless told twice; containers have nobody else. */
  private static final Map<String, String> ENVIRONMENT =
      Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");

  /**
   * How a program ended.
   *
   * @param status its exit code
   * @param timedOut whether it was killed because it was silent for too long
   */
  public record End(int status, boolean timedOut) {}

  private final Env env;
  private final Path errors;
  private final long silenceNanos;

  /**
   * Prepares.
   *
   * @param errors a file for what programs print as errors
   * @param silenceNanos a program that prints nothing for so long is killed
   */
  public Launch(Env env, Path errors, long silenceNanos) {
    this.env = env;
    this.errors = errors;
    this.silenceNanos = silenceNanos;
  }

  /** Runs a program to its end; {@code lines} gets what it prints, as it comes. */
  public End run(List<String> command, Consumer<String> lines) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().putAll(ENVIRONMENT);
    Process process = builder.start();
    // Not from env: the JVM itself starts it, and only wants to be given it unstarted.
    Thread hook = Thread.ofPlatform().name("kill").unstarted(() -> kill(process));
    Runtime.getRuntime().addShutdownHook(hook);
    AtomicLong deadline = new AtomicLong(env.deadlineAfter(silenceNanos));
    AtomicBoolean timedOut = new AtomicBoolean();
    env.start(ThreadKind.SERVICE, "watch", () -> watch(process, deadline, timedOut));
    try (BufferedReader out = process.inputReader(Charset.defaultCharset())) {
      process.getOutputStream().close();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        deadline.set(env.deadlineAfter(silenceNanos));
        lines.accept(line);
      }
      int status = process.waitFor();
      return new End(status, timedOut.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("while " + command.getFirst()).initCause(e);
    } finally {
      kill(process); // which ends the watch, too
      removeHook(hook);
    }
  }

  /** The end of what the last program printed as errors, in one line. */
  public String errors() throws IOException {
    String text = Files.readString(errors, Charset.defaultCharset()).strip();
    String end = text.substring(Math.max(0, text.length() - MAX_ERRORS));
    return end.replaceAll("\\s*\\R\\s*", "; ");
  }

  private void watch(Process process, AtomicLong deadline, AtomicBoolean timedOut) {
    try {
      while (process.isAlive()) {
        if (env.nanoTime() > deadline.get()) {
          timedOut.set(true);
          kill(process);
          return;
        }
        env.sleep(LOOK_NANOS);
      }
    } catch (InterruptedException e) {
      // the program has ended
    }
  }

  /** Asks a program to end, so that it can clean up, and then makes sure that its children have. */
  private void kill(Process process) {
    if (!process.isAlive()) {
      return;
    }
    List<ProcessHandle> all;
    try (Stream<ProcessHandle> descendants = process.descendants()) {
      all = descendants.toList(); // before it ends: then they are nobody's
    }
    process.destroy();
    for (int i = 0; i < MAX_LOOKS && process.isAlive(); i++) {
      try {
        env.sleep(LOOK_NANOS);
      } catch (InterruptedException e) {
        break;
      }
    }
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM has begun to end, and the hook runs
    }
  }
}
