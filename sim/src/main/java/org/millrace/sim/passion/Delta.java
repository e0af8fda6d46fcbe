package org.millrace.sim.passion;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.cache.CacheOptions;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Program;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.sim.disk.DiskModel;
import org.millrace.sim.disk.Hp97560;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Machine;
import org.millrace.sim.machine.Speed;
import org.millrace.sim.network.Network;
import org.millrace.sim.network.Topology;

/**
 * A model of the Intel Touchstone Delta and its disks; {@code docs/simulation.md} says where each
 * number comes from.
 *
 * <p>Used by one platform thread.
 */
final class Delta {

  /** Bytes of a block of the Concurrent File System, and of its stripe unit. */
  static final int BLOCK = 4 << 10;

  static final int DISKS = 64;
  private static final int DISKS_PER_NODE = 2;

  private static final Speed I860 = Speed.ofInstructions(40e6);

  /** What a message costs an I/O node is fitted to one number of the paper. */
  static final Speed I386 = Speed.ofInstructions(4e6).with(Work.MESSAGE, 3_000_000_000L);

  private static final Topology MESH = new Topology.Mesh(16, 36);
  private static final double LINK_BYTES_PER_SECOND = 25e6;
  private static final long HOP_NANOS = 100;
  private static final long MESSAGE_NANOS = 60_000;

  /** Direct reads of scattered elements take hours of virtual time. */
  private static final long TIMEOUT_NANOS = 1_000_000_000_000_000L;

  /** What was counted until an instant. */
  record Counts(long messages, long reads, long diskBytes, long diskNanos) {

    Counts since(Counts before) {
      return new Counts(
          messages - before.messages,
          reads - before.reads,
          diskBytes - before.diskBytes,
          diskNanos - before.diskNanos);
    }
  }

  // constant after construction
  private final SeededEnv env;
  private final int ranks;
  private final Cause cause;
  private final Network network;
  private final Machine machine;
  private final MemoryDisk names = new MemoryDisk("names");
  private final List<? extends Disk> contents;
  private final List<SimDisk> disks = new ArrayList<>();

  /** A machine with so many processors that read, with disks of such content. */
  Delta(SeededEnv env, int ranks, List<? extends Disk> contents, Cause cause) {
    this.env = env;
    this.ranks = ranks;
    this.cause = cause;
    this.contents = contents;
    network = new Network(MESH, LINK_BYTES_PER_SECOND, HOP_NANOS, MESSAGE_NANOS);
    machine =
        new Machine(
            env,
            network,
            ranks,
            I860,
            new Machine.NodeHosts(DISKS, DISKS_PER_NODE, cause.nodeSpeed()));
    RandomGenerator chance = env.random("disks");
    for (int i = 0; i < DISKS; i++) {
      DiskModel model = new Hp97560(chance.nextDouble());
      disks.add(new SimDisk(machine.node(i), contents.get(i), model, cause.placing(), BLOCK));
    }
  }

  SeededEnv env() {
    return env;
  }

  int ranks() {
    return ranks;
  }

  /** Runs a program on its ranks, with nothing in any cache. */
  void run(Program program) throws IOException {
    CacheOptions cache =
        CacheOptions.of(cause.cacheBytes())
            .withDiskThreads(1)
            .withRunBytes(BLOCK)
            .withReadAheadBytes(cause.readAheadBytes());
    NodeOptions each =
        NodeOptions.of(cause.cacheBytes()).withCache(cache).withWorkers(1).withSmallBytes(0);
    Limits patient =
        new Limits(
            TIMEOUT_NANOS,
            TIMEOUT_NANOS,
            Limits.DEFAULT.operations(),
            Limits.DEFAULT.mailboxBytes());
    ClusterOptions options = ClusterOptions.DEFAULT.withStripeUnitBytes(BLOCK).withLimits(patient);
    ClusterTopology topology = cause.rereads() ? new Rereading(machine, disks) : machine;
    List<Disk> below = List.copyOf(cause.rereads() ? contents : disks);
    try (RunningCluster cluster =
        RunningCluster.over(topology, names, below, options, each, Costs.DEFAULT)) {
      cluster.run(ranks, program);
    }
  }

  Counts counts() {
    long reads = 0;
    long bytes = 0;
    long nanos = 0;
    for (SimDisk disk : disks) {
      SimDisk.Report report = disk.report();
      reads += report.reads();
      bytes += report.bytes();
      nanos += report.busyNanos();
    }
    return new Counts(network.messages(), reads, bytes, nanos);
  }
}
