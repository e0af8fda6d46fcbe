package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.coordinator.ConsensusMember;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.daemon.ContextServer;
import org.millrace.daemon.ProcessContext;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.ScrubFinding;
import org.millrace.wire.Address;

/**
 * The coordinator or a node of a simulated world: a process that can be killed and started again,
 * and the disk that outlives it.
 *
 * <p>For threads of the world's environment.
 */
final class Daemon {

  /** The number of the coordinator, the first of several; nodes count from 0, others down. */
  static final int COORDINATOR = -1;

  private static final double MIN_RATE = 0.92;
  private static final double MAX_RATE = 1.08;
  private static final long RETRY_NANOS = 200_000_000L;
  private static final int MAX_TRIES = 300;
  private static final Peer OPERATOR =
      new Peer(-2, System.getProperty("user.name", "unknown"), List.of());
  private static final Peer PEER = new Peer(-1, "hunt", List.of());

  // constant after construction
  private final World world;
  private final int number;
  private final String name;

  private MemoryDisk content;
  private FaultyDisk disk;
  private @Nullable ProcessEnv process;
  private @Nullable ContextServer server;
  private @Nullable Endpoint endpoint;
  private boolean ending;
  private @Nullable WaitPoint end;
  private boolean hurt;
  private boolean wiped;
  private boolean drained;
  private int starts;

  Daemon(World world, int number) {
    this.world = world;
    this.number = number;
    this.name =
        isNode()
            ? "node " + number
            : number == COORDINATOR ? "coordinator" : "coordinator " + place();
    this.content = new MemoryDisk(name);
    this.disk = faulty();
  }

  boolean isNode() {
    return number >= 0;
  }

  /** Its place among several coordinators. */
  int place() {
    return COORDINATOR - number;
  }

  String name() {
    return name;
  }

  int number() {
    return number;
  }

  Address address() {
    return new Address.Unix("/" + name.replace(' ', '-'));
  }

  private FaultyDisk faulty() {
    return new FaultyDisk(content, Faults.seeded(world.env().seed() + starts));
  }

  FaultyDisk disk() {
    return disk;
  }

  MemoryDisk content() {
    return content;
  }

  /** Where it runs now. */
  Env env() {
    ProcessEnv now = process;
    if (now == null) {
      throw new IllegalStateException(name + " does not run");
    }
    return now;
  }

  /** Its process, if it runs. */
  Optional<ProcessEnv> process() {
    return Optional.ofNullable(process);
  }

  boolean isRunning() {
    return process != null;
  }

  /** Begins to start; {@link #awaitUp} waits for the end of that. */
  void start() {
    starts++;
    disk = faulty();
    ending = false;
    hurt = false;
    ProcessEnv fresh = world.plant().env(world.env(), name + "#" + starts);
    world.slow(disk.faults(), fresh);
    process = fresh;
    WaitPoint bell = new WaitPoint(fresh);
    end = bell;
    world.story().tell(name, "starts");
    if (isNode()) {
      world.oracle().starts(number);
    }
    fresh.start(ThreadKind.SERVICE, "main", () -> serve(fresh, bell));
  }

  private void serve(ProcessEnv here, WaitPoint bell) {
    ProcessContext context =
        new ProcessContext(
            here,
            world.net().of(here),
            address(),
            world.location(),
            world.secret(),
            isNode() ? world.patient() : world.options());
    ContextServer made = open(context, here);
    server = made;
    while (!ending) {
      bell.await(Env.NEVER); // a daemon runs until it is told to end
    }
    try {
      made.close();
    } catch (IOException e) {
      world.story().tell(name, "could not end in order: " + e);
      if (!world.oracle().isRotten()) {
        world.violated(new Violation(name + " could not end in order: " + e));
      }
      world.oracle().crashed(number); // it has said that it lost something
    }
    server = null;
    process = null;
  }

  private ContextServer open(ProcessContext context, ProcessEnv here) {
    IOException last = new IOException("not tried");
    for (int i = 0; i < MAX_TRIES; i++) {
      try {
        return open(context, here, said -> world.story().tell(name, said));
      } catch (IOException e) {
        last = e;
        world.story().tell(name, "could not start: " + e);
        World.pause(context.env(), RETRY_NANOS);
      }
    }
    Violation cannot = new Violation(name + " cannot start: " + last);
    world.violated(cannot);
    throw cannot;
  }

