package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.env.Env;

/**
 * What the checkers know of a world: the order of events, the files, the crashes and which faults
 * explain which errors. For threads of the world's environment.
 */
final class Oracle {

  /** Any of the nodes. */
  static final int ANY = -1;

  /** What was not durable may be lost, at an instant or at some time between two. */
  record Loss(long from, long to) {}

  private final Map<Integer, List<Loss>> losses = new TreeMap<>();
  private boolean replacing;
  private final Set<Integer> rotten = new TreeSet<>();
  private boolean decayed;
  private boolean ruined;
  private boolean ruinedCopies;
  private boolean moving;
  private long ticks;
  private int ids;
  private long opens;

  /** The number of an event that happens now. */
  long tick() {
    return ++ticks;
  }

  int nextId() {
    return ++ids;
  }

  long nextOpen() {
    return ++opens;
  }

  /** A node has lost what it had not made durable, and will lose what it gets while it is down. */
  void crashed(int node) {
    long now = tick();
    lose(node, new Loss(now, Env.NEVER));
    lose(ANY, new Loss(now, now));
  }

  /** A node is about to be back. */
  void starts(int node) {
    end(node);
  }

  private void lose(int node, Loss loss) {
    losses.computeIfAbsent(node, _ -> new ArrayList<>()).add(loss);
  }

  /** From now on, until the next episode, owners of strands with copies may be replaced. */
  void replacing() {
    if (!replacing) {
      replacing = true;
      lose(ANY, new Loss(tick(), Env.NEVER));
    }
  }

  /** No owner is replaced any more. */
  void settled() {
    if (replacing) {
      replacing = false;
      end(ANY);
    }
  }

  /** What is being lost is lost. */
  private void end(int node) {
    long now = tick();
    losses.computeIfPresent(
        node,
        (_, all) ->
            new ArrayList<>(
                all.stream()
                    .map(one -> one.to == Env.NEVER ? new Loss(one.from, now) : one)
                    .toList()));
  }

  List<Loss> losses(int node) {
    return losses.getOrDefault(node, List.of());
  }

  /** The last loss of any node; one at no time if there was none. */
  Loss lastLoss() {
    List<Loss> all = losses(ANY);
    return all.isEmpty() ? new Loss(Env.NEVER, Env.NEVER) : all.getLast();
  }

  /** Strands without copies may be on other nodes from now on than they were. */
  void moves() {
    moving = true;
  }

  /** Whether strands without copies may have moved. */
  boolean mayMove() {
    return moving;
  }

  /**
   * A node has lost its disk: what only it had is lost, and files say so.
   *
   * @param alone whether nothing else has gone wrong that makes it the only one that had something
   */
  void ruins(boolean alone) {
    ruinedCopies |= ruined || !alone;
    ruined = true;
  }

  /** Whether even files with copies may be damaged by that. */
  boolean mayRuinCopies() {
    return ruinedCopies;
  }

  /** Whether a node has ever lost its disk. */
  boolean isRuined() {
    return ruined;
  }

  /** Stored bits have flipped while nothing ran, and after all was made durable. */
  void decays() {
    decayed = true;
  }

  /** A stored bit of a node has flipped. */
  void rots(int node) {
    rotten.add(node);
  }

  /** Whether a stored bit has ever flipped. */
  boolean isRotten() {
    return decayed || !rotten.isEmpty();
  }

  /**
   * Whether a flipped bit of a node may have been taken for a torn write, which is a limit that
   * {@code docs/formats.md} names: blocks that were overwritten before the node's disk lost what
   * was not forced are taken as they are when their strand is opened next, which may be long after.
   */
  boolean mayHideRot(int node) {
    boolean any = node == ANY ? !rotten.isEmpty() : rotten.contains(node);
    return any && !losses(node).isEmpty();
  }
}
