package org.millrace.plan.collective;

/**
 * The length up to which unwanted bytes are transferred with their neighbours, because leaving them
 * out would cost more: PASSION's data sieving, by cost. Immutable; {@link Costs#gaps} has the
 * comparison.
 *
 * @param listBytes between two runs of one list: the gap between the pieces of two columns, and
 *     gaps of views that are no sections
 * @param transferBytes between two transfers: columns that no rank wants
 */
public record Gaps(long listBytes, long transferBytes) {

  /** Everything is transferred. */
  static final Gaps ALL = new Gaps(Long.MAX_VALUE, Long.MAX_VALUE);

  /** Checks the bounds. */
  public Gaps {
    if (listBytes < 0 || transferBytes < 0) {
      throw new IllegalArgumentException(
          "gaps of %s and %s bytes".formatted(listBytes, transferBytes));
    }
  }
}
