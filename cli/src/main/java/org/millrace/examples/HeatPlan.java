package org.millrace.examples;

/**
 * Where a run of {@link Heat} stands and where it goes. Immutable.
 *
 * @param size rows and columns of the grid
 * @param step how many steps are done
 * @param steps how many shall be done in all
 * @param every how many steps from one snapshot and checkpoint to the next
 */
public record HeatPlan(int size, int step, int steps, int every) {

  /** The bytes of one field. */
  public long fieldBytes() {
    return (long) size * size * Double.BYTES;
  }

  /** How many snapshots there are when all steps are done; the first is of the beginning. */
  public int snapshots() {
    return steps / every + 1;
  }

  /** The same at another step. */
  HeatPlan at(int newStep) {
    return new HeatPlan(size, newStep, steps, every);
  }
}