  private ContextServer open(ProcessContext context, ProcessEnv here, Consumer<String> log)
      throws IOException {
    Optional<SimGroup> group = world.group();
    if (isNode()) {
      return ContextServer.node(
          context, number, world.plant().disk(this, disk), world::tune, this::front, log);
    }
    if (group.isPresent()) {
      return ContextServer.member(
          context, member(group.get(), here, log), world.nodes().size(), this::front, log);
    }
    return ContextServer.coordinator(
        context, world.plant().disk(this, disk), world.nodes().size(), this::front);
  }

  /** Clocks of coordinators differ by less than the lease allows for. */
  private ReplicatedLog member(SimGroup group, ProcessEnv here, Consumer<String> log) {
    Env drifting = new DriftingEnv(here, here.random("clock").nextDouble(MIN_RATE, MAX_RATE));
    var member =
        new ConsensusMember(drifting, world.plant().times(), group.join(place(), here), log);
    return new WatchedLog(member, group);
  }

  private Endpoint front(Endpoint made) {
    endpoint = made;
    Endpoint planted = world.plant().front(this, made);
    return isNode() ? planted : new NameWatch(world, new LockWatch(world, planted));
  }

  /** Waits until it serves. */
  void awaitUp(long deadlineNanos) {
    while (server == null) {
      pauseUntil(deadlineNanos, " does not come up");
    }
  }

  private void pauseUntil(long deadlineNanos, String otherwise) {
    World.pause(world.env(), World.MILLI);
    if (world.env().nanoTime() > deadlineNanos) {
      throw new Violation(name + otherwise);
    }
  }

  /** Kills it, with the power of its disk: what was not forced survives as the seed draws. */
  void crash(long seed) {
    ProcessEnv old = process;
    if (old == null) {
      return;
    }
    world.story().tell(name, "crashes");
    world.net().kill(old);
    old.kill();
    process = null;
    server = null;
    MemoryDisk left = content.crash(seed);
    countLosses(left);
    content = left;
    if (isNode()) {
      world.oracle().crashed(number);
    }
  }

  /**
   * Kills it and takes its disk away: an empty one is in its place.
   *
   * @param alone whether this is all that has gone wrong
   */
  void wipe(long seed, boolean alone) {
    crash(seed);
    world.story().tell(name, "has lost its disk");
    content = new MemoryDisk(name);
    disk = faulty();
    wiped = true;
    world.oracle().ruins(alone);
  }

  /** Whether its disk is lost, and nobody has said yet that another takes its place. */
  boolean isWiped() {
    return wiped;
  }

  /** The operator changes what a node is for; false if it must be said again. */
  boolean askToChange(int node, NodeAction action) {
    World.pause(world.env(), World.SECOND); // for a while a lost one is taken for up
    Endpoint coordinator = endpoint;
    if (coordinator == null || server == null) {
      return false;
    }
    boolean[] done = {false};
    var request = new CoordinatorRequest.ChangeNode(node, action.number());
    world.nodes().get(node).drained |= action == NodeAction.DRAIN; // perhaps nobody says so
    coordinator.onRequest(OPERATOR, request, Payload.NONE, new Change(done));
    World.pause(world.env(), World.SECOND); // it becomes durable first
    if (done[0]) {
      world.story().tell("operator", action + " of node " + node);
      world.nodes().get(node).changed(action);
    }
    return done[0];
  }

  private void changed(NodeAction action) {
    switch (action) {
      case REPLACE -> wiped = false;
      case DRAIN -> {}
      case USE -> drained = false;
      case ADD, REMOVE -> throw new IllegalArgumentException(action.toString());
    }
  }

  /** Whether the operator has it drained, as far as is known. */
  boolean isDrained() {
    return drained;
  }

  /** Learns whether a change of nodes is done. */
  private final class Change implements ReplyTo {
    private final boolean[] done;

    Change(boolean[] done) {
      this.done = done;
    }

    @Override
    public void reply(Message reply) {
      done[0] = true;
    }

    @Override
    public void fail(MillraceException error) {
      world.story().tell(name, "does not change a node: " + error);
    }
  }

