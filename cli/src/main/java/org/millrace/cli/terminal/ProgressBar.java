package org.millrace.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * A line at the bottom of a terminal that shows the progress of a job: what it is about, how much
 * is done, how quickly, and how long the rest will take. It appears when the job takes more than a
 * moment, and moves even if the job stands still. Without a terminal it prints nothing, so that
 * logs and pipes stay clean.
 *
 * <p>Any thread may report progress; a thread of its own draws. Closing wipes the line; it is
 * idempotent, and later reports are ignored.
 */
public final class ProgressBar implements AutoCloseable {

  /** Jobs that are over sooner show nothing. */
  static final long FIRST_NANOS = 500_000_000;

  private static final long REDRAW_NANOS = 200_000_000;

  /** How many pictures long "lately" is. */
  private static final int SAMPLES = 15;

  private static final String WIPE = "\r\033[K";

  private record Sample(long nanos, long done) {}

  // constant after construction
  private final PrintWriter out;
  private final Env env;
  private final int columns;
  private final String label;
  private final ProgressLine.Unit unit;
  private final long total;
  private final int passes;
  private final long beganNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  @GuardedBy("lock")
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  @GuardedBy("lock")
  private String name = "";

  @GuardedBy("lock")
  private long done;

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
    this(out, env, columns, label, ProgressLine.Unit.STEPS, requirePositive(total), 1);
  }

  private ProgressBar(
      PrintWriter out,
      Env env,
      int columns,
      String label,
      ProgressLine.Unit unit,
      long total,
      int passes) {
    this.out = out;
    this.env = env;
    this.columns = columns;
    this.label = label;
    this.unit = unit;
    this.total = total;
    this.passes = passes;
    this.beganNanos = env.nanoTime();
    this.ended = env.signal(lock);
    if (columns > 0) {
      env.start(ThreadKind.SERVICE, "progress", this::drawAll);
    }
  }

  /**
   * A bar over bytes.
   *
   * @param bytes how many there are; 0 if nobody knows
   * @param passes how often each of them is reported: what is copied and then verified is done when
   *     it was reported twice
   */
  public static ProgressBar ofBytes(
      PrintWriter out, Env env, int columns, String label, long bytes, int passes) {
    return new ProgressBar(out, env, columns, label, ProgressLine.Unit.BYTES, bytes, passes);
  }

  private static long requirePositive(long total) {
    if (total < 1) {
      throw new IllegalArgumentException("total must be at least 1, was " + total);
    }
    return total;
  }

  /** The width of the terminal that standard error writes to, 0 if it is none. */
  public static int terminalColumns() {
    return Terminal.columns();
  }

  /** What the job is about from now on. */
  public void name(String what) {
    lock.lock();
    try {
      name = what;
    } finally {
      lock.unlock();
    }
  }

  /** Reports that {@code steps} more steps, or bytes, are done. */
  public void advance(long steps) {
    lock.lock();
    try {
      done += steps;
    } finally {
      lock.unlock();
    }
  }

  private void drawAll() {
    lock.lock();
    try {
      long next = beganNanos + FIRST_NANOS;
      while (!closed) {
        if (env.nanoTime() >= next) {
          draw();
          next = env.deadlineAfter(REDRAW_NANOS);
        }
        boolean _ = ended.await(next);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void draw() {
    long now = env.nanoTime();
    long whole = done / passes;
    long shown = total > 0 ? Math.min(total, whole) : whole;
    samples.addLast(new Sample(now, shown));
    if (samples.size() > SAMPLES) {
      samples.removeFirst();
    }
    Sample first = samples.getFirst();
    long since = now - first.nanos;
    double perSecond =
        since > 0 ? (shown - first.done) * 1e9 / since : shown * 1e9 / (now - beganNanos);
    ProgressLine line =
        new ProgressLine(label, name, unit, shown, total, now - beganNanos, perSecond);
    out.print(WIPE + line.shown(columns));
    out.flush();
    drawn = true;
  }

  /** Takes the line away, for something else to be printed; it comes again by itself. */
  public void wipe() {
    lock.lock();
    try {
      wipeDrawn();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void wipeDrawn() {
    if (drawn && !closed) {
      out.print(WIPE);
      out.flush();
      drawn = false;
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      wipeDrawn();
      closed = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
