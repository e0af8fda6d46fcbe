package org.millrace.scenario;

import org.millrace.client.ClusterOptions;
import org.millrace.env.Env;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/**
 * Worlds over disks in memory, with real threads, in which collective calls are carried out by one
 * strategy, with buffers so small that nearly every call needs several.
 */
record StrategyWorlds(Strategy strategy) implements Worlds {

  private static final long BUFFER_BYTES = 300;

  private ClusterOptions options(Build build) {
    return ClusterWorld.options(build).withHints(hints(strategy));
  }

  static Hints hints(Strategy strategy) {
    return new Hints(strategy, strategy, 0, BUFFER_BYTES, BUFFER_BYTES, BUFFER_BYTES, 0, 2);
  }

  @Override
  public void in(Build build, Scenario scenario) throws Exception {
    try (var world = ClusterWorld.inMemory(Env.real(), build, options(build))) {
      scenario.run(world);
    }
  }

  @Override
  public void under(long seed, Build build, Scenario scenario) throws Exception {
    try {
      in(build, scenario);
    } catch (Exception | Error e) {
      throw new AssertionError(strategy + ", " + build + ", " + Seeds.replay(seed) + ": " + e, e);
    }
  }

  @Override
  public void inEach(Scenario scenario) throws Exception {
    for (Build build : Build.ALL) {
      in(build, scenario);
    }
  }
}
