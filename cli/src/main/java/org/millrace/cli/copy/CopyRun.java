package org.millrace.cli.copy;

import java.io.InterruptedIOException;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.StopHook;
import org.millrace.cli.terminal.Terminal;
import org.millrace.env.Env;
import picocli.CommandLine;

/**
 * The surroundings of a copy: a progress bar on the terminal, a clean end when interrupted, and a
 * {@link FileCopier}.
 *
 * <p>Used by one thread. Closing takes all of it away.
 */
public final class CopyRun implements AutoCloseable {

  // constant after construction
  private final ProgressBar bar;
  private final StopHook stop;
  private final FileCopier courier;

  /**
   * A passage of so many bytes.
   *
   * @param bytes how many; 0 if nobody knows
   * @param passes how often the copier counts each byte: twice if it verifies
   */
  public CopyRun(CommandLine line, String label, long bytes, int passes) {
    this(line, label, bytes, passes, Terminal.columns());
  }

  /** A passage to standard output: a bar would get between the bytes if that is a terminal. */
  public static CopyRun printing(CommandLine line, String label, long bytes) {
    return new CopyRun(line, label, bytes, 1, Terminal.isOut() ? 0 : Terminal.columns());
  }

  private CopyRun(CommandLine line, String label, long bytes, int passes, int columns) {
    Env env = Env.real();
    bar = ProgressBar.ofBytes(line.getErr(), env, columns, label, bytes, passes);
    stop = new StopHook(env, () -> {});
    courier = new FileCopier(env, bar::advance, stop::isAsked);
  }

  /** What carries the bytes. */
  public FileCopier courier() {
    return courier;
  }

  /** What is copied from now on; of several at a time, the last that was begun. */
  public void name(String what) {
    bar.name(what);
  }

  /** Fails if the command was interrupted. */
  public void checkGoesOn() throws InterruptedIOException {
    if (stop.isAsked()) {
      throw new InterruptedIOException("interrupted");
    }
  }

  /** So many more bytes are done. */
  public void advance(long bytes) {
    bar.advance(bytes);
  }

  @Override
  public void close() {
    bar.close();
    stop.close();
  }
}
