package org.millrace.heritage.mpiio;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * An error of a file, with MPI's error class. It is what a call throws when the file's {@link
 * Errhandler} has returned; the program may catch it and go on.
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

  /** The same for the core, which tells the other ranks the class's number. */
  MillraceException refusal() {
    return new MillraceException(ErrorCode.INVALID, String.valueOf(getMessage()))
        .withDetail(errorClass.number());
  }

  /** What is wrong, if anything is. */
  static @Nullable MpiFileException refusalOf(Handle.Check check) {
    try {
      check.run();
      return null;
    } catch (IOException | RuntimeException e) {
      return of(e);
    }
  }

  /** What Millrace or this package threw, in MPI's terms. */
  static MpiFileException of(Throwable thrown) {
    return switch (thrown) {
      case MpiFileException own -> own;
      case MillraceException e -> new MpiFileException(classOf(e), e);
      case UncheckedIOException e -> of(requireNonNullElse(e.getCause(), new IOException(e)));
      case MpiArgumentException e -> new MpiFileException(e.getErrorClass(), e);
      case IndexOutOfBoundsException e -> new MpiFileException(ErrorClass.ARG, e);
      case IllegalArgumentException e -> new MpiFileException(ErrorClass.ARG, e);
      case ArithmeticException e -> new MpiFileException(ErrorClass.ARG, e);
      case NullPointerException e -> new MpiFileException(ErrorClass.ARG, e);
      case WrongThreadException e -> new MpiFileException(ErrorClass.BUFFER, e);
      case IOException e -> new MpiFileException(ErrorClass.IO, e);
      default -> new MpiFileException(ErrorClass.OTHER, thrown);
    };
  }

  private static ErrorClass classOf(MillraceException e) {
    return ErrorClass.of(e.detail()).orElse(classOf(e.code()));
  }

  private static ErrorClass classOf(ErrorCode code) {
    return switch (code) {
      case INVALID, TOO_LARGE -> ErrorClass.ARG;
      case NO_SUCH_NAME, NO_ATTRIBUTE -> ErrorClass.NO_SUCH_FILE;
      case NAME_EXISTS -> ErrorClass.FILE_EXISTS;
      case WRONG_KIND,
          IS_DIRECTORY,
          NOT_A_DIRECTORY,
          NOT_EMPTY,
          LOOP,
          NAME_TOO_LONG,
          TOO_MANY_LINKS ->
          ErrorClass.BAD_FILE;
      case NOT_PERMITTED, NOT_OWNER -> ErrorClass.ACCESS;
      case UNSUPPORTED -> ErrorClass.UNSUPPORTED_OPERATION;
      case CLOSED -> ErrorClass.FILE;
      case MIXED_CALL -> ErrorClass.NOT_SAME;
      case RANK_FAILED -> ErrorClass.PROC_FAILED;
      case DISK_FULL -> ErrorClass.NO_SPACE;
      case IN_USE, LOCKED -> ErrorClass.FILE_IN_USE;
      case DEADLINE,
          DEADLOCK,
          NODE,
          DISK,
          CORRUPT,
          PROTOCOL,
          UNKNOWN,
          RESTARTED,
          REFUSED,
          MOVED,
          LOST ->
          ErrorClass.IO;
    };
  }
}
