package org.millrace.message;

import org.millrace.env.Env;

/** Makes links. */
public final class Links {

  private Links() {}

  /**
   * A link to an endpoint in this JVM. The identity in {@code peer} is trusted, so only code that
   * assembles the cluster calls this.
   */
  public static Link local(Env env, Peer peer, Endpoint endpoint) {
    return new LocalLink(env, peer, endpoint);
  }
}
