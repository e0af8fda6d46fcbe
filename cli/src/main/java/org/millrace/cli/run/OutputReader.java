package org.millrace.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;

/**
 * Passes on what a process prints, line by line, on a thread of its own.
 *
 * <p>{@link #awaitAll} is for one thread. What the thread that reads says of itself is volatile.
 */
final class OutputReader {

  private static final long POLL_NANOS = 10_000_000L;

  // constant after construction
  private final InputStream from;
  private final Consumer<String> to;
  private final Thread thread;

  // written by the thread that reads
  private volatile long passed;
  private volatile boolean waiting;

  // owned by the thread that waits for the end
  private long seen = -1;

  private OutputReader(String name, InputStream from, Consumer<String> to) {
    this.from = from;
    this.to = to;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::pass);
  }

  static OutputReader start(String name, InputStream from, Consumer<String> to) {
    OutputReader reader = new OutputReader(name, from, to);
    reader.thread.start();
    return reader;
  }

  private void pass() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(from, System.out.charset()))) {
      long count = 0;
      for (String text = next(lines); text != null; text = next(lines)) {
        to.accept(text);
        passed = ++count;
      }
    } catch (IOException e) {
      to.accept("(what it prints cannot be read: " + e + ")");
    }
  }

  private @Nullable String next(BufferedReader lines) throws IOException {
    waiting = true;
    String text = lines.readLine();
    waiting = false;
    return text;
  }

  /**
   * Waits until readers have passed everything on, however slowly it is taken. Their processes have
   * ended, so nothing more comes unless processes that those have started and left behind hold the
   * output open: when nothing has come for so long this returns false.
   */
  static boolean awaitAll(List<OutputReader> readers, Env env, long silenceNanos)
      throws InterruptedException {
    long deadline = env.deadlineAfter(silenceNanos);
    while (readers.stream().anyMatch(one -> one.thread.isAlive())) {
      if (readers.stream().filter(OutputReader::isBusy).count() > 0) { // all are asked
        deadline = env.deadlineAfter(silenceNanos);
      } else if (env.nanoTime() - deadline >= 0) {
        return false;
      }
      env.sleep(POLL_NANOS);
    }
    return true;
  }

  /** Whether it has passed something on since it was asked last, or has something to pass on. */
  private boolean isBusy() {
    long before = seen;
    seen = passed;
    return thread.isAlive() && (seen != before || !waiting || isMoreThere());
  }

  private boolean isMoreThere() {
    try {
      return from.available() > 0;
    } catch (IOException e) {
      return false; // the thread has closed it, and ends
    }
  }
}
