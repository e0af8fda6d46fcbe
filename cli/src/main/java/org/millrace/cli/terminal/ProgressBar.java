package org.millrace.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Console;
import java.io.PrintWriter;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;

/**
 * A line at the bottom of a terminal that shows the progress of a job. Without a terminal it prints
 * nothing, so that logs and pipes stay clean.
 *
 * <p>Any thread may report progress. Closing wipes the line; it is idempotent, and later reports
 * are ignored.
 */
public final class ProgressBar implements AutoCloseable {

  private static final long REDRAW_NANOS = 100_000_000;
  private static final int SHORTEST_BAR = 10;
  private static final int LONGEST_BAR = 40;
  private static final String WIPE = "\r\033[K";

  // Constant after construction.
  private final PrintWriter out;
  private final Env env;
  private final int columns;
  private final String label;
  private final long total;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private long done;

  @GuardedBy("lock")
  private long drawnAt;

  @GuardedBy("lock")
  private boolean drawn;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * A bar over {@code total} steps.
   *
   * @param columns the width of the terminal, or 0 where there is none
   */
  public ProgressBar(PrintWriter out, Env env, int columns, String label, long total) {
    if (total < 1) {
      throw new IllegalArgumentException("total must be at least 1, was " + total);
    }
    this.out = out;
    this.env = env;
    this.columns = columns;
    this.label = label;
    this.total = total;
  }

  /**
   * The width of the terminal that standard error writes to, 0 if it is none. The launcher knows
   * and says so; without the launcher the console is asked, which knows only about the other two
   * streams.
   */
  @SuppressWarnings("SystemConsoleNull") // the default of JDK 25 may be null again (JDK-8351435)
  public static int terminalColumns() {
    String told = System.getProperty("millrace.columns");
    if (told != null) {
      return told.matches("[0-9]{1,4}") ? Integer.parseInt(told) : 0;
    }
    Console console = System.console();
    return console != null && console.isTerminal() ? 80 : 0;
  }

  /** Reports that {@code steps} more steps are done. */
  public void advance(long steps) {
    lock.lock();
    try {
      done = Math.min(total, done + steps);
      if (columns == 0 || closed) {
        return;
      }
      long now = env.nanoTime();
      if (!drawn || done == total || now - drawnAt >= REDRAW_NANOS) {
        drawn = true;
        drawnAt = now;
        out.print(WIPE + line(label, done, total, columns));
        out.flush();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes the line away, for something else to be printed; the next report draws it again. */
  public void wipe() {
    lock.lock();
    try {
      if (drawn && !closed) {
        out.print(WIPE);
        out.flush();
        drawn = false;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (drawn && !closed) {
        out.print(WIPE);
        out.flush();
      }
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The line for a terminal of the given width. It leaves the last column free, because some
   * terminals wrap when it is filled; what does not fit is left out, the percentage last.
   */
  static String line(String label, long done, long total, int columns) {
    int room = columns - 1;
    // In doubles, because a hundred times a long may be none.
    String percent = String.format("%3d %%", (int) (100.0 * done / total));
    String count = " " + done + "/" + total;
    int bar = Math.min(LONGEST_BAR, room - label.length() - percent.length() - count.length() - 4);
    if (bar >= SHORTEST_BAR) {
      int full = (int) ((double) bar * done / total);
      String drawing = "#".repeat(full) + ".".repeat(bar - full);
      return label + " [" + drawing + "] " + percent + count;
    }
    if (label.length() + 1 + percent.length() <= room) {
      return label + " " + percent;
    }
    return percent.length() <= room ? percent : "";
  }
}
