package org.millrace.daemon;

import java.io.IOException;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.Dialer;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.WireCodec;
import org.millrace.wire.Address;
import org.millrace.wire.Net;
import org.millrace.wire.Secret;

/**
 * Environment, network and options of a cluster's process that does not use a directory and
 * sockets: for simulation, and for tests that control time, randomness and the network. Immutable.
 *
 * @param env the process's time, threads and chance
 * @param net carries its bytes
 * @param at where it listens
 * @param coordinator where the coordinator listens, or one of several
 * @param secret of the cluster
 * @param options how it works
 */
public record ProcessContext(
    Env env,
    Net net,
    Address at,
    ClusterLocation coordinator,
    Secret secret,
    ServerOptions options) {

  /** Of a cluster with one coordinator. */
  public ProcessContext(
      Env env, Net net, Address at, Address coordinator, Secret secret, ServerOptions options) {
    this(env, net, at, new ClusterLocation.At(coordinator), secret, options);
  }

  /** This process's place among others. */
  public ProcessNetwork network() throws IOException {
    TransportOptions given = options.transport();
    TransportOptions transportOptions = given.withSecurity(given.security().withSecret(secret));
    Transport transport = Transport.open(env, WireCodec.INSTANCE, transportOptions, net);
    try {
      Acceptor acceptor = transport.listen(at);
      Dialer dialer = new Dialer(env, transport, coordinator);
      return new ProcessNetwork(transport, acceptor, dialer);
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }
}
