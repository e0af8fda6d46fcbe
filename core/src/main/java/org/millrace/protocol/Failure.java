package org.millrace.protocol;

import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * How a rank's part in a collective call ended.
 *
 * @param code the kind of error, or null if there was none
 * @param message what happened, or empty
 * @param detail what {@link MillraceException#detail} says
 */
public record Failure(@Nullable ErrorCode code, String message, int detail) {

  /** No failure. */
  public static final Failure NONE = new Failure(null, "");

  /** A failure without detail. */
  public Failure(@Nullable ErrorCode code, String message) {
    this(code, message, 0);
  }

  /** The failure that {@code e} describes. */
  public static Failure of(MillraceException e) {
    return new Failure(e.code(), String.valueOf(e.getMessage()), e.detail());
  }
}
