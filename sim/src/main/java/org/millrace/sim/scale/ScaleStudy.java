package org.millrace.sim.scale;

import java.util.ArrayList;
import java.util.List;
import org.millrace.plan.Strategy;

/**
 * The same tasks on 1, 4, 16 ... nodes, by each strategy, each run in an environment of its own.
 *
 * <p>Used by one platform thread.
 */
public final class ScaleStudy {

  /** The largest number of nodes of any study. */
  public static final int MAX_NODES = 4096;

  /** The largest number of nodes of a study that names none: minutes. */
  public static final int USUAL_NODES = 1024;

  /** The same of a quick one. */
  public static final int MAX_QUICK_NODES = 256;

  private static final int STEP = 4;

  /** Ranks for each node in the crowded cases of the largest study. */
  private static final int CROWD = 4;

  /**
   * A strategy that reaches less of the disks' speed is not run on more nodes: it takes one round
   * trip for each run, and more nodes make none of them shorter.
   */
  static final double HOPELESS = 0.10;

  /** Hears of what was done. */
  public interface Listener {
    /** One more run has ended, or was left out. */
    void done(Case what);
  }

  // constant after construction
  private final long seed;
  private final List<Case> cases = new ArrayList<>();

  /** A study of all strategies on up to {@code maxNodes} nodes. */
  public ScaleStudy(int maxNodes, long seed) {
    this(maxNodes, seed, Trial.strategies());
  }

  /** A study of some strategies on up to {@code maxNodes} nodes. */
  public ScaleStudy(int maxNodes, long seed, List<Strategy> strategies) {
    if (maxNodes < 1 || maxNodes > MAX_NODES) {
      throw new IllegalArgumentException(maxNodes + " nodes, must be in 1.." + MAX_NODES);
    }
    this.seed = seed;
    for (boolean write : new boolean[] {false, true}) {
      for (Sharing sharing : Sharing.values()) {
        add(maxNodes, sharing, write, strategies);
      }
    }
    if (maxNodes == MAX_NODES && strategies.contains(Strategy.SIEVED)) {
      for (Sharing sharing : List.of(Sharing.BLOCKS, Sharing.RECORDS)) {
        cases.add(new Case(MAX_NODES, CROWD * MAX_NODES, sharing, false, Strategy.SIEVED));
      }
    }
  }

  private void add(int maxNodes, Sharing sharing, boolean write, List<Strategy> strategies) {
    for (Strategy strategy : strategies) {
      for (int nodes = 1; nodes <= maxNodes; nodes *= STEP) {
        cases.add(new Case(nodes, sharing, write, strategy));
      }
    }
  }

  /** What will be run. */
  public List<Case> cases() {
    return List.copyOf(cases);
  }

  /** Runs all, one after the other: the large ones take all the memory there is. */
  public List<ScaleOutcome> run(Listener listener) {
    List<ScaleOutcome> outcomes = new ArrayList<>();
    for (Case one : cases) {
      if (outcomes.stream().noneMatch(before -> isHopeless(before, one))) {
        outcomes.add(Trial.run(one, seed));
      }
      listener.done(one);
    }
    return outcomes;
  }

  /** Whether an outcome on fewer nodes says that a case is not worth its time. */
  static boolean isHopeless(ScaleOutcome before, Case one) {
    return before.what().strategy() == one.strategy()
        && before.what().task().equals(one.task())
        && before.what().nodes() < one.nodes()
        && before.shareOfDisks() < HOPELESS;
  }

  /** The outcomes of one task, in order. */
  static List<ScaleOutcome> of(String task, List<ScaleOutcome> outcomes) {
    return outcomes.stream().filter(one -> one.what().task().equals(task)).toList();
  }

  /** The tasks there are. */
  static List<String> tasks(List<ScaleOutcome> outcomes) {
    return outcomes.stream().map(one -> one.what().task()).distinct().toList();
  }
}
