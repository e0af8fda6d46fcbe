package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.millrace.disk.Faults;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeAction;

/**
 * The faults of one episode: which, when and where, drawn from the seed within the budget. It also
 * says which errors they explain.
 *
 * <p>For threads of the world's environment.
 */
final class FaultPlan {

  /** What can go wrong, and how often at most in one episode. */
  enum Fault {
    /** A connection is reset, what was under way is lost. */
    RESET(6),
    /** Bytes of one connection are held up, for less than any timeout. */
    STALL(3),
    /** Bytes are held up for longer than all timeouts. */
    SILENCE(1),
    /**
     * A rank is cut off from the coordinator while it holds a lock, and what it sends to the nodes
     * comes late: after others have got the lock.
     */
    CUT(1),
    /** A bit flips on the way. */
    FLIP(2),
    /** A node dies with the power of its disk, and is started again. */
    NODE(2),
    /** A node dies with the power of its disk, and does not come back in this episode. */
    GONE(1),
    /** A node is lost with its disk, and one with an empty disk takes its place. */
    REPLACED(1),
    /** The operator drains a node, and takes that back later. No fault: nothing may fail. */
    DRAINED(2),
    /** A node is cut off from the coordinator for longer than all leases. */
    SEVERED(1),
    /** The coordinator dies with the power of its disk, and is started again. */
    COORDINATOR(1),
    /** The leader of several coordinators reaches the others no more for a while. */
    PARTED(2),
    /** And nobody reaches it: it is silent, as if its host had lost its power. */
    SILENT(1),
    /** A rank dies. */
    RANK(1),
    /** A rank stops in the middle of a copy, mostly for longer than nodes wait for it. */
    FREEZE(3),
    /** A node's disk fails to read or write for some operations. */
    DISK(1),
    /** A node's disk is full for some time. */
    FULL(1),
    /** A node's disk is much slower until the end of the episode. */
    SLOW(2),
    /** A stored bit flips. */
    ROT(3);

    private final int most;

    Fault(int most) {
      this.most = most;
    }

    int most() {
      return most;
    }
  }

  /** Kinds of bad weather; most have few faults, so that what they do is seen. */
  private static final List<Set<Fault>> WEATHERS =
      List.of(
          EnumSet.noneOf(Fault.class),
          EnumSet.noneOf(Fault.class),
          EnumSet.of(Fault.RESET),
          EnumSet.of(Fault.RESET, Fault.STALL, Fault.FLIP, Fault.SLOW),
          EnumSet.of(Fault.NODE),
          EnumSet.of(Fault.NODE, Fault.RESET),
          EnumSet.of(Fault.GONE),
          EnumSet.of(Fault.GONE, Fault.NODE),
          EnumSet.of(Fault.SEVERED),
          EnumSet.of(Fault.SEVERED, Fault.NODE, Fault.STALL),
          EnumSet.of(Fault.COORDINATOR),
          EnumSet.of(Fault.COORDINATOR),
          EnumSet.of(Fault.COORDINATOR, Fault.RESET, Fault.STALL),
          EnumSet.of(Fault.RANK),
          EnumSet.of(Fault.FREEZE),
          EnumSet.of(Fault.FREEZE, Fault.RANK),
          EnumSet.of(Fault.FREEZE, Fault.NODE),
          EnumSet.of(Fault.RANK, Fault.RESET, Fault.NODE),
          EnumSet.of(Fault.DISK),
          EnumSet.of(Fault.FULL),
          EnumSet.of(Fault.ROT),
          EnumSet.of(Fault.ROT, Fault.NODE),
          EnumSet.of(Fault.DISK, Fault.NODE, Fault.SLOW),
          EnumSet.of(Fault.SILENCE),
          EnumSet.of(Fault.CUT),
          EnumSet.of(Fault.CUT),
          EnumSet.complementOf(
              EnumSet.of(Fault.PARTED, Fault.SILENT, Fault.REPLACED, Fault.DRAINED)));

  /** What an operator does, now and then, where there are several nodes. */
  private static final List<Set<Fault>> OF_OPERATORS =
      List.of(
          EnumSet.of(Fault.REPLACED),
          EnumSet.of(Fault.REPLACED, Fault.NODE),
          EnumSet.of(Fault.DRAINED),
          EnumSet.of(Fault.DRAINED, Fault.NODE),
          EnumSet.of(Fault.DRAINED, Fault.COORDINATOR));

  private static final int ONE_OF = 6;

