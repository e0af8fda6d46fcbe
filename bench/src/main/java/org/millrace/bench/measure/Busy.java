package org.millrace.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tells whether numbers come from a busy machine, by three signs: other processes used the
 * processors while it ran, laps of the same work differ much, or a ratio is above what is possible.
 * All reports use the same word for it, {@value #WORD}.
 *
 * <p>An instance watches the processors from when it is made. Immutable.
 */
public final class Busy {

  /** The word that goes with such numbers. */
  public static final String WORD = "busy";

  /** Laps that differ by more than this factor were disturbed. */
  private static final double MAX_SPREAD = 2;

  /** Fewer laps say nothing about each other. */
  private static final int MIN_LAPS = 3;

  /** How far noise alone lifts a ratio above its bound. */
  private static final double NOISE = 1.25;

  /** How far noise alone lifts a share above one. */
  private static final double SHARE_NOISE = 1.02;

  /** What others may use of the processors, as a part of all. */
  private static final double MAX_OTHERS = 0.15;

  private final Optional<Sample> begin = Sample.now();

  /**
   * Processor time, in ticks, since the machine was started.
   *
   * @param used by all processes, and by other guests of the same hardware
   * @param all used or not
   * @param own used by this process and those that it started
   */
  record Sample(long used, long all, long own) {

    /** Now; empty where the system does not tell. */
    static Optional<Sample> now() {
      try {
        String line = Files.readAllLines(Path.of("/proc/stat")).getFirst();
        long own = ticks(ProcessHandle.current());
        try (Stream<ProcessHandle> children = ProcessHandle.current().descendants()) {
          own += children.mapToLong(Sample::ticks).sum();
        }
        return Optional.of(of(line, own));
      } catch (IOException | RuntimeException e) {
        return Optional.empty(); // not Linux
      }
    }

    /** As {@code line}, the first of /proc/stat, tells. */
    static Sample of(String line, long own) {
      long[] ticks =
          Arrays.stream(line.strip().split("\\s+"))
              .skip(1)
              .limit(8)
              .mapToLong(Long::parseLong)
              .toArray();
      long all = Arrays.stream(ticks).sum();
      long idle = ticks[3] + ticks[4];
      return new Sample(all - idle, all, own);
    }

    /** Of a process and of those of its children that have ended; 0 if it has ended meanwhile. */
    private static long ticks(ProcessHandle process) {
      try {
        String line = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return Arrays.stream(fields, 11, 15).mapToLong(Long::parseLong).sum();
      } catch (IOException e) {
        return 0;
      }
    }

    /** Which part of all processor time since {@code begin} others have used. */
    double others(Sample begin) {
      double others = used - begin.used - (own - begin.own);
      return Math.max(0, others) / Math.max(1, all - begin.all);
    }
  }

  /** What is to be said of the machine since this was made; empty if it was quiet. */
  public Optional<String> verdict() {
    return begin.flatMap(from -> Sample.now().flatMap(to -> verdict(to.others(from))));
  }

  static Optional<String> verdict(double others) {
    return others <= MAX_OTHERS
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%s: other processes used %.0f %% of the processors meanwhile; measure again on a"
                    + " quiet machine before you trust these numbers",
                WORD,
                100 * others));
  }

  /**
   * Whether laps of the same work differ so much that something ran beside them. One outlier in
   * five at either end is not enough.
   */
  public static boolean isSpread(double... laps) {
    if (laps.length < MIN_LAPS) {
      return false;
    }
    double[] sorted = laps.clone();
    Arrays.sort(sorted);
    int cut = laps.length / 5;
    return sorted[laps.length - 1 - cut] > MAX_SPREAD * sorted[cut];
  }

  /**
   * What is to be said of phases that were timed alone and together: laps of a phase differ, or
   * more of one was hidden than there was; empty if neither.
   *
   * @param shares what was hidden in each lap
   * @param phases the times of each phase in each lap
   */
  public static String ofOverlap(double[] shares, double[]... phases) {
    if (Arrays.stream(shares).anyMatch(share -> share > SHARE_NOISE)) {
      return WORD + ": more was hidden than there was";
    }
    return Arrays.stream(phases).anyMatch(Busy::isSpread) ? WORD + ": laps differ" : "";
  }

  /** A ratio to something that cannot be exceeded, with the word if it is. */
  public static String ratio(double ratio) {
    String number = String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.1f", ratio);
    return ratio > NOISE ? number + " " + WORD : number;
  }

  /** A share of what cannot be exceeded in percent, with the word if it is. */
  public static String percent(double share) {
    String number = String.format(Locale.ROOT, "%.1f %%", 100 * share);
    return share > SHARE_NOISE ? number + " " + WORD : number;
  }
}
