package org.millrace.sim.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.millrace.cache.CacheOptions;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.BlockSize;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.node.NodeOptions;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.sim.disk.FlatDisk;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Host;
import org.millrace.sim.machine.Machine;
import org.millrace.sim.machine.Speed;
import org.millrace.sim.network.Network;

/**
 * One run: ranks and nodes, each on its own host with one of today's cores, a solid-state disk on
 * each node, a fat tree of 100 Gb/s between them, and a file over all nodes that the ranks read or
 * write once, in one collective call.
 *
 * <p>Used by one platform thread.
 */
public final class Trial {

  private static final int RADIX = 32;
  private static final double GIGABITS = 100;

  /** Transfers that a node asks of its disk at the same time, and the most bytes of each. */
  private static final int AT_ONCE = 16;

  private static final int RUN_BYTES = 4 * BlockSize.DEFAULT_BYTES;

  /**
   * Small for a node, but so that each of a call's buffers may have as much as a transfer: they
   * take a quarter of it at most.
   */
  private static final long CACHE_BYTES = 16 << 20;

  // constant after construction
  private final Case what;
  private final SeededEnv env;
  private final Network network;
  private final Machine machine;
  private final List<SimDisk> disks = new ArrayList<>();
  private final Task task;

  // owned by whichever thread runs
  private long[] diskNanosBefore = {};
  private long transfersBefore;
  private long messages;
  private long coordinatorMessages;
  private long networkBytes;
  private long transfers;
  private double free;
  private long requestBytes;
  private long rankBytes;
  private long cacheBytes;
  private long traceHash;
  private final Map<Resource, Double> busy = new EnumMap<>(Resource.class);

  private Trial(Case what, long seed, Filling filling) {
    this.what = what;
    int n = what.nodes();
    env = SeededEnv.of(seed);
    network = Network.fatTree(n + what.ranks() + 1, RADIX, GIGABITS);
    machine = new Machine(env, network, Speed.CORE_3000, what.ranks(), n);
    for (int i = 0; i < n; i++) {
      filling.equip(machine.node(i));
      disks.add(
          new SimDisk(
              machine.node(i),
              filling.disk("disk " + i),
              FlatDisk.ssd(),
              SimDisk.Placing.CONTIGUOUS));
    }
    for (int i = 0; i < what.ranks(); i++) {
      filling.equip(machine.rank(i));
    }
    task = new Task(env, what, filling, this::begin, this::end);
  }

  /** Runs it, with hollow disks: what is in the file is not checked. */
  public static ScaleOutcome run(Case what, long seed) {
    return new Trial(what, seed, new Filling.Hollow()).run(false);
  }

  /** Runs it with disks that keep what is written, and checks every byte. For few nodes. */
  static ScaleOutcome runChecked(Case what, long seed) {
    return new Trial(what, seed, new Filling.Solid()).run(true);
  }

  private ScaleOutcome run(boolean checking) {
    env.run(
        () -> {
          try (RunningCluster cluster = cluster()) {
            cluster.run(Math.min(what.nodes(), Task.PREPARING), task::prepare);
            cluster.setCacheBytesPerNode(BlockSize.DEFAULT_BYTES); // forgets what it holds
            cluster.setCacheBytesPerNode(CACHE_BYTES);
            cluster.run(what.ranks(), task::run);
            cacheBytes =
                cluster.report().stream()
                    .mapToLong(one -> one.getOrDefault("usedBytes", 0L))
                    .max()
                    .orElse(0);
            if (checking && what.write()) {
              cluster.run(1, task::verify);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(what.toString(), e);
          }
        });
    return new ScaleOutcome(
        what,
        task.nanos() / 1e9,
        free,
        messages,
        coordinatorMessages,
        networkBytes,
        transfers,
        cacheBytes + requestBytes,
        rankBytes,
        busy,
        traceHash);
  }

  private RunningCluster cluster() throws IOException {
    CacheOptions cache =
        CacheOptions.of(CACHE_BYTES).withDiskThreads(AT_ONCE).withRunBytes(RUN_BYTES);
    NodeOptions each =
        NodeOptions.of(CACHE_BYTES).withCache(cache).withWorkers(1).withSmallBytes(0);
    return RunningCluster.over(
        machine,
        new MemoryDisk("names"),
        List.copyOf(disks),
        ClusterOptions.DEFAULT,
        each,
        Costs.DEFAULT);
  }

  /** Called when the first rank begins: what counts begins. */
  private void begin() {
    network.forget();
    machine.coordinator().forget();
    for (int i = 0; i < what.nodes(); i++) {
      machine.node(i).forget();
    }
    for (int i = 0; i < what.ranks(); i++) {
      machine.rank(i).forget();
    }
    diskNanosBefore = disks.stream().mapToLong(disk -> disk.report().busyNanos()).toArray();
    transfersBefore = transfers();
  }

  /** Called when the last rank has ended. */
  private void end() {
    int n = what.nodes();
    traceHash = env.traceHash();
    messages = network.messages();
    coordinatorMessages = network.messages(machine.coordinator().number());
    networkBytes = network.bytes();
    transfers = transfers() - transfersBefore;
    long diskNanos = 0;
    long busyNanos = 0;
    for (int i = 0; i < n; i++) {
      diskNanos = Math.max(diskNanos, disks.get(i).report().busyNanos() - diskNanosBefore[i]);
      busyNanos += machine.node(i).processor().busyNanos();
      requestBytes = Math.max(requestBytes, machine.node(i).maxHeldBytes());
    }
    for (int i = 0; i < what.ranks(); i++) {
      rankBytes = Math.max(rankBytes, machine.rank(i).maxHeldBytes());
    }
    rankBytes += task.rankBytes();
    free = 1 - (double) busyNanos / ((double) task.nanos() * n);
    note(Resource.DISK, diskNanos);
    note(Resource.NODE_PROCESSOR, most(false, host -> host.processor().busyNanos()));
    note(Resource.NODE_LINK, most(false, host -> network.busyNanos(host.number())));
    note(Resource.RANK_PROCESSOR, most(true, host -> host.processor().busyNanos()));
    note(Resource.RANK_LINK, most(true, host -> network.busyNanos(host.number())));
    note(Resource.COORDINATOR_PROCESSOR, machine.coordinator().processor().busyNanos());
    note(Resource.COORDINATOR_LINK, network.busyNanos(machine.coordinator().number()));
  }

  private void note(Resource resource, long nanos) {
    busy.put(resource, Math.min(1, (double) nanos / task.nanos()));
  }

  private long most(boolean ranks, ToLongFunction<Host> number) {
    long most = 0;
    for (int i = 0; i < (ranks ? what.ranks() : what.nodes()); i++) {
      most = Math.max(most, number.applyAsLong(ranks ? machine.rank(i) : machine.node(i)));
    }
    return most;
  }

  private long transfers() {
    return disks.stream().mapToLong(disk -> disk.report().transfers()).sum();
  }

  /** The strategies that a trial may take. */
  public static List<Strategy> strategies() {
    return List.of(
        Strategy.DIRECT,
        Strategy.SIEVED,
        Strategy.TWO_PHASE,
        Strategy.EXTENDED_TWO_PHASE,
        Strategy.DISK_DIRECTED);
  }
}
