package org.millrace.message;

import org.millrace.env.Env;

/** Makes links. */
public final class Links {

  private Links() {}

  /**
   * A link to an endpoint in this JVM. What {@code peer} says is believed, so only who assembles
   * the cluster calls this.
   */
  public static Link local(Env env, Peer peer, Endpoint endpoint) {
    return new LocalLink(env, peer, endpoint);
  }
}
