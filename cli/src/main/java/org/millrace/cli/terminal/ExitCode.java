package org.millrace.cli.terminal;

/** How the command ends, as {@code millrace --help} lists it. Scripts rely on the numbers. */
public final class ExitCode {

  /** All went well. */
  public static final int OK = 0;

  /** What was asked for was tried and failed. */
  public static final int FAILED = 1;

  /** The command line is wrong; nothing was tried. */
  public static final int USAGE = 2;

  /** Only of {@code status}: there is nobody to ask. */
  public static final int UNREACHABLE = 2;

  /**
   * Could not start: the Java is too old. The launcher ends so, too: no JDK, or the build failed.
   */
  public static final int CANNOT_START = 3;

  /** Only of {@code up}: a daemon did not come back, the others serve. */
  public static final int NOT_ALL = 4;

  /** Interrupted from the keyboard; what a shell makes of SIGINT. */
  public static final int INTERRUPTED = 130;

  /** What a shell makes of SIGKILL. */
  public static final int KILLED = 137;

  private ExitCode() {}
}
