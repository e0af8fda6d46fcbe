package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.daemons.Launching;

/** Starts {@code millrace} and other commands as processes and collects what they print. */
public final class Processes implements AutoCloseable {

  private static final long TIMEOUT_SECONDS = 300;
  private static final long POLL_MILLIS = 20;

  private final Path folder;
  private final List<Process> all = new ArrayList<>();

  /** What a process printed is kept in files in {@code folder}. */
  public Processes(Path folder) {
    this.folder = folder;
  }

  /** A process that was started. */
  public static final class Started {

    private final Process process;
    private final Path out;
    private final Path err;

    private Started(Process process, Path out, Path err) {
      this.process = process;
      this.out = out;
      this.err = err;
    }

    /** Waits until it has printed {@code text}. */
    public void awaitOutput(String text) throws IOException, InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while (!Files.readString(out).contains(text)) {
        boolean ended = process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(ended && !Files.readString(out).contains(text))
            .as("it ended without saying '%s': %s", text, Files.readString(err))
            .isFalse();
        assertThat(System.nanoTime()).as("it says '%s' in time", text).isLessThan(deadline);
      }
    }

    /** Its number. */
    public long pid() {
      return process.pid();
    }

    /** The processes that it has started. */
    public List<ProcessHandle> children() {
      return process.children().toList();
    }

    /** Waits for its end. */
    public CommandLineRun await() throws IOException, InterruptedException {
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("it ended").isTrue();
      return new CommandLineRun(process.exitValue(), Files.readString(out), Files.readString(err));
    }
  }

  /** The command line of {@code millrace} in a JVM of its own. */
  public static List<String> millrace(String... args) {
    return JavaCommand.of(List.of(args));
  }

  /** Starts a command with more variables in its environment. */
  public Started start(Map<String, String> variables, List<String> line) throws IOException {
    Path out = folder.resolve("out-" + all.size());
    Path err = folder.resolve("err-" + all.size());
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(Launching::isLaunchers);
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    all.add(process);
    return new Started(process, out, err);
  }

  /** Runs {@code millrace} to its end. */
  public CommandLineRun run(String... args) throws IOException, InterruptedException {
    return start(Map.of(), millrace(args)).await();
  }

  @Override
  public void close() {
    all.forEach(Process::destroyForcibly);
  }
}
