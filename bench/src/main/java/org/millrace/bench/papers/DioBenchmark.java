package org.millrace.bench.papers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Series;
import org.millrace.bench.processes.Pair;
import org.millrace.bench.processes.Traffic;
import org.millrace.bench.processes.Way;
import org.millrace.client.PageCache;

/**
 * Local and remote rates of {@code dio_read} and {@code dio_write} against the size of requests, as
 * figures 6 and 7 of the paper on Distant I/O have them for 4 to 32 KiB, and beyond: one rank, one
 * node, one request at a time. Local is a node in the rank's own process, remote one in another.
 * All ways take turns, lap after lap; what was read or written is checked.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class DioBenchmark {

  /** As the page says; the paper has no encryption. */
  private static final List<Way> WAYS = List.of(Way.LOCAL, Way.SHARED, Way.UNIX, Way.TCP);

  /** Told how far a run has come. */
  public interface Listener {

    /** A medium begins, which will report that many steps. */
    void begins(String medium, int steps);

    /** A step of it is done. */
    void stepped();

    /** It has ended, with these curves. */
    void ended(List<DioCurve> curves);
  }

  /**
   * How much and how often.
   *
   * @param requests sizes of requests
   * @param cachedBytes of the file that is in memory
   * @param diskBytes of the file that is not
   * @param warmUps laps that are not counted
   * @param laps that are
   * @param lapMillis no request of a lap begins after so long
   */
  private record Sizes(
      List<Integer> requests,
      long cachedBytes,
      long diskBytes,
      int warmUps,
      int laps,
      long lapMillis) {}

  private static final Sizes FULL =
      new Sizes(
          List.of(4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20),
          32L << 20,
          64L << 20,
          2,
          5,
          80);

  private static final Sizes QUICK =
      new Sizes(
          List.of(4 << 10, 16 << 10, 32 << 10, 256 << 10, 4 << 20), 16L << 20, 16L << 20, 1, 1, 40);

  private static final Sizes TINY =
      new Sizes(List.of(4 << 10, 1 << 20), 4L << 20, 4L << 20, 0, 1, 5);

  /**
   * What the paper says about its figures, whose curves the text does not have. Table 1 gives the
   * rate of COLUMBUS, which is said to be 25 % below that of figure 6.
   */
  public static final String PAPER =
      "paper, figures 6 and 7 (4 to 32 KiB of 1 GB on SCSI disks of an IBM SP): remote approaches"
          + " local as requests grow; at about 30 KB dio_read reaches 3.823 / 0.75 = 5.1 MB/s";

  private static final List<String> MEDIA = List.of("cached", "disk");

  /** A cache that holds next to nothing of the file. */
  private static final long LITTLE_CACHE = 4L << 20;

  private final DioOptions options;
  private final Sizes sizes;

  /** A benchmark with the given options. */
  public DioBenchmark(DioOptions options) {
    this.options = options;
    this.sizes =
        switch (options.size()) {
          case FULL -> FULL;
          case QUICK -> QUICK;
          case TINY -> TINY;
        };
  }

  /** What can be asked for by name. */
  public static List<String> names() {
    return MEDIA;
  }

  /** Runs one medium after the other and returns all curves. */
  public List<DioCurve> run(Listener listener) throws IOException {
    List<DioCurve> all = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      for (String medium : MEDIA) {
        if (options.only().isEmpty() || options.only().contains(medium)) {
          try (Pair pair = new Pair(scratch.folder(medium))) {
            listener.begins(medium, (sizes.warmUps + sizes.laps) * kinds(medium).size());
            List<DioCurve> curves = measure(pair, medium, listener);
            listener.ended(curves);
            all.addAll(curves);
          }
        }
      }
    }
    return all;
  }

  /** One kind of access. */
  private record Kind(String medium, boolean write, boolean random) {}

  private static List<Kind> kinds(String medium) {
    List<Kind> kinds = new ArrayList<>();
    for (boolean write : new boolean[] {false, true}) {
      for (boolean random : new boolean[] {false, true}) {
        kinds.add(new Kind(medium, write, random));
      }
    }
    return kinds;
  }

  private List<DioCurve> measure(Pair pair, String medium, Listener listener) throws IOException {
    boolean disk = medium.equals("disk");
    long file = disk ? sizes.diskBytes : sizes.cachedBytes;
    PageCache pages = disk ? PageCache.PAST : PageCache.WRITES_PAST;
    Pair.How how = new Pair.How(disk ? LITTLE_CACHE : 5 * file, pages, disk, true);
    for (Way way : WAYS) {
      pair.open(way.name(), way, file, how);
    }
    Map<Kind, Map<Way, Map<Integer, List<Double>>>> rates = new LinkedHashMap<>();
    for (int lap = 0; lap < sizes.warmUps + sizes.laps; lap++) {
      for (Kind kind : kinds(medium)) {
        for (int bytes : sizes.requests) {
          for (Way way : WAYS) {
            Traffic.Lap done =
                pair.traffic(way.name(), kind.write, kind.random, bytes, sizes.lapMillis);
            if (lap >= sizes.warmUps) {
              rates
                  .computeIfAbsent(kind, _ -> new LinkedHashMap<>())
                  .computeIfAbsent(way, _ -> new TreeMap<>())
                  .computeIfAbsent(bytes, _ -> new ArrayList<>())
                  .add(done.bytesPerSecond());
            }
          }
        }
        listener.stepped();
      }
    }
    List<DioCurve> curves = new ArrayList<>();
    rates.forEach((kind, ways) -> curves.add(curve(kind, ways)));
    return curves;
  }

  private static DioCurve curve(Kind kind, Map<Way, Map<Integer, List<Double>>> ways) {
    List<DioCurve.Line> lines = new ArrayList<>();
    ways.forEach(
        (way, sizes) -> {
          TreeMap<Integer, Double> medians = new TreeMap<>();
          sizes.forEach((bytes, laps) -> medians.put(bytes, median(laps)));
          lines.add(new DioCurve.Line(way.label(), medians));
        });
    return new DioCurve(kind.medium, kind.write, kind.random, lines);
  }

  private static double median(List<Double> laps) {
    return new Series(laps.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }
}