  private void countLosses(MemoryDisk left) {
    try {
      Losses losses = Losses.between(content, left);
      world.tally().add(Occurrence.FAULT, "lost write", losses.lost());
      world.tally().add(Occurrence.FAULT, "torn write", losses.torn());
    } catch (IOException e) {
      throw new IllegalStateException("a disk in memory cannot be read", e);
    }
  }

  /** Ends its threads; whatever comes of its disk does not matter any more. */
  void kill() {
    ProcessEnv old = process;
    if (old != null) {
      world.net().kill(old);
      old.kill();
      process = null;
    }
  }

  /** A bit of each of its files with blocks flips, while it does not run. */
  void decay(RandomGenerator how) {
    FaultyDisk rotting = faulty();
    try {
      for (String file : content.list()) {
        if (file.endsWith(".strand")) {
          long bytes;
          try (DiskFile opened = content.open(file)) {
            bytes = opened.size();
          }
          long bit = bytes == 0 ? 0 : how.nextLong(8 * bytes);
          if (bytes > 0) {
            rotting.flipBit(file, bit);
            world.tally().add(Occurrence.FAULT, "decay");
            world.story().tell(name, "bit " + bit + " of " + file + " has rotted");
          }
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("a disk in memory cannot be read", e);
    }
  }

  /** It has ended, and what it had not forced is lost. */
  void forgetUnforced() {
    content = content.crash();
  }

  /** Its disk fails, or has failed. */
  void hurt() {
    hurt = true;
  }

  boolean isHurt() {
    return hurt;
  }

  /** Ends it in order and waits for that. */
  void stop(long deadlineNanos) {
    WaitPoint bell = end;
    ending = true;
    if (bell != null) {
      bell.ring();
    }
    while (process != null) {
      pauseUntil(deadlineNanos, " does not end");
    }
  }

  /** Throws if it uses more memory than it may. */
  void checkMemory() {
    ContextServer now = server;
    if (now == null || !isNode()) {
      return;
    }
    long most = now.acceptor().peakTransferBytes("node " + number);
    long bound = world.options().transport().maxTransferBytes(Hunt.MAX_RANKS);
    if (most > bound) {
      throw new Violation(name + " used " + most + " bytes for transfers, not " + bound);
    }
    Endpoint node = endpoint;
    if (node != null) {
      node.onRequest(PEER, new NodeRequest.AskReport(), Payload.NONE, new Report());
    }
  }

  /** Has it scrub its disk, and waits for the end of that. */
  void scrub(long deadlineNanos) {
    Endpoint node = endpoint;
    if (node == null || server == null || !isNode()) {
      return;
    }
    boolean[] running = {true};
    node.onRequest(PEER, new NodeRequest.Scrub(0), Payload.NONE, new Scrubs(running));
    while (running[0]) {
      pauseUntil(deadlineNanos, " does not end its scrub");
      node.onRequest(PEER, new NodeRequest.AskScrub(), Payload.NONE, new Scrubs(running));
    }
  }

  /** Learns whether a scrub goes on. */
  private final class Scrubs implements ReplyTo {
    private final boolean[] running;

    Scrubs(boolean[] running) {
      this.running = running;
    }

    @Override
    public void reply(Message reply) {
      if (reply instanceof NodeReply.Scrubbed state) {
        running[0] = state.running();
        if (!state.running()) {
          long repaired = state.findings().stream().filter(ScrubFinding::repaired).count();
          world.tally().add(Occurrence.FAULT, "repaired by a scrub", repaired);
          state.findings().forEach(one -> world.story().tell(name, "scrub found " + one));
        }
      }
    }

    @Override
    public void fail(MillraceException error) {
      running[0] = false;
      world.story().tell(name, "does not scrub: " + error);
    }
  }

  /** Takes a report. */
  private final class Report implements ReplyTo {

    @Override
    public void reply(Message reply) {
      Map<String, Long> counters = ((NodeReply.Report) reply).counters();
      if (counters.getOrDefault("usedBytes", Env.NEVER) > world.options().cacheBytes()) {
        world.violated(new Violation(name + " has too large a cache: " + counters));
      }
      if (counters.getOrDefault("pinnedBytes", Env.NEVER) > 0) { // all who held something are gone
        world.violated(new Violation(name + " has pins without a holder: " + counters));
      }
    }

    @Override
    public void fail(MillraceException error) {
      world.story().tell(name, "makes no report: " + error);
    }
  }
}
