package org.millrace.heritage.edonio;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/**
 * What EDONIO's C calls return as -1, with a reason. A collective call that fails throws one with
 * the same reason on every rank.
 */
public final class EdonioException extends IOException {

  @Serial private static final long serialVersionUID = 1;

  /** Why a call failed. */
  public enum Reason {
    /** {@code do_nio} was not called, or with other numbers than the rank's. */
    NOT_INITIALIZED,
    /** No open file has this descriptor. */
    BAD_DESCRIPTOR,
    /** Flags that say neither how to open, nor anything else that is supported. */
    BAD_FLAGS,
    /** A length, size, position or {@code whence} that cannot be. */
    BAD_ARGUMENT,
    /** There is no such file. */
    NO_SUCH_FILE,
    /** There is such a file, and {@code O_EXCL} was given. */
    FILE_EXISTS,
    /** The file was opened for reading only. */
    READ_ONLY,
    /** The file was opened for writing only. */
    WRITE_ONLY,
    /** Fewer bytes lie before the end of the file than were asked for. */
    PAST_END,
    /** A disk cache of nothing. */
    NO_DISK_CACHE,
    /** DONIO only: a write beyond the size that {@code do_lsize} gave, or without it. */
    SIZE_NOT_GIVEN,
    /** The ranks made different calls, or the same with different arguments. */
    MIXED_CALL,
    /** The file's permissions or the cluster's owner do not allow it. */
    NOT_PERMITTED,
    /** The program ended with files open. */
    LEFT_OPEN,
    /** Disk, network or another rank failed; the cause says more. */
    FAILED
  }

  private final Reason reason;

  EdonioException(Reason reason, String message) {
    this(reason, message, null);
  }

  EdonioException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** What the core says, in EDONIO's words. */
  static EdonioException of(String call, IOException e) {
    if (e instanceof EdonioException known) {
      return known;
    }
    Reason reason =
        e instanceof MillraceException m
            ? switch (m.code()) {
              case NO_SUCH_NAME -> Reason.NO_SUCH_FILE;
              case NAME_EXISTS -> Reason.FILE_EXISTS;
              case INVALID, WRONG_KIND -> Reason.BAD_ARGUMENT;
              case NOT_PERMITTED -> Reason.NOT_PERMITTED;
              case MIXED_CALL -> Reason.MIXED_CALL;
              default -> Reason.FAILED;
            }
            : Reason.FAILED;
    return new EdonioException(reason, call + ": " + e.getMessage(), e);
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