  /** In worlds with several coordinators. */
  private static final List<Set<Fault>> OF_SEVERAL =
      List.of(
          EnumSet.of(Fault.COORDINATOR),
          EnumSet.of(Fault.PARTED),
          EnumSet.of(Fault.SILENT),
          EnumSet.of(Fault.PARTED, Fault.COORDINATOR),
          EnumSet.of(Fault.PARTED, Fault.RESET, Fault.STALL),
          EnumSet.of(Fault.PARTED, Fault.NODE),
          EnumSet.of(Fault.SILENT, Fault.RANK),
          EnumSet.noneOf(Fault.class));

  /** Those to which programs need not lose anything. */
  private static final Set<Fault> COORDINATORS =
      EnumSet.of(Fault.COORDINATOR, Fault.PARTED, Fault.SILENT);

  /** What loses one node, or makes others take it for lost. */
  private static final Set<Fault> LOSING =
      EnumSet.of(Fault.NODE, Fault.GONE, Fault.SEVERED, Fault.REPLACED);

  /** What may make the coordinator give strands with copies to other nodes. */
  private static final Set<Fault> REPLACING =
      EnumSet.of(
          Fault.SEVERED,
          Fault.PARTED,
          Fault.SILENT,
          Fault.SILENCE,
          Fault.STALL,
          Fault.COORDINATOR,
          Fault.RESET);

  /** Within how long things go wrong: episodes without long waits are short. */
  private static final List<Long> SPANS =
      List.of(30 * World.MILLI, 100 * World.MILLI, 400 * World.MILLI);

  private static final long MAX_HOLD_NANOS = World.SECOND;

  // constant after construction
  private final World world;
  private final RandomGenerator random;
  private final RandomGenerator moments;
  private final Set<Fault> weather;
  private final Ranks ranks;

