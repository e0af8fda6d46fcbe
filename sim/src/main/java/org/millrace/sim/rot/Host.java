package org.millrace.sim.rot;

import java.io.IOException;
import org.millrace.cluster.RunningCluster;

/** Where the cluster's files are, and how it is started. Used by one thread. */
interface Host extends AutoCloseable {

  /** What is done with a running cluster. */
  interface Body {
    void run(RunningCluster cluster) throws IOException;
  }

  /** Starts the cluster on the files that are there, and ends it. */
  void start(Body body) throws IOException;

  /** What the files hold now, also while it runs. */
  Image image() throws IOException;

  /** Puts files in place. The cluster does not run. */
  void put(Image image) throws IOException;

  @Override
  void close() throws IOException;
}
