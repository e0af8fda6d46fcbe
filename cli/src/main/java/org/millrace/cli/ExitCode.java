package org.millrace.cli;

/** How the command ends, as {@code millrace --help} lists it. Scripts rely on the numbers. */
final class ExitCode {

  /** All went well. */
  static final int OK = 0;

  /** What was asked for was tried and failed. */
  static final int FAILED = 1;

  /** The command line is wrong; nothing was tried. */
  static final int USAGE = 2;

  /** Only of {@code status}: there is nobody to ask. */
  static final int UNREACHABLE = 2;

  /**
   * Could not start: the Java is too old. The launcher ends so, too: no JDK, or the build failed.
   */
  static final int CANNOT_START = 3;

  /** Interrupted from the keyboard; what a shell makes of SIGINT. */
  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
