package org.millrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.millrace.bench.SharingResult.Run;

/**
 * May nodes that serve I/O compute? Section 4 of the paper by Kotz and Cai, with Millrace in the
 * place of NFS: processes solve systems of equations and meet in a barrier after each iteration,
 * while one of them, which is a node like all, serves a stream of 1 KB requests for a process
 * outside. As a control the same stream is served by a node whose process does not compute. Cases
 * take turns, round after round; medians count.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class SharingBenchmark {

  /** Told how far a run has come. */
  public interface Listener {

    /** It begins, and will report that many steps. */
    void begins(int steps);

    /** A step is done. */
    void stepped();

    /** It has ended. */
    void ended(SharingResult result);
  }

  private final SharingOptions options;
  private final SharingSizes sizes;

  /** A benchmark with the given options. */
  public SharingBenchmark(SharingOptions options) {
    this.options = options;
    this.sizes = SharingSizes.of(options.size());
  }

  /** Runs all cases. Throws if a system was not solved, or a byte is wrong. */
  public SharingResult run(Listener listener) throws IOException {
    int cases = 1 + 2 * SharingStream.values().length;
    listener.begins(cases * (sizes.rounds() + (sizes.warmUps() > 0 ? 1 : 0)));
    Rounds rounds = new Rounds();
    try (Scratch scratch = new Scratch(options.folder());
        SharingTeam team =
            new SharingTeam(
                scratch.folder("sharing").toAbsolutePath(),
                options.ranks(),
                options.bound(),
                sizes)) {
      if (sizes.warmUps() > 0) {
        new Rounds().run(team, sizes.warmUps(), listener);
      }
      for (int round = 0; round < sizes.rounds(); round++) {
        rounds.run(team, sizes.iterations(), listener);
      }
      team.verify();
    }
    SharingResult result =
        new SharingResult(
            options.ranks(),
            options.bound(),
            sizes.iterations(),
            median(rounds.alone),
            rounds.rows());
    listener.ended(result);
    return result;
  }

  /** All cases, once or more often. Used by one thread. */
  private static final class Rounds {

    private final List<Double> alone = new ArrayList<>();
    private final Map<SharingStream, List<Run>> shared = new EnumMap<>(SharingStream.class);
    private final Map<SharingStream, List<Run>> control = new EnumMap<>(SharingStream.class);

    void run(SharingTeam team, int iterations, Listener listener) throws IOException {
      alone.add(team.alone(iterations));
      listener.stepped();
      for (SharingStream stream : SharingStream.values()) {
        add(shared, stream, team.beside(stream, false, iterations));
        listener.stepped();
        add(control, stream, team.beside(stream, true, iterations));
        listener.stepped();
      }
    }

    private static void add(Map<SharingStream, List<Run>> to, SharingStream stream, Run run) {
      to.computeIfAbsent(stream, _ -> new ArrayList<>()).add(run);
    }

    List<SharingResult.Row> rows() {
      List<SharingResult.Row> rows = new ArrayList<>();
      shared.forEach(
          (stream, runs) ->
              rows.add(
                  new SharingResult.Row(
                      stream, median(runs), median(control.getOrDefault(stream, List.of())))));
      return rows;
    }

    private static Run median(List<Run> runs) {
      return new Run(
          SharingBenchmark.median(runs.stream().map(Run::seconds).toList()),
          SharingBenchmark.median(runs.stream().map(Run::requestsPerSecond).toList()),
          SharingBenchmark.median(runs.stream().map(Run::servingCores).toList()),
          SharingBenchmark.median(runs.stream().map(Run::clientCores).toList()));
    }
  }

  private static double median(List<Double> values) {
    return new Series(values.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }
}
