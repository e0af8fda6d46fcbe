package org.millrace.bench.measure;

import java.io.IOException;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.env.Env;

/**
 * Lets all ranks run the same phases in turn, lap after lap, and notes the time of each. A limit
 * and what is measured against it are phases of one race, so that they run on the same threads
 * within fractions of a second of each other.
 *
 * <p>Each rank writes its own numbers only; they are read when the ranks have ended.
 */
public final class Race {

  /** One thing that is timed. */
  public interface Phase {

    /** Makes ready; not timed. */
    default void before(Rank rank, int lap) throws IOException {}

    /** Does it; returns how much was done. */
    public long run(Rank rank, int lap) throws IOException;

    /** Checks what was done; not timed. All ranks have finished. */
    default void after(Rank rank, int lap) throws IOException {}
  }

  /** One phase of one lap: each rank's start, end and amount. */
  private static final class Lap {

    private final long[] starts;
    private final long[] ends;
    private final long[] amounts;

    Lap(int ranks) {
      starts = new long[ranks];
      ends = new long[ranks];
      amounts = new long[ranks];
    }

    double rate() {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      double amount = 0;
      for (int r = 0; r < starts.length; r++) {
        first = Math.min(first, starts[r]);
        last = Math.max(last, ends[r]);
        amount += amounts[r];
      }
      return amount * 1e9 / Math.max(1, last - first);
    }
  }

  private final Env env;
  private final int warmUps;
  private final Lap[][] laps;

  /** Laps of {@code phases} phases each; the first {@code warmUps} laps do not count. */
  public Race(Env env, int ranks, int phases, int warmUps, int counted) {
    this.env = env;
    this.warmUps = warmUps;
    this.laps = new Lap[phases][warmUps + counted];
    for (Lap[] row : laps) {
      for (int i = 0; i < row.length; i++) {
        row[i] = new Lap(ranks);
      }
    }
  }

  /** Runs all laps; every rank calls it, with the same number of phases. */
  public void run(Rank rank, List<? extends Phase> phases) throws IOException {
    int me = rank.number();
    for (int lap = 0; lap < laps[0].length; lap++) {
      for (int p = 0; p < phases.size(); p++) {
        Phase phase = phases.get(p);
        Lap times = laps[p][lap];
        phase.before(rank, lap);
        rank.barrier();
        times.starts[me] = env.nanoTime();
        times.amounts[me] = phase.run(rank, lap);
        times.ends[me] = env.nanoTime();
        rank.barrier();
        phase.after(rank, lap);
        rank.barrier();
      }
    }
  }

  /** The rates of a phase, all ranks together, without the warm-up. */
  public Series series(int phase) {
    double[] rates = new double[laps[phase].length - warmUps];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = laps[phase][warmUps + i].rate();
    }
    return new Series(rates);
  }
}
