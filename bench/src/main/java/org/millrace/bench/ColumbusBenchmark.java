package org.millrace.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.env.Env;

/**
 * What the COLUMBUS program did with Shared Files: compressed records of about 30 KB in one file,
 * whose sizes change when they are updated, each update under a lock of the group, in random order
 * by all ranks. The same program on strands and on one plain file of the file system; laps take
 * turns. At the end every record is decompressed and compared with what its updates say.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class ColumbusBenchmark {

  /** Told how far a run has come. */
  public interface Listener {

    /** It begins, and will report that many steps. */
    void begins(int steps);

    /** A step is done. */
    void stepped();
  }

  private record Sizes(int records, int updates, int warmUps, int laps) {}

  private static final int NODES = 4;
  private static final Sizes FULL = new Sizes(1024, 500, 1, 5);
  private static final Sizes QUICK = new Sizes(128, 100, 1, 3);
  private static final Sizes TINY = new Sizes(7, 10, 0, 1);

  private final Env env;
  private final ColumbusOptions options;
  private final Sizes sizes;

  /** A benchmark with the given options. */
  public ColumbusBenchmark(Env env, ColumbusOptions options) {
    this.env = env;
    this.options = options;
    this.sizes =
        switch (options.size()) {
          case FULL -> FULL;
          case QUICK -> QUICK;
          case TINY -> TINY;
        };
  }

  /** Runs both ways and returns them, the plain file last. */
  public List<ColumbusResult> run(Listener listener) throws IOException {
    List<ColumbusResult> results = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      Path plain = scratch.folder("plain").toAbsolutePath().resolve("columbus");
      listener.begins(2 * (sizes.warmUps + sizes.laps) + 2);
      try (Cluster cluster =
          Cluster.embedded(scratch.folder("strands"), NODES, ClusterOptions.DEFAULT)) {
        cluster.run(
            options.ranks(),
            rank -> {
              List<ColumbusResult> measured = measure(rank, plain.toString(), listener);
              if (rank.number() == 0) {
                results.addAll(measured);
              }
            });
      }
    }
    return results;
  }

  private List<ColumbusResult> measure(Rank rank, String plainPath, Listener listener)
      throws IOException {
    Runnable step = rank.number() == 0 ? listener::stepped : () -> {};
    try (ColumbusRank strands = new ColumbusRank(env, rank, "columbus", sizes.records);
        ColumbusRank plain = new ColumbusRank(env, rank, plainPath, sizes.records)) {
      List<ColumbusResult> onStrands = new ArrayList<>();
      List<ColumbusResult> onPlain = new ArrayList<>();
      int laps = sizes.warmUps + sizes.laps;
      for (int lap = 0; lap < laps; lap++) {
        ColumbusResult first = strands.lap("strands, " + NODES + " nodes", lap, sizes.updates);
        step.run();
        ColumbusResult second = plain.lap("one plain file", lap, sizes.updates);
        step.run();
        if (lap >= sizes.warmUps) {
          onStrands.add(first);
          onPlain.add(second);
        }
      }
      strands.verify(laps, sizes.updates);
      step.run();
      plain.verify(laps, sizes.updates);
      step.run();
      return List.of(median(onStrands), median(onPlain));
    }
  }

  private static ColumbusResult median(List<ColumbusResult> laps) {
    return laps.stream()
        .sorted(Comparator.comparingLong(ColumbusResult::nanos))
        .toList()
        .get(laps.size() / 2);
  }
}
