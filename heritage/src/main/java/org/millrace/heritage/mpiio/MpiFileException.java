package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.millrace.error.MillraceException;

/**
 * An error of a file, with MPI's error class. Files have the error handler MPI_ERRORS_RETURN from
 * the start, and this exception is that return: the program may catch it and go on.
 * MPI_ERRORS_ARE_FATAL is what happens if nobody catches it: the rank ends, and the others fail
 * with {@link ErrorClass#PROC_FAILED} where they need it.
 */
public final class MpiFileException extends IOException {

  private static final long serialVersionUID = 1;

  private final ErrorClass errorClass;

  /** An error of a class. */
  public MpiFileException(ErrorClass errorClass, String message) {
    super(errorClass + ": " + message);
    this.errorClass = errorClass;
  }

  private MpiFileException(ErrorClass errorClass, Throwable cause) {
    this(errorClass, String.valueOf(cause.getMessage()));
    initCause(cause);
  }

  /** MPI's class of the error. */
  public ErrorClass getErrorClass() {
    return errorClass;
  }

  /** What Millrace or this package threw, in MPI's terms. */
  static MpiFileException of(Throwable thrown) {
    return switch (thrown) {
      case MpiFileException own -> own;
      case MillraceException e -> new MpiFileException(classOf(e), e);
      case IndexOutOfBoundsException e -> new MpiFileException(ErrorClass.ARG, e);
      case IllegalArgumentException e -> new MpiFileException(ErrorClass.ARG, e);
      case ArithmeticException e -> new MpiFileException(ErrorClass.ARG, e);
      case WrongThreadException e -> new MpiFileException(ErrorClass.BUFFER, e);
      case IOException e -> new MpiFileException(ErrorClass.IO, e);
      default -> new MpiFileException(ErrorClass.OTHER, thrown);
    };
  }

  private static ErrorClass classOf(MillraceException e) {
    return switch (e.code()) {
      case INVALID -> ErrorClass.in(String.valueOf(e.getMessage())).orElse(ErrorClass.ARG);
      case NO_SUCH_NAME -> ErrorClass.NO_SUCH_FILE;
      case NAME_EXISTS -> ErrorClass.FILE_EXISTS;
      case WRONG_KIND -> ErrorClass.BAD_FILE;
      case NOT_PERMITTED -> ErrorClass.ACCESS;
      case CLOSED -> ErrorClass.FILE;
      case MIXED_CALL -> ErrorClass.NOT_SAME;
      case RANK_FAILED -> ErrorClass.PROC_FAILED;
      case DISK_FULL -> ErrorClass.NO_SPACE;
      case IN_USE -> ErrorClass.FILE_IN_USE;
      case DEADLINE, DEADLOCK, NODE, DISK, CORRUPT, PROTOCOL, UNKNOWN, RESTARTED, REFUSED ->
          ErrorClass.IO;
    };
  }
}