  private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);
  private final Set<String> duelling = new HashSet<>();
  private final Set<String> cutOff = new HashSet<>();
  private boolean holding; // the next change of a name is never answered
  private boolean cuts; // the next rank that gets a lock in a duel
  private boolean over;
  private boolean leftAway; // something died and was not started again before the end
  private boolean pointerLost; // a move of a shared pointer ended as unknown

  /** Kills or stops ranks. */
  interface Ranks {
    /** Kills one; says whom. */
    String killOne(RandomGenerator random);

    /** Stops one in the middle of its next copy; says whom. */
    String stallOne(RandomGenerator random, long nanos);
  }

  FaultPlan(World world, int episode, Ranks ranks, boolean calm) {
    this.world = world;
    this.random = world.env().random("fate " + episode);
    this.moments = world.env().random("moments " + episode);
    List<Set<Fault>> kinds = world.group().isPresent() ? OF_SEVERAL : WEATHERS;
    Set<Fault> drawn = calm ? WEATHERS.get(0) : kinds.get(random.nextInt(kinds.size()));
    this.weather = calm || world.group().isPresent() ? drawn : operated(drawn, episode);
    this.ranks = ranks;
    world.story().tell("fate", "weather of episode " + episode + ": " + weather);
  }

  private Set<Fault> operated(Set<Fault> otherwise, int episode) {
    RandomGenerator operator = world.env().random("operator " + episode);
    return world.nodes().size() > 1 && operator.nextInt(ONE_OF) == 0
        ? OF_OPERATORS.get(operator.nextInt(OF_OPERATORS.size()))
        : otherwise;
  }

  /** Whether something has gone wrong. */
  boolean hasStruck() {
    return !happened.isEmpty();
  }

  boolean hasStruck(Fault fault) {
    return happened.containsKey(fault);
  }

  /** Whether all that went wrong is that one node was lost, once. */
  boolean isOneLoss() {
    return happened.size() == 1
        && happened.values().iterator().next() == 1
        && LOSING.containsAll(happened.keySet());
  }

  /** Nothing goes wrong from now on, and disks are as quick as before. */
  void end() {
    over = true;
    for (Daemon node : world.nodes()) {
      node.process().ifPresent(process -> world.slow(node.disk().faults().endDelays(), process));
    }
  }

  /** The thread that lets things go wrong. */
  void run() {
    List<Fault> kinds = List.copyOf(weather);
    if (kinds.isEmpty()) {
      return;
    }
    if (kinds.equals(List.of(Fault.CUT))) {
      strikeWithin(Fault.CUT); // it waits for its moment by itself
    }
    long spanNanos = SPANS.get(random.nextInt(SPANS.size()));
    int count = 1 + random.nextInt(2 * kinds.size() + 2);
    for (int i = 0; i < count; i++) {
      World.pause(world.env(), 1 + random.nextLong(spanNanos / count * 2));
      Fault fault = kinds.get(random.nextInt(kinds.size()));
      if (over) {
        return;
      }
      strikeWithin(fault);
    }
  }

  /** After the programs, and before everything is looked at: whatever rots then must be noticed. */
  void strikeLast() {
    if (weather.contains(Fault.ROT)) {
      strikeWithin(Fault.ROT);
    }
  }

  /** Strikes if the budget allows. */
  private void strikeWithin(Fault fault) {
    if (happened.getOrDefault(fault, 0) < fault.most()) {
      happened.merge(fault, 1, Integer::sum);
      world.tally().add(Occurrence.FAULT, fault.name().toLowerCase(Locale.ROOT));
      if (REPLACING.contains(fault)) {
        world.oracle().replacing();
      }
      try {
        strike(fault);
      } catch (IOException e) {
        world.story().tell("fate", "could not do it: " + e);
      }
    }
  }

  private void strike(Fault fault) throws IOException {
    switch (fault) {
      case RESET -> tell(world.net().resetOne());
      case STALL -> tell(world.net().stallOne(1 + random.nextLong(800 * World.MILLI)));
      case SILENCE -> tell(world.net().stallOne((5 + random.nextInt(20)) * World.SECOND));
      case CUT -> cuts = true;
      case FLIP -> tell(world.net().alterOne());
      case NODE -> crash(node());
      case GONE -> {
        leftAway = true;
        node().crash(random.nextLong());
      }
      case REPLACED -> replace(node());
      case DRAINED -> drain(node());
      case SEVERED -> sever(node());
      case COORDINATOR -> {
        if (moments.nextBoolean()) {
          awaitAnswer();
        }
        crash(world.coordinator());
      }
      case PARTED -> part(false);
      case SILENT -> part(true);
      case RANK -> tell(ranks.killOne(random));
      case FREEZE -> tell(ranks.stallOne(random, 1 + random.nextLong(6 * World.SECOND)));
      case DISK -> failDisk(node());
      case FULL -> fill(node());
      case SLOW -> slow(node());
      case ROT -> rot(node());
    }
  }

  /** Waits for a while until a name was changed of which nobody has heard. */
  private void awaitAnswer() {
    holding = true;
    long until = world.env().nanoTime() + MAX_HOLD_NANOS;
    while (holding && !over && world.env().nanoTime() < until) {
      World.pause(world.env(), World.MILLI);
    }
    holding = false;
  }

  /** Whether the coordinator dies now, before an answer leaves. */
  boolean holdsBack() {
    if (!holding || over) {
      return false;
    }
    holding = false;
    world.tally().add(Occurrence.FAULT, "answer held back");
    return true;
  }

  /** A rank begins a write that others want to make, too, or has ended it. */
  void duels(String rank, boolean begins) {
    if (begins) {
      duelling.add(rank);
    } else {
      duelling.remove(rank);
    }
  }

  /** Whether a rank was cut off: the coordinator has given it up, or will soon. */
  boolean isCutOff(String rank) {
    return cutOff.contains(rank);
  }

  /** A rank has got a lock of a file for itself: a moment to cut it off. */
  void onLocked(String rank, ProcessEnv process) {
    if (!cuts || over || !duelling.contains(rank)) {
      return;
    }
    cuts = false;
    cutOff.add(rank);
    world.tally().add(Occurrence.FAULT, "cut off");
    long nanos = (6 + random.nextInt(15)) * World.SECOND;
    long late = (5 + random.nextInt(5)) * World.SECOND; // its sender waits for ten
    tell(
        "cut %s off from the coordinator for %s s, hold up what it sends to nodes for %s s"
            .formatted(rank, nanos / World.SECOND, late / World.SECOND));
    world.coordinator().process().ifPresent(to -> world.net().cut(process, to, nanos));
    for (Daemon node : world.nodes()) {
      node.process().ifPresent(to -> world.net().stall(process, to, late));
    }
  }

  private void part(boolean silent) {
    if (world.group().isEmpty()) {
      return;
    }
    SimGroup group = world.group().get();
    Daemon leader = world.coordinator();
    long nanos = 1 + random.nextLong(6 * World.SECOND);
    tell(
        "part %s from the others%s for %s ms"
            .formatted(leader.name(), silent ? " and from all" : "", nanos / World.MILLI));
    group.cut(leader.place(), nanos);
    if (silent) {
      leader.process().ifPresent(process -> world.net().cutOff(process, nanos));
    }
  }

  private void tell(String what) {
    world.story().tell("fate", what);
  }

  private Daemon node() {
    return world.nodes().get(random.nextInt(world.nodes().size()));
  }

  private void crash(Daemon daemon) {
    if (!daemon.isRunning()) {
      return;
    }
    daemon.crash(random.nextLong());
    long away = random.nextBoolean() ? 20 * World.MILLI : 3 * World.SECOND;
    World.pause(world.env(), 1 + random.nextLong(away));
    if (over) {
      leftAway = true;
    } else {
      world.tally().add(Occurrence.FAULT, "restart");
      daemon.start();
    }
  }

  /** The operator says that the disk is lost, until the coordinator believes that the node is. */
  private void replace(Daemon node) {
    leftAway = true;
    node.wipe(random.nextLong(), happened.size() == 1);
    boolean said = false;
    while (!over && !said) {
      said = world.coordinator().askToChange(node.number(), NodeAction.REPLACE);
    }
    if (said && !over) {
      node.start();
    }
  }

  private void drain(Daemon node) {
    world.oracle().moves();
    if (world.coordinator().askToChange(node.number(), NodeAction.DRAIN)) {
      World.pause(world.env(), 1 + random.nextLong(10 * World.SECOND));
      while (!over && !world.coordinator().askToChange(node.number(), NodeAction.USE)) {}
    }
  }

  private void sever(Daemon node) {
    long nanos = (5 + random.nextInt(20)) * World.SECOND;
    tell("cut %s off from the coordinator for %s s".formatted(node.name(), nanos / World.SECOND));
    node.process()
        .ifPresent(
            from ->
                world.coordinator().process().ifPresent(to -> world.net().cut(from, to, nanos)));
  }

  private void failDisk(Daemon node) {
    var operation =
        List.of(Faults.Operation.READ, Faults.Operation.WRITE, Faults.Operation.FORCE)
            .get(random.nextInt(3));
    tell("operations " + operation + " of the disk of " + node.name() + " fail");
    node.hurt();
    node.disk().faults().fail(operation, _ -> true, random.nextInt(5), 1 + random.nextInt(5));
  }

  private void fill(Daemon node) {
    tell("the disk of " + node.name() + " is full");
    node.hurt();
    Faults faults = node.disk().faults();
    faults.fullAfter(random.nextInt(1 << 16));
    World.pause(world.env(), random.nextLong(200 * World.MILLI));
    faults.fullAfter(Long.MAX_VALUE);
    tell("the disk of " + node.name() + " has room again");
  }

  private void slow(Daemon node) {
    tell("the disk of " + node.name() + " is slow");
    node.disk()
        .faults()
        .delay(Faults.Operation.FORCE, world.env(), random.nextLong(300 * World.MILLI));
    node.disk().faults().delay(Faults.Operation.READ, world.env(), random.nextLong(World.MILLI));
  }

  private void rot(Daemon node) throws IOException {
    List<String> files = node.content().list().stream().filter(name -> isStored(name)).toList();
    if (files.isEmpty()) {
      return;
    }
    String file = files.get(random.nextInt(files.size()));
    long bytes;
    try (var opened = node.content().open(file)) {
      bytes = opened.size();
    }
    if (bytes > 0) {
      long bit = random.nextLong(8 * bytes);
      tell("bit " + bit + " of " + file + " of " + node.name() + " rots");
      world.oracle().rots(node.number());
      node.disk().flipBit(file, bit);
    }
  }

  /** Blocks of files, and their checksums. */
  private static boolean isStored(String name) {
    return name.endsWith(".strand") || name.endsWith(".sums");
  }

  /** Whether the faults so far explain an error. */
  boolean explains(MillraceException error) {
    Set<Fault> struck =
        EnumSet.copyOf(happened.isEmpty() ? Set.of(Fault.DRAINED) : happened.keySet());
    struck.remove(Fault.DRAINED);
    ErrorCode code = error.code();
    if (hasStruck(Fault.DRAINED) && code == ErrorCode.INVALID) { // the nodes left may be too few
      return String.valueOf(error.getMessage()).contains("copies, of which there can be");
    }
    if (struck.isEmpty()) {
      return false;
    }
    if (COORDINATORS.containsAll(struck) && !leftAway) {
      return explainsOfPointers(error); // every other call ends as it would have
    }
    return switch (code) {
      case NODE, UNKNOWN, RESTARTED, RANK_FAILED, DEADLINE, CLOSED, REFUSED, MOVED, LOST -> true;
      case DISK -> hasStruck(Fault.DISK) || hasStruck(Fault.FULL);
      case DISK_FULL -> hasStruck(Fault.FULL);
      case CORRUPT -> hasStruck(Fault.ROT) || hasStruck(Fault.REPLACED);
      default -> false;
    };
  }

  /**
   * Moves of shared pointers by message may end as UNKNOWN (decision 0130), and a rank that ends
   * with that takes others with it.
   */
  private boolean explainsOfPointers(MillraceException error) {
    String message = String.valueOf(error.getMessage());
    boolean move =
        error.code() == ErrorCode.UNKNOWN
            && (message.contains("Advance[") || message.contains("PointerSet["));
    pointerLost |= move;
    return move || (pointerLost && error.code() == ErrorCode.RANK_FAILED);
  }
}
