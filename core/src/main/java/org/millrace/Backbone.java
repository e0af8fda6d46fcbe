package org.millrace;

import java.io.IOException;
import org.millrace.message.Link;
import org.millrace.message.Staging;
import org.millrace.plan.Costs;
import org.millrace.transfer.NodeLinks;

/**
 * What a {@link Cluster} stands on: a coordinator and nodes, in this JVM or elsewhere, and ways to
 * reach them. Each call makes a new session, which whoever asked closes.
 *
 * <p>Safe for use by several threads.
 */
interface Backbone extends AutoCloseable {

  /** How many nodes there are. */
  int nodes();

  /** What transfers cost, the same for all ranks of the cluster. */
  Costs costs();

  /** Where its parts run. */
  Fabric fabric();

  /** A session at the coordinator, for a rank or {@link Fabric#NOBODY}. */
  Link coordinator(int rank) throws IOException;

  /** Sessions at the nodes, for a rank or {@link Fabric#NOBODY}. */
  NodeLinks nodeLinks(int rank) throws IOException;

  /** A session at the coordinator, for administration. */
  default Link coordinator() throws IOException {
    return coordinator(Fabric.NOBODY);
  }

  /** Sessions at the nodes, for administration. */
  default NodeLinks nodeLinks() throws IOException {
    return nodeLinks(Fabric.NOBODY);
  }

  /** Memory that nodes in other processes can reach. */
  default Staging staging() {
    return Staging.NONE;
  }

  /** Removes what runs left behind. */
  void tidy() throws IOException;

  @Override
  void close() throws IOException;
}
