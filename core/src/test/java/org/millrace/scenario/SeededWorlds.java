package org.millrace.scenario;

import java.util.List;
import org.millrace.env.SeededEnv;
import org.millrace.testing.Seeds;

/**
 * Worlds over disks in memory under the seeded scheduler: each scenario takes as many courses as there are seeds.
 *
 * @param seeds how many
 */
record SeededWorlds(int seeds) implements Worlds {

  @Override
  public void in(Build build, Scenario scenario) {
    for (long seed : Seeds.of(seeds)) {
      run(seed, build, scenario);
    }
  }

  @Override
  public void inEach(Scenario scenario) {
    List<Build> builds = Build.ALL;
    for (long seed : Seeds.of(seeds)) {
      run(seed, builds.get(Math.floorMod(seed, builds.size())), scenario);
    }
  }

  static void run(long seed, Build build, Scenario scenario) {
    SeededEnv env = SeededEnv.of(seed);
    try {
      env.run(
          () -> {
            try (var world = ClusterWorld.inMemory(env, build)) {
              scenario.run(world);
            } catch (RuntimeException | Error e) {
              throw e;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
    } catch (RuntimeException | Error e) {
      throw new AssertionError(build + ", " + Seeds.replay(seed) + ": " + e, e);
    }
  }
}
