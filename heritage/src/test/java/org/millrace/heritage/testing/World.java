package org.millrace.heritage.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;

/**
 * Where the programs of tests run. One is chosen for the whole JVM by {@code
 * -Dmillrace.heritage.world=}: {@code jvm}, a cluster whose ranks are threads, is the default.
 */
sealed interface World permits JvmWorld, SocketWorld, SeededWorld {

  /** The property that names it. */
  String PROPERTY = "millrace.heritage.world";

  /** The one of this JVM. */
  World CHOSEN = of(System.getProperty(PROPERTY, "jvm"));

  /** Runs a program on a cluster that keeps its files in or for a directory. */
  default void run(Place place, Program program) throws IOException {
    watch(place, (rank, _) -> program.run(rank));
  }

  /** As {@link #run}, with a program that also sees the cluster. */
  void watch(Place place, Programs.Watching program) throws IOException;

  /** Lets others go on, in a loop that waits for them. */
  void pause();

  /**
   * A cluster, and the ranks that run there.
   *
   * @param directory that the files belong to, found again by the next run with the same
   */
  record Place(Path directory, int ranks, int nodes, ClusterOptions options) {}

  /** The world of a name. */
  static World of(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "jvm" -> new JvmWorld();
      case "sockets" -> new SocketWorld();
      case "seeded" -> new SeededWorld();
      default ->
          throw new IllegalArgumentException(
              "-D" + PROPERTY + " must be jvm, sockets or seeded, was " + name);
    };
  }
}
