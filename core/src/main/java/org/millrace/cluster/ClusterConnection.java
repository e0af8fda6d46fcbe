package org.millrace.cluster;

import java.io.IOException;
import org.millrace.message.Link;
import org.millrace.message.SharedBuffers;
import org.millrace.plan.collective.Costs;
import org.millrace.transfer.NodeLinks;

/**
 * The coordinator and nodes behind a {@link RunningCluster}, in this JVM or elsewhere, and links to
 * them. Each call opens a new session, which the caller closes.
 *
 * <p>Safe for use by several threads.
 */
public interface ClusterConnection extends AutoCloseable {

  /** How many nodes there are. */
  int nodes();

  /** What transfers cost, the same for all ranks of the cluster. */
  Costs costs();

  /** Where its parts run. */
  ClusterTopology topology();

  /** A session at the coordinator, for a rank or {@link ClusterTopology#NOBODY}. */
  Link coordinator(int rank) throws IOException;

  /** Sessions at the nodes, for a rank or {@link ClusterTopology#NOBODY}. */
  NodeLinks nodeLinks(int rank) throws IOException;

  /** A session at the coordinator, for administration. */
  default Link coordinator() throws IOException {
    return coordinator(ClusterTopology.NOBODY);
  }

  /** Sessions at the nodes, for administration. */
  default NodeLinks nodeLinks() throws IOException {
    return nodeLinks(ClusterTopology.NOBODY);
  }

  /** Memory that nodes in other processes can reach. */
  default SharedBuffers sharedBuffers() {
    return SharedBuffers.NONE;
  }

  /** Removes what runs left behind. */
  void tidy() throws IOException;

  @Override
  void close() throws IOException;
}
