package org.millrace.launch;

import java.nio.file.Path;
import java.util.Optional;
import org.millrace.client.ClusterOptions;

/**
 * Options of a rank that is a process. Immutable; start from {@link #DEFAULT}.
 *
 * @param cluster limits and hints of this rank, the same for all; and how nodes in its process work
 * @param listen the address at which this rank listens for the others, such as {@code tls:host:0},
 *     if not where it can be expected
 * @param keys the folder with the keys for {@code tls:} addresses, as {@code millrace keys} makes
 *     it
 * @param assembleNanos how long to wait for the other ranks to come
 */
public record LaunchedOptions(
    ClusterOptions cluster, Optional<String> listen, Optional<Path> keys, long assembleNanos) {

  private static final long ASSEMBLE_NANOS = 60_000_000_000L;

  /** As {@link ClusterOptions#DEFAULT}; others may take a minute to come. */
  public static final LaunchedOptions DEFAULT =
      new LaunchedOptions(
          ClusterOptions.DEFAULT, Optional.empty(), Optional.empty(), ASSEMBLE_NANOS);

  /** The same with other options of the cluster. */
  public LaunchedOptions withCluster(ClusterOptions other) {
    return new LaunchedOptions(other, listen, keys, assembleNanos);
  }

  /** The same, listening at another address. */
  public LaunchedOptions withListen(String address) {
    return new LaunchedOptions(cluster, Optional.of(address), keys, assembleNanos);
  }

  /** The same with the keys in this folder. */
  public LaunchedOptions withKeys(Path folder) {
    return new LaunchedOptions(cluster, listen, Optional.of(folder), assembleNanos);
  }

  /** The same with another timeout for ranks that have not started. */
  public LaunchedOptions withAssembleNanos(long nanos) {
    return new LaunchedOptions(cluster, listen, keys, nanos);
  }
}
