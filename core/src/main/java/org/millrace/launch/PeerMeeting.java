package org.millrace.launch;

import java.io.IOException;

/**
 * How ranks that are a cluster of peers find each other if they share no directory. Launchers
 * implement it by a means of their own.
 */
@FunctionalInterface
public interface PeerMeeting {

  /**
   * Tells all ranks what rank 0 says. Each rank calls it once. Returns when rank 0 has called it.
   * The text holds the secret of the cluster, so nobody else may hear it.
   *
   * @param said what rank 0 says; empty on all others
   * @return what rank 0 has said
   */
  String hear(String said) throws IOException;
}
