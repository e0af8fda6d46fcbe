package org.millrace.launch.process;

import org.millrace.client.ClusterOptions;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;

/**
 * Options of a rank that is a process. Immutable; start from {@link #DEFAULT}.
 *
 * @param cluster limits and hints of this rank, the same for all; and how nodes in its process work
 * @param server where this process listens, and how processes talk
 * @param assembleNanos how long to wait for the other ranks to come
 */
public record ProcessRankOptions(ClusterOptions cluster, ServerOptions server, long assembleNanos) {

  private static final long ASSEMBLE_NANOS = 60_000_000_000L;

  /** As {@link ClusterOptions#DEFAULT}; others may take a minute to come. */
  public static final ProcessRankOptions DEFAULT = of(ClusterOptions.DEFAULT);

  /** With these options of the cluster. */
  public static ProcessRankOptions of(ClusterOptions cluster) {
    return new ProcessRankOptions(
        cluster, ServerOptions.of(cluster, TransportOptions.DEFAULT), ASSEMBLE_NANOS);
  }

  /** The same with other options of what this process serves. */
  public ProcessRankOptions withServer(ServerOptions other) {
    return new ProcessRankOptions(cluster, other, assembleNanos);
  }

  /** The same with another timeout for ranks that have not arrived. */
  public ProcessRankOptions withAssembleNanos(long nanos) {
    return new ProcessRankOptions(cluster, server, nanos);
  }
}
