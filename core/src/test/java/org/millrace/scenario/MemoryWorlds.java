package org.millrace.scenario;

import org.millrace.env.Env;
import org.millrace.testing.Seeds;

/** Worlds over disks in memory, with real threads. */
record MemoryWorlds() implements Worlds {

  @Override
  public void in(Build build, Scenario scenario) throws Exception {
    try (var world = ClusterWorld.inMemory(Env.real(), build)) {
      scenario.run(world);
    }
  }

  @Override
  public void under(long seed, Build build, Scenario scenario) throws Exception {
    try {
      in(build, scenario);
    } catch (Exception | Error e) {
      throw new AssertionError(build + ", " + Seeds.replay(seed) + ": " + e, e);
    }
  }

  @Override
  public void inEach(Scenario scenario) throws Exception {
    for (Build build : Build.ALL) {
      in(build, scenario);
    }
  }
}
