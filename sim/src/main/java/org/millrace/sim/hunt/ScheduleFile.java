package org.millrace.sim.hunt;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.millrace.env.ScheduleListener;

/**
 * Writes the schedule of a world to a file, a line for each choice of the scheduler, with the place
 * where the chosen thread stopped, and a line for each thread that becomes ready, with the thread
 * that woke it. Two schedules of one seed are compared by {@code cmp} and {@code diff}: the first
 * line that differs is where they part, and the line before it is the cause.
 *
 * <p>Called by one thread at a time, as worlds run. Close it when the world has ended.
 */
final class ScheduleFile implements ScheduleListener, AutoCloseable {

  private static final int MAX_FRAMES = 12;

  // constant after construction
  private final Path file;
  private final PrintWriter out;

  private ScheduleFile(Path file, PrintWriter out) {
    this.file = file;
    this.out = out;
  }

  /** The file of a seed, in a folder that is made if there is none. */
  static ScheduleFile of(Path folder, long seed) {
    try {
      Files.createDirectories(folder);
      Path file = folder.resolve("seed-" + seed + ".schedule");
      return new ScheduleFile(file, new PrintWriter(Files.newBufferedWriter(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void onReady(int thread, Thread by) {
    out.println("  " + thread + " made ready by " + (by.isVirtual() ? by.getName() : "a timer"));
  }

  @Override
  public void onStretch(long nanos, int number, String name, Supplier<StackTraceElement[]> stack) {
    out.print(nanos + " ns: " + number + " '" + name + "'");
    StackTraceElement[] frames = stack.get();
    for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
      out.print(" < " + frames[i].getClassName() + "." + frames[i].getMethodName());
    }
    out.println();
  }

  @Override
  public void close() {
    boolean failed = out.checkError();
    out.close();
    if (failed) {
      throw new UncheckedIOException(new IOException("cannot write " + file));
    }
  }
}
