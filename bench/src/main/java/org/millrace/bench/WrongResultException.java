package org.millrace.bench;

/** A benchmark read or wrote something else than it should: its times mean nothing. */
final class WrongResultException extends IllegalStateException {

  private static final long serialVersionUID = 1;

  WrongResultException(String message) {
    super(message);
  }
}
