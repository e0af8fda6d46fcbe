package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.Faults;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.message.TransportOptions;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.NodeAction;
import org.millrace.sim.history.Operation;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;

/**
 * A simulated cluster: a coordinator and nodes in processes of their own, a network between them,
 * and disks that outlive them. Its configuration depends on the seed.
 *
 * <p>For threads of its environment.
 */
final class World {

  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;

  private static final long BLOCK = 64 << 10;
  private static final long START_NANOS = 120 * SECOND;

  // constant after construction
  private final SeededEnv env;
  private final Planted plant;
  private final RandomGenerator random;
  private final EventLog story;
  private final Oracle oracle = new Oracle();
  private final Tally tally = new Tally();
  private final List<Operation> history = new ArrayList<>();
  private final WaitPoint news;
  private final SimNet net;
  private final Secret secret;
  private final ServerOptions options;
  private final ServerOptions patient;
  private final ClusterOptions cluster;
  private final List<Daemon> coordinators = new ArrayList<>();
  private final Optional<SimGroup> group;
  private final List<Daemon> nodes = new ArrayList<>();
  private final long diskNanos;
  private final long matchBytes;

  private @Nullable Violation violation;
  private @Nullable Episode episode;

  World(SeededEnv env, Planted plant) {
    this.env = env;
    this.plant = plant;
    this.random = env.random("world");
    this.story = new EventLog(env);
    this.news = new WaitPoint(env);
    this.net = new SimNet(env, tally, plant);
    byte[] key = new byte[Secret.BYTES];
    random.nextBytes(key);
    this.secret = new Secret(key);
    long cacheBytes = BLOCK * (2 + random.nextInt(14));
    if (random.nextInt(4) > 0) {
      net.shareMemory();
    }
    long unit = List.of(512L, 4096L, 16384L, BLOCK).get(random.nextInt(4));
    this.cluster =
        ClusterOptions.DEFAULT
            .withCacheBytesPerNode(cacheBytes)
            .withStripeUnitBytes(unit)
            .withLimits(
                new Limits(10 * SECOND, 30 * SECOND, 8, 1 << 20)
                    .withFanOut(1 + env.random("tree").nextInt(3)));
    TransportOptions transport =
        TransportOptions.DEFAULT
            .withTimeouts(4 * SECOND, 2 * SECOND)
            .withSharedMemory(false)
            .withTransferBytes(4 << 20);
    this.options = ServerOptions.of(cluster, transport);
    // most strands here are short: in two of three worlds they are made equal as long ones are
    this.matchBytes = List.of(0L, BLOCK, 64L << 20).get(env.random("matches").nextInt(3));
    this.diskNanos = 1_000 * (20 + random.nextLong(1_000));
    int members = plant.coordinators(env.random("coordinators"));
    this.group = members > 1 ? Optional.of(new SimGroup(this)) : Optional.empty();
    for (int i = 0; i < members; i++) {
      coordinators.add(new Daemon(this, Daemon.COORDINATOR - i));
    }
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      nodes.add(new Daemon(this, i));
    }
    // what is late may then come after the coordinator has given its sender up
    long silence = random.nextInt(4) == 0 ? 4 * SECOND : 15 * SECOND;
    this.patient = ServerOptions.of(cluster, transport.withTimeouts(silence, 2 * SECOND));
  }

  /** The episode that runs. */
  void runs(Episode now) {
    episode = now;
  }

  /** A rank of a job has got a lock of a file for itself; its word is on the way. */
  void onLocked(String job, int rank) {
    Episode now = episode;
    if (now != null) {
      now.onLocked(job, rank);
    }
  }

  /** Whether the coordinator dies before an answer leaves that it is about to give. */
  boolean holdsBack() {
    Episode now = episode;
    return now != null && now.fate().holdsBack();
  }

  SeededEnv env() {
    return env;
  }

  Planted plant() {
    return plant;
  }

  /** How nodes work. */
  NodeOptions tune(NodeOptions options) {
    return plant.node(options.withMatchBytes(matchBytes));
  }

  EventLog story() {
    return story;
  }

  Oracle oracle() {
    return oracle;
  }

  Tally tally() {
    return tally;
  }

  /** What ranks that contend for names have asked and were answered. */
  List<Operation> history() {
    return history;
  }

  /** Rung when a rank has ended or a checker has found something. */
  WaitPoint news() {
    return news;
  }

  SimNet net() {
    return net;
  }

  Secret secret() {
    return secret;
  }

  /** How the coordinator works. */
  ServerOptions options() {
    return options;
  }

  /** How ranks and nodes work: as the coordinator, or more patient with a silent peer. */
  ServerOptions patient() {
    return patient;
  }

  ClusterOptions cluster() {
    return cluster;
  }

  /** The coordinator; of several the one that leads. */
  Daemon coordinator() {
    return coordinators.get(group.flatMap(SimGroup::leader).orElse(0));
  }

  /** The log of several coordinators; empty if there is one. */
  Optional<SimGroup> group() {
    return group;
  }

  /** Where the coordinator is. */
  ClusterLocation location() {
    List<Address> all = coordinators.stream().map(Daemon::address).toList();
    return all.size() == 1
        ? new ClusterLocation.At(all.getFirst())
        : new ClusterLocation.AnyOf(all);
  }

  List<Daemon> nodes() {
    return nodes;
  }

  /** The coordinators and the nodes. */
  List<Daemon> daemons() {
    List<Daemon> all = new ArrayList<>(coordinators);
    all.addAll(nodes);
    return all;
  }

  /** Disks take their time. */
  void slow(Faults faults, Env where) {
    faults.delay(Faults.Operation.READ, where, diskNanos);
    faults.delay(Faults.Operation.WRITE, where, diskNanos);
    faults.delay(Faults.Operation.FORCE, where, 2 * diskNanos);
  }

  /** Starts whatever does not run, and waits until all serve. */
  void startAll() {
    for (Daemon one : daemons()) {
      if (!one.isRunning() && !one.isWiped()) {
        one.start();
      }
    }
    for (Daemon one : nodes) {
      if (one.isWiped()) {
        replace(one);
      }
    }
    for (Daemon one : daemons()) {
      one.awaitUp(env.deadlineAfter(START_NANOS));
    }
  }

  /** An empty disk may take the place of a lost one when the operator has said so. */
  private void replace(Daemon node) {
    change(node, NodeAction.REPLACE);
    node.start();
  }

  private void change(Daemon node, NodeAction action) {
    long deadline = env.deadlineAfter(START_NANOS);
    while (!coordinator().askToChange(node.number(), action)) {
      if (env.nanoTime() > deadline) {
        throw new Violation("%s of %s is not possible".formatted(action, node.name()));
      }
    }
  }

  /**
   * Mends everything: whoever was cut off no longer is, disks work again, whatever was down is
   * started, and a node whose disk had failed is started again, because what failed to become
   * durable stays failed.
   */
  void heal(RandomGenerator how) {
    long cut = net.cutNanos();
    if (cut > 0) { // a pause of nothing would be another course of events, too
      pause(env, cut);
    }
    for (Daemon one : daemons()) {
      if (one.isRunning() && one.isHurt()) {
        one.crash(how.nextLong());
      }
    }
    startAll();
    for (Daemon one : nodes) {
      if (one.isDrained()) {
        change(one, NodeAction.USE);
      }
    }
  }

  /** After all have ended in order, what they did not force is lost. */
  void forgetUnforced() {
    daemons().forEach(Daemon::forgetUnforced);
  }

  /** While nothing runs, bits of one node's blocks flip: copies of them are on other nodes. */
  void decay(RandomGenerator how) {
    oracle.decays();
    nodes.get(how.nextInt(nodes.size())).decay(how);
  }

  /** Nothing of it runs any more. */
  void killAll() {
    daemons().forEach(Daemon::kill);
    group.ifPresent(SimGroup::kill);
  }

  /** Ends all in order. */
  void stopAll() {
    for (Daemon one : nodes) {
      one.stop(env.deadlineAfter(START_NANOS));
    }
    for (Daemon one : coordinators) {
      one.stop(env.deadlineAfter(START_NANOS));
    }
  }

  /** A checker has found something; the first counts. */
  void violated(Violation what) {
    if (violation == null) {
      violation = what;
      news.ring();
      story.tell("checker", String.valueOf(what.getMessage()));
    }
  }

  Optional<Violation> violation() {
    return Optional.ofNullable(violation);
  }

  static void pause(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
