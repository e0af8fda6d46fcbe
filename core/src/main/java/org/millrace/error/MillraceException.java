package org.millrace.error;

import java.io.IOException;

/**
 * An operation failed. The message says what, where and which value met which bound; {@link
 * #code()} says the kind for programs. Kinds that callers tell apart have subclasses of their own;
 * all others are thrown as this class.
 */
public class MillraceException extends IOException {

  private static final long serialVersionUID = 1;

  private final ErrorCode code;
  private int detail;

  /** An error of the given kind. */
  public MillraceException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  /** An error of the given kind, with what caused it. */
  public MillraceException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The kind of error. */
  public final ErrorCode code() {
    return code;
  }

  /**
   * A number that the interface above gives a meaning to, as an error class of its own; 0 if there
   * is none. It reaches all ranks with the code.
   */
  public final int detail() {
    return detail;
  }

  /** This error, with such a number; to be given before it is thrown. */
  public final MillraceException withDetail(int number) {
    detail = number;
    return this;
  }

  /**
   * An exception of the class that belongs to {@code code}: how an error that crossed a message is
   * thrown again.
   */
  public static MillraceException of(ErrorCode code, String message) {
    return switch (code) {
      case CORRUPT -> new CorruptBlockException(message);
      case DISK_FULL -> new DiskFullException(message);
      case MIXED_CALL -> new MixedCallException(message);
      case RANK_FAILED -> new RankFailedException(message);
      case DEADLINE -> new DeadlineException(message);
      case DEADLOCK -> new DeadlockException(message);
      case NO_SUCH_NAME -> new NoSuchNameException(message);
      case NAME_EXISTS -> new NameExistsException(message);
      default -> new MillraceException(code, message);
    };
  }

  /**
   * As {@link #of(ErrorCode, String)}, for all ranks to throw: names the rank that failed, once.
   */
  public static MillraceException of(ErrorCode code, int rank, String message) {
    String named = "rank " + rank;
    return of(code, message.matches("(?s)" + named + "\\b.*") ? message : named + ": " + message);
  }

  /**
   * This error again, for another thread to throw: same code and message, this one as its cause.
   */
  public final MillraceException again() {
    MillraceException copy = of(code, getMessage() == null ? code.name() : getMessage());
    copy.initCause(this);
    return copy.withDetail(detail);
  }

  /** {@code e} itself if it is one of this hierarchy, else a wrapping of kind {@code code}. */
  public static MillraceException wrap(ErrorCode code, Throwable e) {
    return e instanceof MillraceException m
        ? m
        : new MillraceException(code, String.valueOf(e.getMessage()), e);
  }
}
