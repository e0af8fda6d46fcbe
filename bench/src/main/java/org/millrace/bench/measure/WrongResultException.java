package org.millrace.bench.measure;

/** A benchmark read or wrote something else than it should: its times mean nothing. */
public final class WrongResultException extends IllegalStateException {

  private static final long serialVersionUID = 1;

  /** Says what was found and what was expected. */
  public WrongResultException(String message) {
    super(message);
  }
}
