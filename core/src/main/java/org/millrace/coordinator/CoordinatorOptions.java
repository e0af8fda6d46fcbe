package org.millrace.coordinator;

/**
 * How a coordinator is set up.
 *
 * @param nodeCount nodes that files can be striped over
 * @param stripeUnitBytes stripe unit of files whose maker names none
 * @param superuser the user whom no mode bits bind, and who owns the root directory
 * @param rootPermissions mode bits of the root directory of a new cluster
 * @param compactBytes the journal is written anew when it has grown by this and to twice what it
 *     was after the last time
 */
public record CoordinatorOptions(
    int nodeCount, long stripeUnitBytes, String superuser, int rootPermissions, long compactBytes) {

  private static final long DEFAULT_STRIPE_UNIT_BYTES = 64 * 1024;
  private static final int DEFAULT_ROOT_PERMISSIONS = 0777;
  private static final long DEFAULT_COMPACT_BYTES = 4 * 1024 * 1024;

  /** Checks the bounds. */
  public CoordinatorOptions {
    if (nodeCount < 1) {
      throw new IllegalArgumentException("nodeCount " + nodeCount + " is below 1");
    }
    if (stripeUnitBytes < 1) {
      throw new IllegalArgumentException("stripeUnitBytes " + stripeUnitBytes + " is below 1");
    }
    if (compactBytes < 1) {
      throw new IllegalArgumentException("compactBytes " + compactBytes + " is below 1");
    }
  }

  /** The defaults for a cluster of this many nodes. */
  public static CoordinatorOptions of(int nodeCount, String superuser) {
    return new CoordinatorOptions(
        nodeCount,
        DEFAULT_STRIPE_UNIT_BYTES,
        superuser,
        DEFAULT_ROOT_PERMISSIONS,
        DEFAULT_COMPACT_BYTES);
  }

  /** The same with another stripe unit. */
  public CoordinatorOptions withStripeUnitBytes(long bytes) {
    return new CoordinatorOptions(nodeCount, bytes, superuser, rootPermissions, compactBytes);
  }

  /** The same with another bound for the growth of the journal. */
  public CoordinatorOptions withCompactBytes(long bytes) {
    return new CoordinatorOptions(nodeCount, stripeUnitBytes, superuser, rootPermissions, bytes);
  }
}
