package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Series;
import org.millrace.bench.papers.SharingResult.Run;
import org.millrace.bench.papers.SharingTeam.Beside;

/**
 * May nodes that serve I/O compute? Section 4 of the paper by Kotz and Cai, with Millrace in the
 * place of NFS: processes solve systems of equations and meet in a barrier after each iteration,
 * while one of them, which is a node like all, serves a stream of 1 KB requests for a process
 * outside. As a control the same stream is served by a node whose process does not compute. In a
 * turn the computation runs alone, beside a stream and beside its control, so that a machine that
 * is slow for a while is slow for all three; medians of the turns count.
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

  /** Alone, beside it, and beside its control. */
  private static final int CASES_OF_STREAM = 3;

  private final SharingOptions options;
  private final SharingSizes sizes;

  /** A benchmark with the given options. */
  public SharingBenchmark(SharingOptions options) {
    this.options = options;
    this.sizes = SharingSizes.of(options.size());
  }

  /** Runs all cases. Throws if a system was not solved, or a byte is wrong. */
  public SharingResult run(Listener listener) throws IOException {
    int cases = CASES_OF_STREAM * SharingStream.values().length;
    Rounds rounds = new Rounds();
    try (Scratch scratch = new Scratch(options.folder())) {
      scratch.checkSpace(sizes.diskBytes());
      listener.begins(cases * (sizes.rounds() + (sizes.warmUps() > 0 ? 1 : 0)));
      Path folder = scratch.folder("sharing").toAbsolutePath();
      try (SharingTeam team = new SharingTeam(folder, options.ranks(), options.bound(), sizes)) {
        try {
          measure(team, rounds, listener);
        } catch (IOException | RuntimeException e) {
          team.kill();
          throw e;
        }
      }
    }
    SharingResult result =
        new SharingResult(
            options.ranks(),
            options.bound(),
            sizes.iterations(),
            rounds.aloneSeconds(),
            rounds.rows());
    listener.ended(result);
    return result;
  }

  private void measure(SharingTeam team, Rounds rounds, Listener listener) throws IOException {
    if (sizes.warmUps() > 0) {
      new Rounds().run(team, sizes.warmUps(), listener);
    }
    for (int round = 0; round < sizes.rounds(); round++) {
      rounds.run(team, sizes.iterations(), listener);
    }
    team.verify();
  }

  /** The computation alone, beside a stream, and beside its control, one after the other. */
  private record Turn(double aloneSeconds, Beside shared, Beside control) {

    double efficiency() {
      return aloneSeconds / shared.seconds();
    }

    double controlEfficiency() {
      return aloneSeconds / control.seconds();
    }

    double efficiencyToControl() {
      return control.seconds() / shared.seconds();
    }
  }

  /** All streams, once or more often. Used by one thread. */
  private static final class Rounds {

    private final Map<SharingStream, List<Turn>> turns = new EnumMap<>(SharingStream.class);

    void run(SharingTeam team, int iterations, Listener listener) throws IOException {
      for (SharingStream stream : SharingStream.values()) {
        double alone = team.alone(iterations);
        listener.stepped();
        Beside shared = team.beside(stream, false, iterations);
        listener.stepped();
        Beside control = team.beside(stream, true, iterations);
        listener.stepped();
        turns.computeIfAbsent(stream, _ -> new ArrayList<>()).add(new Turn(alone, shared, control));
      }
    }

    double aloneSeconds() {
      return median(turns.values().stream().flatMap(List::stream).toList(), Turn::aloneSeconds);
    }

    List<SharingResult.Row> rows() {
      List<SharingResult.Row> rows = new ArrayList<>();
      turns.forEach(
          (stream, its) ->
              rows.add(
                  new SharingResult.Row(
                      stream,
                      run(median(its, Turn::efficiency), its.stream().map(Turn::shared).toList()),
                      run(
                          median(its, Turn::controlEfficiency),
                          its.stream().map(Turn::control).toList()),
                      median(its, Turn::efficiencyToControl))));
      return rows;
    }

    private static Run run(double efficiency, List<Beside> all) {
      return new Run(
          median(all, Beside::seconds),
          efficiency,
          median(all, Beside::requestsPerSecond),
          median(all, Beside::servingCores),
          median(all, Beside::clientCores));
    }
  }

  private static <T> double median(List<T> of, ToDoubleFunction<T> what) {
    return new Series(of.stream().mapToDouble(what).toArray()).median();
  }
}
