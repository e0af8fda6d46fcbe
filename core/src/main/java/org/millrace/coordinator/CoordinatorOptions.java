package org.millrace.coordinator;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import org.millrace.wire.Secret;

/**
 * Options of a coordinator.
 *
 * @param nodeCount nodes that files can be striped over
 * @param stripeUnitBytes stripe unit of files whose maker names none
 * @param superuser the user who is exempt from permissions of others' files, and owns the root
 *     directory
 * @param rootPermissions mode bits of the root directory of a new cluster
 * @param compactBytes the journal is written anew when it has grown by this and to twice what it
 *     was after the last time
 * @param cluster the cluster's identity, as clients see it
 * @param settings what all ranks must agree on; handed out, not understood
 * @param secret what capabilities are sealed with; without one there are none
 * @param capabilityMillis how long a capability is good
 * @param onShutdown ends the process at the superuser's request; called after the reply, must
 *     return at once
 * @param pointerCells memory that other processes map, for shared pointers, as {@link
 *     org.millrace.protocol.PointerCells} describes; of no bytes: pointers stay on the heap
 * @param places keeps where the nodes' directories are
 * @param graceNanos how long sessions may come back after the coordinator was restarted; 0 if they
 *     do not
 */
public record CoordinatorOptions(
    int nodeCount,
    long stripeUnitBytes,
    String superuser,
    int rootPermissions,
    long compactBytes,
    String cluster,
    Map<String, String> settings,
    Optional<Secret> secret,
    long capabilityMillis,
    Runnable onShutdown,
    MemorySegment pointerCells,
    NodePlaces places,
    long graceNanos) {

  private static final long DEFAULT_STRIPE_UNIT_BYTES = 64 * 1024;
  private static final int DEFAULT_ROOT_PERMISSIONS = 0777;
  private static final long DEFAULT_COMPACT_BYTES = 4 * 1024 * 1024;
  private static final long DEFAULT_CAPABILITY_MILLIS = 12L * 60 * 60 * 1000;

  /** Checks the bounds. */
  public CoordinatorOptions {
    settings = Map.copyOf(settings);
    if (nodeCount < 1) {
      throw new IllegalArgumentException("nodeCount " + nodeCount + " is below 1");
    }
    if (stripeUnitBytes < 1) {
      throw new IllegalArgumentException("stripeUnitBytes " + stripeUnitBytes + " is below 1");
    }
    if (compactBytes < 1) {
      throw new IllegalArgumentException("compactBytes " + compactBytes + " is below 1");
    }
    if (capabilityMillis < 1) {
      throw new IllegalArgumentException("capabilityMillis " + capabilityMillis + " is below 1");
    }
  }

  /** The defaults for a cluster of this many nodes. */
  public static CoordinatorOptions of(int nodeCount, String superuser) {
    return new CoordinatorOptions(
        nodeCount,
        DEFAULT_STRIPE_UNIT_BYTES,
        superuser,
        DEFAULT_ROOT_PERMISSIONS,
        DEFAULT_COMPACT_BYTES,
        "",
        Map.of(),
        Optional.empty(),
        DEFAULT_CAPABILITY_MILLIS,
        () -> {},
        MemorySegment.NULL,
        NodePlaces.NONE,
        0);
  }

  /** The same with another stripe unit. */
  public CoordinatorOptions withStripeUnitBytes(long bytes) {
    return new CoordinatorOptions(
        nodeCount,
        bytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with another bound for the growth of the journal. */
  public CoordinatorOptions withCompactBytes(long bytes) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        bytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with an identity of the cluster. */
  public CoordinatorOptions withCluster(String identity) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        identity,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with settings that all ranks must agree on. */
  public CoordinatorOptions withSettings(Map<String, String> newSettings) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        newSettings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with a secret: capabilities are issued. */
  public CoordinatorOptions withSecret(Secret newSecret) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        Optional.of(newSecret),
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with another lifetime of capabilities. */
  public CoordinatorOptions withCapabilityMillis(long millis) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        millis,
        onShutdown,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with a way to end the process. */
  public CoordinatorOptions withOnShutdown(Runnable action) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        action,
        pointerCells,
        places,
        graceNanos);
  }

  /** The same with memory for shared pointers. */
  public CoordinatorOptions withPointerCells(MemorySegment cells) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        cells,
        places,
        graceNanos);
  }

  /** The same, with a store for the places of the nodes' directories. */
  public CoordinatorOptions withPlaces(NodePlaces keeper) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        keeper,
        graceNanos);
  }

  /** The same, with a time in which sessions may come back after a restart. */
  public CoordinatorOptions withGraceNanos(long nanos) {
    return new CoordinatorOptions(
        nodeCount,
        stripeUnitBytes,
        superuser,
        rootPermissions,
        compactBytes,
        cluster,
        settings,
        secret,
        capabilityMillis,
        onShutdown,
        pointerCells,
        places,
        nanos);
  }
}
