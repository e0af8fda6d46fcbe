package org.millrace.cluster;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.SharedBuffers;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.WireCodec;
import org.millrace.transfer.NodeLinks;

/**
 * A coordinator and nodes in other processes. Each session has connections of its own.
 *
 * <p>Safe for use by several threads. Closing ends all connections.
 */
public final class RemoteConnection implements ClusterConnection {

  // constant after construction
  private final ClusterTopology topology;
  private final Transport transport;
  private final Dialer dialer;
  private final Link asking;
  private final Facts facts;
  private final Costs costs;

  private RemoteConnection(
      ClusterTopology topology, Transport transport, Dialer dialer, Link asking, Facts facts) {
    this.topology = topology;
    this.transport = transport;
    this.dialer = dialer;
    this.asking = asking;
    this.facts = facts;
    this.costs = StoredCosts.in(facts.settings());
  }

  /** Connects to the cluster that is there. */
  public static RemoteConnection connect(
      Env env, ClusterLocation location, TransportOptions options) throws IOException {
    JvmCheck.check();
    TransportOptions transportOptions = options.withSecurity(location.security(options.security()));
    Transport transport = Transport.open(env, WireCodec.INSTANCE, transportOptions);
    try {
      Dialer dialer = new Dialer(env, transport, location);
      Link asking = dialer.coordinator();
      return new RemoteConnection(
          ClusterTopology.onePlace(env), transport, dialer, asking, dialer.facts(asking));
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public int nodes() {
    return facts.nodes().size();
  }

  @Override
  public Costs costs() {
    return costs;
  }

  /** Of the ranks in this process: nodes and coordinator are elsewhere. */
  @Override
  public ClusterTopology topology() {
    return topology;
  }

  @Override
  public Link coordinator(int rank) throws IOException {
    return dialer.coordinator();
  }

  @Override
  public NodeLinks nodeLinks(int rank) {
    return new RemoteNodeLinks(dialer, asking, facts);
  }

  @Override
  public SharedBuffers sharedBuffers() {
    return transport.sharedBuffers();
  }

  /** Nodes ask the coordinator by themselves what to remove. */
  @Override
  public void tidy() {}

  @Override
  public void close() {
    asking.close();
    transport.close();
  }
}
