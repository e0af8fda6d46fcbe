package org.millrace.heritage.testing;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;

/**
 * Runs programs of several ranks, in the world that {@code -Dmillrace.heritage.world=} names: on a
 * cluster in this JVM ({@code jvm}), as processes would be, over sockets and shared memory ({@code
 * sockets}), or under a seeded schedule with a late rank and slow writes ({@code seeded}). A
 * program may run several times there, once for each seed.
 */
public final class Programs {

  private Programs() {}

  /** A program that also asks the cluster what an administrator may ask. */
  public interface Watching {
    /** Runs as one rank. */
    void run(Rank rank, RunningCluster cluster) throws Exception;
  }

  /** Runs {@code program} on a cluster in {@code directory}, which keeps its files. */
  public static void run(Path directory, int ranks, int nodes, Program program) throws IOException {
    run(directory, ranks, nodes, ClusterOptions.DEFAULT, program);
  }

  /** As above, with options. */
  public static void run(
      Path directory, int ranks, int nodes, ClusterOptions options, Program program)
      throws IOException {
    World.CHOSEN.run(new World.Place(directory, ranks, nodes, options), program);
  }

  /** As above, with a program that also sees the cluster. */
  public static void watch(
      Path directory, int ranks, int nodes, ClusterOptions options, Watching program)
      throws IOException {
    World.CHOSEN.watch(new World.Place(directory, ranks, nodes, options), program);
  }

  /** Ends a test that uses files of its own beside the cluster's, where files are in memory. */
  public static void assumeRealFiles() {
    assumeFalse(World.CHOSEN instanceof SeededWorld, "files are in memory in this world");
  }

  /**
   * Lets others go on, in a rank's loop that asks again and again: where time is virtual it stands
   * still while anybody can run.
   */
  public static void pause() {
    World.CHOSEN.pause();
  }
}
