package org.millrace.access;

import java.util.Objects;

/**
 * A pattern moved by a displacement: one child of a {@link Sequence}. Immutable.
 *
 * @param displacement bytes added to every offset of the pattern; may be negative
 * @param pattern what is moved
 */
public record Placed(long displacement, Pattern pattern) {

  /** Refuses null. */
  public Placed {
    Objects.requireNonNull(pattern, "pattern");
  }
}
