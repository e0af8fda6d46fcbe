package org.millrace.protocol;

import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * How a rank's part in a collective call ended.
 *
 * @param code the kind of error, or null if there was none
 * @param message what happened, or empty
 */
public record Trouble(@Nullable ErrorCode code, String message) {

  /** No trouble. */
  public static final Trouble NONE = new Trouble(null, "");

  /** The trouble that {@code e} means. */
  public static Trouble of(MillraceException e) {
    return new Trouble(e.code(), String.valueOf(e.getMessage()));
  }
}
