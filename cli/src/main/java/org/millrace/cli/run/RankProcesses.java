package org.millrace.cli.run;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.daemons.Launching;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.env.Env;
import org.millrace.launch.Launch;

/**
 * The rank processes of a run, started by this process. It passes on their output, waits for them,
 * and ends those that keep running for too long after another has failed, or after this process
 * ends.
 *
 * <p>Used by one thread; the output is read by others.
 */
final class RankProcesses {

  /** Longer than ranks take to notice that one is gone, with the default timeouts. */
  private static final long GRACE_NANOS = 40_000_000_000L;

  private static final long KILL_NANOS = 10_000_000_000L;

  /** Nothing more comes from processes that ranks have left behind. */
  private static final long SILENCE_NANOS = 3_000_000_000L;

  private static final long POLL_NANOS = 10_000_000L;

  // constant after construction
  private final Env env = Env.real();
  private final PrintWriter out;
  private final PrintWriter err;
  private final RankOutput output;
  private final List<Process> processes = new CopyOnWriteArrayList<>(); // the hook reads it too
  private final List<OutputReader> readers = new ArrayList<>();
  private final ReentrantLock starting = new ReentrantLock();

  private boolean ending; // guarded by starting

  RankProcesses(PrintWriter out, PrintWriter err, RankOutput output) {
    this.out = out;
    this.err = err;
    this.output = output;
  }

  /**
   * Runs {@code millrace} with these arguments in {@code ranks} processes; returns the exit code.
   */
  int run(List<String> args, int ranks, String where) throws IOException, InterruptedException {
    long began = env.wallMillis();
    String job = "procs-" + ProcessHandle.current().pid() + "-" + began;
    List<String> line = JavaCommand.of(args);
    Thread hook = Thread.ofPlatform().name("stop").unstarted(this::endAll);
    Runtime.getRuntime().addShutdownHook(hook); // before there is anybody to outlive this process
    try {
      for (int rank = 0; rank < ranks; rank++) {
        start(
            line,
            rank,
            Map.of(
                "MILLRACE_RANK",
                Integer.toString(rank),
                "MILLRACE_RANKS",
                Integer.toString(ranks),
                "MILLRACE_JOB",
                job,
                Launch.ADDRESS,
                where));
      }
    } catch (IOException | RuntimeException e) {
      endAll();
      removeHook(hook);
      throw e;
    }
    int code = await();
    OutputReader.awaitAll(readers, env, SILENCE_NANOS);
    removeHook(hook);
    return code;
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM has begun to end; the hook finds nobody left
    }
  }

  private void start(List<String> line, int rank, Map<String, String> variables)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().keySet().removeIf(Launching::isLaunchers);
    builder.environment().putAll(variables);
    Process process = begin(builder);
    read(rank, process.getInputStream(), out);
    read(rank, process.getErrorStream(), err);
  }

  /**
   * Not once this process has begun to end: the process that ends the others must know of all of
   * them.
   */
  private Process begin(ProcessBuilder builder) throws IOException {
    starting.lock();
    try {
      if (ending) {
        throw new IOException("asked to end");
      }
      Process process = builder.start();
      processes.add(process);
      return process;
    } finally {
      starting.unlock();
    }
  }

  private void read(int rank, InputStream from, PrintWriter to) {
    readers.add(
        OutputReader.start(
            "output of rank " + rank, from, text -> to.println(output.line(rank, text))));
  }

  /** Waits for all; the exit code of the first that failed counts. */
  private int await() throws InterruptedException {
    boolean[] seen = new boolean[processes.size()];
    int code = ExitCode.OK;
    int left = processes.size();
    long deadline = Env.NEVER;
    boolean asked = false;
    while (left > 0) {
      for (int rank = 0; rank < seen.length; rank++) {
        Process process = processes.get(rank);
        if (seen[rank] || process.isAlive()) {
          continue;
        }
        seen[rank] = true;
        left--;
        if (process.exitValue() != 0 && code == ExitCode.OK) {
          code = process.exitValue();
          deadline = env.deadlineAfter(GRACE_NANOS);
          err.println("millrace: rank " + rank + " ended with exit code " + code + signal(code));
        }
      }
      if (left > 0 && env.nanoTime() > deadline) {
        String how = asked ? "kills" : "ends";
        err.println("millrace: %s %s ranks that go on without it".formatted(how, left));
        end(asked);
        asked = true;
        deadline = env.deadlineAfter(KILL_NANOS);
      }
      env.sleep(POLL_NANOS);
    }
    return code;
  }

  private static String signal(int code) {
    return code > 128 ? " (signal " + (code - 128) + ")" : "";
  }

  private void end(boolean forcibly) {
    for (Process process : processes) {
      if (forcibly) {
        process.toHandle().destroyForcibly();
      } else {
        process.toHandle().destroy(); // not its own destroy, which closes what it printed unread
      }
    }
  }

  /** This process ends: so do the ranks, in order if they can. */
  private void endAll() {
    starting.lock();
    try {
      ending = true;
    } finally {
      starting.unlock();
    }
    end(false);
    long deadline = env.deadlineAfter(2 * KILL_NANOS);
    try {
      while (processes.stream().anyMatch(Process::isAlive) && env.nanoTime() < deadline) {
        env.sleep(POLL_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end(true);
  }
}
