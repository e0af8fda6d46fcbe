package org.millrace.sim.machine;

import java.util.ArrayList;
import java.util.List;
import org.millrace.cluster.ClusterTopology;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.sim.network.Network;

/**
 * A simulated machine as the topology of a cluster: ranks on its first hosts, nodes on the next,
 * the coordinator on the last, each with a processor of its own.
 *
 * <p>For threads of one seeded environment.
 */
public final class Machine implements ClusterTopology {

  // constant after construction
  private final Network network;
  private final Sizes sizes = new Sizes();
  private final List<Host> ranks = new ArrayList<>();
  private final List<Host> nodes = new ArrayList<>();
  private final Host coordinator;

  /**
   * A machine.
   *
   * @param network with a host for each rank, each node and the coordinator
   */
  public Machine(SeededEnv env, Network network, Speed speed, int ranks, int nodes) {
    this(env, network, ranks, speed, new NodeHosts(nodes, 1, speed));
  }

  /**
   * The hosts of nodes.
   *
   * @param nodes how many nodes there are
   * @param perHost nodes that share a host: one for each of its disks
   * @param speed of each host's processor
   */
  public record NodeHosts(int nodes, int perHost, Speed speed) {

    private int hosts() {
      return Math.ceilDiv(nodes, perHost);
    }
  }

  /** A machine whose nodes have other hosts than its ranks; the coordinator's is like a rank's. */
  public Machine(SeededEnv env, Network network, int ranks, Speed speed, NodeHosts those) {
    if (network.hosts() < ranks + those.hosts() + 1) {
      throw new IllegalArgumentException(
          "%s ranks, %s hosts of nodes and a coordinator on %s hosts"
              .formatted(ranks, those.hosts(), network.hosts()));
    }
    this.network = network;
    for (int i = 0; i < ranks; i++) {
      this.ranks.add(new Host(env, i, speed));
    }
    for (int i = 0; i < those.nodes; i++) {
      this.nodes.add(
          i % those.perHost == 0
              ? new Host(env, ranks + i / those.perHost, those.speed)
              : nodes.getLast());
    }
    this.coordinator = new Host(env, ranks + those.hosts(), speed);
  }

  @Override
  public Host coordinator() {
    return coordinator;
  }

  @Override
  public Host node(int number) {
    return nodes.get(number);
  }

  /** Nobody in particular is beside the coordinator. */
  @Override
  public Host rank(int number) {
    return number == NOBODY ? coordinator : ranks.get(number);
  }

  @Override
  public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
    Host here = (Host) from;
    Host there = (Host) to;
    return Links.local(
        here,
        peer,
        here == there ? endpoint : new RemoteEndpoint(network, sizes, here, there, endpoint));
  }

  /** The network. */
  public Network network() {
    return network;
  }
}
