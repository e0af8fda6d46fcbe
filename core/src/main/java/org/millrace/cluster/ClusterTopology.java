package org.millrace.cluster;

import org.millrace.env.Env;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;

/**
 * Where the parts of a cluster in one JVM run, and how messages get from one to another. Normally
 * all are in one place, and a message is a method call; a simulation gives each part a machine of
 * its own, and messages a network.
 *
 * <p>Safe for use by several threads.
 */
public interface ClusterTopology {

  /** The place of what is neither coordinator, node nor rank: administration. */
  int NOBODY = -1;

  /** The coordinator's environment. */
  Env coordinator();

  /** A node's environment. */
  Env node(int number);

  /** The environment of a rank, or of {@link #NOBODY}. */
  Env rank(int number);

  /** A link from one of these environments to an endpoint in another. */
  Link link(Env from, Env to, Peer peer, Endpoint endpoint);

  /** Whether all ranks share memory and a processor's time: what one does for another is free. */
  default boolean isOnePlace() {
    return false;
  }

  /** All in one place. */
  static ClusterTopology onePlace(Env env) {
    return new ClusterTopology() {
      @Override
      public boolean isOnePlace() {
        return true;
      }

      @Override
      public Env coordinator() {
        return env;
      }

      @Override
      public Env node(int number) {
        return env;
      }

      @Override
      public Env rank(int number) {
        return env;
      }

      @Override
      public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
        return Links.local(env, peer, endpoint);
      }
    };
  }
}
