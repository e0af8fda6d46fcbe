package org.millrace.cli.run;

/** A rank of a user's program threw; the cause is what it threw. */
public final class RankProgramException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int rank;

  RankProgramException(int rank, Throwable cause) {
    super(cause);
    this.rank = rank;
  }

  /** Which rank. */
  public int rank() {
    return rank;
  }
}
