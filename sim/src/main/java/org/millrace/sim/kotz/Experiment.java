package org.millrace.sim.kotz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.millrace.cache.CacheOptions;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.sim.disk.LeanDisk;
import org.millrace.sim.disk.PlainFile;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Busy;
import org.millrace.sim.machine.Host;
import org.millrace.sim.machine.Machine;
import org.millrace.sim.network.Network;

/**
 * One run: 16 ranks of an I/O application, 16 nodes, a file over 16 disks, by one pattern and one
 * file system, on given hardware, under a seed.
 *
 * <p>Used by one platform thread.
 */
public final class Experiment {

  /** Processes of the I/O application, and nodes. */
  public static final int PROCESSES = 16;

  /** Buffers of a disk for each process that may use it, as in [Kot94]. */
  private static final int BUFFERS = 2;

  private static final long CACHE_BYTES = (long) BUFFERS * PROCESSES * AccessPattern.BLOCK;

  // constant after construction
  private final Hardware hardware;
  private final SeededEnv env;
  private final Network network;
  private final Machine machine;
  private final MemoryDisk names = new MemoryDisk("names");
  private final List<SimDisk> disks = new ArrayList<>();
  private final List<Host> nodes = new ArrayList<>();
  private final Computations computations;
  private final AccessPattern pattern;
  private final FileSystem system;
  private final long fileBytes;
  private final Application application;

  // owned by whichever thread runs
  private final List<Counts> counts = new ArrayList<>();

  /** What was counted until one end of the time that counts. */
  private record Counts(
      long messages, long reads, long writes, long diskNanos, long busNanos, long linkNanos) {}

  private Experiment(Cause cause, AccessPattern pattern, long fileBytes, long seed) {
    this.fileBytes = fileBytes;
    this.hardware = cause.hardware();
    this.pattern = pattern;
    this.system = cause.system();
    env = SeededEnv.of(seed);
    network = hardware.network().get();
    machine = new Machine(env, network, hardware.speed(), PROCESSES, PROCESSES);
    RandomGenerator chance = env.random("disks");
    for (int i = 0; i < PROCESSES; i++) {
      disks.add(
          new SimDisk(
              machine.node(i),
              new LeanDisk("disk " + i, PlainFile::new),
              hardware.disk().apply(chance),
              hardware.placing(),
              AccessPattern.BLOCK));
      nodes.add(machine.node(i));
    }
    computations = new Computations(env, nodes, hardware.computing());
    application = new Application(env, pattern, system, fileBytes, cause.conduct(), this::atEnd);
  }

  /** Runs it with a file of so many bytes. */
  static Outcome run(
      Hardware hardware, AccessPattern pattern, FileSystem system, long fileBytes, long seed) {
    ApplicationOptions conduct = ApplicationOptions.paper(hardware);
    return run(
        new Cause(hardware.name(), hardware, conduct, system, List.of()), pattern, fileBytes, seed);
  }

  /** Runs it with one thing changed. */
  static Outcome run(Cause cause, AccessPattern pattern, long fileBytes, long seed) {
    return new Experiment(cause, pattern, fileBytes, seed).run();
  }

  private Outcome run() {
    env.run(
        () -> {
          try {
            inCluster(application::prepare);
            inCluster(application::run); // another one: nothing is in its caches
          } catch (IOException e) {
            throw new UncheckedIOException(pattern + " by " + system.words(), e);
          }
        });
    return outcome();
  }

  private void inCluster(Program program) throws IOException {
    try (RunningCluster cluster = cluster()) {
      cluster.run(PROCESSES, program);
    }
  }

  /** Called at the begin and at the end of what counts. */
  private void atEnd() {
    if (counts.isEmpty()) {
      network.forget();
      computations.start();
    } else {
      computations.stop(application.ended());
    }
    counts.add(count());
  }

  private Counts count() {
    long reads = 0;
    long writes = 0;
    long diskNanos = 0;
    long busNanos = 0;
    for (SimDisk disk : disks) {
      SimDisk.Report report = disk.report();
      reads += report.reads();
      writes += report.writes();
      diskNanos += report.busyNanos();
      busNanos += report.pathNanos();
    }
    long linkNanos =
        IntStream.range(0, network.hosts()).mapToLong(network::busyNanos).max().orElse(0);
    return new Counts(network.messages(), reads, writes, diskNanos, busNanos, linkNanos);
  }

  private RunningCluster cluster() throws IOException {
    CacheOptions cache =
        CacheOptions.of(CACHE_BYTES)
            .withDiskThreads(hardware.atOnce())
            .withRunBytes(AccessPattern.BLOCK);
    ClusterOptions options = ClusterOptions.DEFAULT.withStripeUnitBytes(AccessPattern.BLOCK);
    NodeOptions each =
        NodeOptions.of(CACHE_BYTES)
            .withCache(cache)
            .withWorkers(1)
            .withBufferBytes(AccessPattern.BLOCK)
            .withSmallBytes(0);
    return RunningCluster.over(machine, names, List.copyOf(disks), options, each, Costs.DEFAULT);
  }

  private Outcome outcome() {
    Counts before = counts.getFirst();
    Counts after = counts.getLast();
    Trace trace = trace(machine::node);
    return new Outcome(
        hardware.name(),
        pattern,
        system,
        fileBytes,
        trace.nanos() / 1e9,
        Availability.free(trace, hardware.computing()),
        Availability.freeWithBarriers(trace, hardware.computing()),
        computations.free(),
        computations.freeWithBarriers(),
        shares(trace, before, after),
        trace.interruptions(),
        after.messages,
        after.reads - before.reads,
        after.writes - before.writes,
        env.traceHash());
  }

  private Trace trace(IntFunction<Host> hosts) {
    List<List<Busy>> busy = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      busy.add(hosts.apply(i).processor().busy());
    }
    return new Trace(application.began(), application.ended(), busy);
  }

  private Shares shares(Trace trace, Counts before, Counts after) {
    double nanos = trace.nanos();
    return new Shares(
        trace.busyShare(),
        trace(machine::rank).busyShare(),
        (after.diskNanos - before.diskNanos) / (nanos * PROCESSES),
        (after.busNanos - before.busNanos) / (nanos * PROCESSES),
        after.linkNanos / nanos,
        trace.together(),
        trace.lastTenth().together().getFirst());
  }
}
