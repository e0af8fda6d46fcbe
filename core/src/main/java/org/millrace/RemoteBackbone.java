package org.millrace;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.Staging;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.plan.Costs;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.WireCodec;
import org.millrace.transfer.NodeLinks;

/**
 * A coordinator and nodes in other processes. Each session has connections of its own.
 *
 * <p>Safe for use by several threads. Closing ends all connections.
 */
final class RemoteBackbone implements Backbone {

  // constant after construction
  private final Fabric fabric;
  private final Transport transport;
  private final Dialer dialer;
  private final Link asking;
  private final Facts facts;
  private final Costs costs;

  private RemoteBackbone(
      Fabric fabric, Transport transport, Dialer dialer, Link asking, Facts facts) {
    this.fabric = fabric;
    this.transport = transport;
    this.dialer = dialer;
    this.asking = asking;
    this.facts = facts;
    this.costs = StoredCosts.in(facts.settings());
  }

  static RemoteBackbone connect(Env env, Whereabouts where, TransportOptions options)
      throws IOException {
    JvmCheck.check();
    TransportOptions how = options.withSecurity(where.security(options.security()));
    Transport transport = Transport.open(env, WireCodec.INSTANCE, how);
    try {
      Dialer dialer = new Dialer(env, transport, where);
      Link asking = dialer.coordinator();
      return new RemoteBackbone(
          Fabric.onePlace(env), transport, dialer, asking, dialer.facts(asking));
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
  public Fabric fabric() {
    return fabric;
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
  public Staging staging() {
    return transport.staging();
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
