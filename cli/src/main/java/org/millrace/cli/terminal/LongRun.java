package org.millrace.cli.terminal;

import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.env.Env;
import picocli.CommandLine;

/**
 * The surroundings of a command that does many things, one after another or several at a time: a
 * progress bar, and an end in order when it is interrupted. What was begun is finished, nothing
 * more is begun, and the error says how much was done.
 *
 * <p>Safe for use by several threads. Closing takes it all away.
 */
public final class LongRun implements AutoCloseable {

  // constant after construction
  private final String outcome;
  private final long total;
  private final ProgressBar bar;
  private final StopHook stop;
  private final AtomicLong done = new AtomicLong();

  /**
   * Begins.
   *
   * @param outcome what is said of things that are done, such as "removed"
   * @param total how many there are
   */
  public LongRun(CommandLine line, String label, String outcome, long total) {
    Env env = Env.real();
    this.outcome = outcome;
    this.total = total;
    this.bar = new ProgressBar(line.getErr(), env, Terminal.columns(), label, Math.max(1, total));
    this.stop = new StopHook(env, () -> {});
  }

  /** One is begun; fails if the command was interrupted. */
  public void begin(String name) throws InterruptedIOException {
    if (stop.isAsked()) {
      throw interrupted();
    }
    bar.name(name);
  }

  /** The error that says what is done by now; of several at a time, when all have ended. */
  public InterruptedIOException interrupted() {
    return new InterruptedIOException(
        "%s of %s %s; the rest is as it was".formatted(done.get(), total, outcome));
  }

  /** One is done. */
  public void end() {
    done.incrementAndGet();
    bar.advance(1);
  }

  @Override
  public void close() {
    bar.close();
    stop.close();
  }
}
