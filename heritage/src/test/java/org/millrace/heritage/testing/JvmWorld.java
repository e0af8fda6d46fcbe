package org.millrace.heritage.testing;

import java.io.IOException;
import org.millrace.cluster.RunningCluster;

/** Ranks as virtual threads of one JVM, with files of the directory. Stateless. */
record JvmWorld() implements World {

  @Override
  public void watch(Place place, Programs.Watching program) throws IOException {
    try (RunningCluster cluster =
        RunningCluster.embedded(place.directory(), place.nodes(), place.options())) {
      cluster.run(place.ranks(), rank -> program.run(rank, cluster));
    }
  }

  @Override
  public void pause() {
    Thread.yield();
  }
}
