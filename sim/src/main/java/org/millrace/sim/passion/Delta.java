package org.millrace.sim.passion;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.cache.CacheOptions;
import org.millrace.client.Limits;
import org.millrace.client.Program;
import org.millrace.disk.BlockSize;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.node.NodeOptions;
import org.millrace.plan.Costs;
import org.millrace.sim.disk.Hp97560;
import org.millrace.sim.disk.ScaledDisk;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Machine;
import org.millrace.sim.machine.Speed;
import org.millrace.sim.network.Network;
import org.millrace.sim.network.Topology;

/**
 * A model of the Intel Touchstone Delta and its disks; {@code docs/simulation.md} says where each
 * number comes from.
 *
 * <p>Millrace's blocks are {@link #TIMES} times as large as those of the Delta's file system. So
 * the whole world is scaled: {@code TIMES} bytes of the program stand for one of the machine's, in
 * elements, blocks, buffers and caches; disks, networks and copies are as much faster. Whatever is
 * counted, and whatever takes time, is the same as with the Delta's blocks.
 *
 * <p>Used by one platform thread.
 */
final class Delta {

  /** Bytes of a block of the Concurrent File System, and of its stripe unit. */
  static final int BLOCK = 4 << 10;

  /** Program's bytes for one of the machine's. */
  static final int TIMES = BlockSize.DEFAULT_BYTES / BLOCK;

  static final int DISKS = 64;
  private static final int DISKS_PER_NODE = 2;
  private static final long CACHE_BYTES = 1 << 20;

  private static final Speed I860 = Speed.ofInstructions(40e6);

  /** What a message costs an I/O node is fitted to one number of the paper. */
  private static final Speed I386 = Speed.ofInstructions(4e6).with(Work.MESSAGE, 3_000_000_000L);

  private static final Topology MESH = new Topology.Mesh(16, 36);
  private static final double LINK_BYTES_PER_SECOND = 25e6;
  private static final long HOP_NANOS = 100;
  private static final long MESSAGE_NANOS = 60_000;

  /** Direct reads of scattered elements take hours of virtual time. */
  private static final long PATIENCE_NANOS = 1_000_000_000_000_000L;

  /** What was counted until an instant, in the machine's own bytes. */
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
  private final Network network;
  private final Machine machine;
  private final MemoryDisk names = new MemoryDisk("names");
  private final List<SimDisk> disks = new ArrayList<>();

  /** A machine with so many processors that read, and empty disks. */
  Delta(SeededEnv env, int ranks, List<? extends Disk> contents) {
    this.env = env;
    this.ranks = ranks;
    network = new Network(MESH, LINK_BYTES_PER_SECOND, HOP_NANOS, MESSAGE_NANOS).scaled(TIMES);
    machine =
        new Machine(
            env,
            network,
            ranks,
            I860.scaled(TIMES),
            new Machine.NodeHosts(DISKS, DISKS_PER_NODE, I386.scaled(TIMES)));
    RandomGenerator chance = env.random("disks");
    for (int i = 0; i < DISKS; i++) {
      disks.add(
          new SimDisk(
              machine.node(i),
              contents.get(i),
              new ScaledDisk(new Hp97560(chance.nextDouble()), TIMES),
              SimDisk.Placing.CONTIGUOUS,
              (long) BLOCK * TIMES));
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
        CacheOptions.of(CACHE_BYTES * TIMES)
            .withDiskThreads(1)
            .withRunBytes(BlockSize.DEFAULT_BYTES)
            .withReadAheadBytes(0);
    NodeOptions each = NodeOptions.of(CACHE_BYTES * TIMES).withCache(cache).withWorkers(1);
    Limits patient =
        new Limits(
            PATIENCE_NANOS,
            PATIENCE_NANOS,
            Limits.DEFAULT.operations(),
            Limits.DEFAULT.mailboxBytes());
    ClusterOptions options =
        ClusterOptions.DEFAULT.withStripeUnitBytes((long) BLOCK * TIMES).withLimits(patient);
    try (Cluster cluster =
        Cluster.over(machine, names, List.copyOf(disks), options, each, Costs.DEFAULT)) {
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
    return new Counts(network.messages(), reads, bytes / TIMES, nanos);
  }
}
