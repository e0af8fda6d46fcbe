package org.millrace.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.StoredBytes;
import org.millrace.testing.Seeds;

/**
 * Worlds on real files, each in a directory of its own below the given one. Outside campaigns two
 * of the builds are enough: the others differ from them where no disk is asked.
 */
record FileWorlds(Path directory) implements Worlds {

  @Override
  public void in(Build build, Scenario scenario) throws Exception {
    Path place = Files.createTempDirectory(directory, "world");
    var options = ClusterWorld.options(build);
    try (var world =
        new ClusterWorld(
            () -> RunningCluster.embedded(place, build.nodes(), options),
            () -> strandSizes(place, build.nodes()))) {
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
    boolean all = Seeds.CAMPAIGN > 1;
    for (int i = all ? 0 : 1; i < Build.ALL.size(); i += all ? 1 : 2) {
      in(Build.ALL.get(i), scenario);
    }
  }

  private static List<Long> strandSizes(Path place, int nodes) throws IOException {
    List<Long> sizes = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      sizes.add(StoredBytes.of(place.resolve("node-" + n)));
    }
    return sizes;
  }
}
