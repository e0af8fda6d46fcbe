package org.millrace.spark;

import java.io.Serializable;

/** Which cluster ranks use that are tasks of Spark. Immutable; sent to executors. */
public sealed interface Where extends Serializable {

  /**
   * A cluster of daemons, which outlives the ranks.
   *
   * @param location as executors find it: the coordinator's address, or the cluster's directory
   */
  record Daemons(String location) implements Where {}

  /**
   * The ranks' own processes: each has a node, and that of rank 0 the coordinator. The cluster is
   * empty when they begin and gone when they end. A stage that is tried again begins with an empty
   * one, too.
   *
   * @param directory the folder on each executor's host in which nodes keep their files meanwhile
   */
  record Executors(String directory) implements Where {}

  /** A cluster of daemons. */
  static Where daemons(String location) {
    return new Daemons(location);
  }

  /** Nodes inside the executors. */
  static Where executors(String directory) {
    return new Executors(directory);
  }
}
