package org.millrace.scenario;

import java.util.Map;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.testing.Seeds;

/**
 * Worlds over disks in memory under the seeded scheduler: each scenario takes as many courses as
 * there are seeds. Under every other seed messages and copies take time, so that others may run in
 * the middle of them.
 *
 * @param seeds how many
 */
record SeededWorlds(int seeds) implements Worlds {

  private static final Map<Work, Long> COSTS =
      Map.of(Work.MESSAGE, 1_000_000L, Work.CACHE, 200_000L, Work.COPY, 1_000L);

  @Override
  public void in(Build build, Scenario scenario) {
    for (long seed : Seeds.of(seeds)) {
      under(seed, build, scenario);
    }
  }

  @Override
  public void inEach(Scenario scenario) {
    for (long seed : Seeds.of(seeds)) {
      under(seed, Build.of(seed), scenario);
    }
  }

  @Override
  public void under(long seed, Build build, Scenario scenario) {
    boolean workTakesTime = Long.bitCount(seed) % 2 == 0;
    SeededEnv env = workTakesTime ? SeededEnv.of(seed, COSTS) : SeededEnv.of(seed);
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
