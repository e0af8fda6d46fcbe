package org.millrace.plan;

/**
 * How a program would like a new file to be striped; of a file that exists it changes nothing.
 * Immutable.
 *
 * @param unitBytes bytes that go to one strand before the next strand's turn ({@code
 *     striping_unit}); 0 leaves it to the cluster
 * @param strands how many strands ({@code striping_factor}); 0 leaves it to the cluster
 */
public record Striping(long unitBytes, int strands) {

  /** As the cluster thinks best. */
  public static final Striping DEFAULT = new Striping(0, 0);

  /** Checks the bounds. */
  public Striping {
    if (unitBytes < 0 || strands < 0) {
      throw new IllegalArgumentException(
          "striping: unit of %d bytes, %d strands".formatted(unitBytes, strands));
    }
  }
}
