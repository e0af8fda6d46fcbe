package org.millrace.cli.copy;

import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.StopHook;
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

  /** A passage of so many bytes; 0 if nobody knows. */
  public CopyRun(CommandLine line, String label, long bytes) {
    Env env = Env.real();
    int columns = bytes > 0 ? ProgressBar.terminalColumns() : 0;
    bar = new ProgressBar(line.getErr(), env, columns, label, Math.max(1, bytes));
    stop = new StopHook(env, () -> {});
    courier = new FileCopier(env, bar::advance, stop::isAsked);
  }

  /** What carries the bytes. */
  public FileCopier courier() {
    return courier;
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
