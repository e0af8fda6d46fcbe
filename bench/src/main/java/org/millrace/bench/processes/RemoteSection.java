package org.millrace.bench.processes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Shown;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.PageCache;

/**
 * One rank's process and one node's: large cached reads and writes beside the raw rate of the
 * socket, or small reads beside a ping-pong. All ways and all limits take turns, lap after lap. No
 * state.
 *
 * @param small which of the two
 */
record RemoteSection(boolean small) implements ProcessSection {

  private static final List<Way> WAYS = List.of(Way.SHARED, Way.UNIX, Way.TCP, Way.TLS);
  private static final int[] LARGE = {64 << 10, 1 << 20, 16 << 20};
  private static final int SMALL_BYTES = 64;
  private static final int STREAM_BYTES = 1 << 20;

  /** Sockets whose frames are summed; a stream that does the same work stands beside them. */
  private static final List<String> WORKED = List.of("unix", "tcp");

  private static final double MIN_SHARE = 0.8;

  /** Laps that differ by less than this on average are of code that is quick. */
  private static final double STEADY = 0.1;

  /** Times the usual number, after which laps are counted as they are. */
  private static final int MAX_WARM_UPS = 3;

  private static final double MAX_TIMES = 2;

  @Override
  public String name() {
    return small ? "small" : "contiguous";
  }

  @Override
  public int steps(Setting setting) {
    return MAX_WARM_UPS * setting.sizes().warmUps() + setting.sizes().laps();
  }

  @Override
  public List<Row> run(Setting setting) throws IOException {
    try (Pair pair = new Pair(setting.dir())) {
      pair.plain();
      long file = setting.sizes().fileBytes();
      for (Way way : WAYS) {
        pair.open(
            way.name(), way, file, new Pair.How(5 * file, PageCache.WRITES_PAST, false, false));
      }
      Laps laps = new Laps(setting.sizes(), pair, new LinkedHashMap<>());
      int most = MAX_WARM_UPS * setting.sizes().warmUps();
      for (int lap = 0;
          lap < most && (lap < setting.sizes().warmUps() || !laps.isSteady());
          lap++) {
        lap(laps, setting);
      }
      laps.counted = true;
      for (int lap = 0; lap < setting.sizes().laps(); lap++) {
        lap(laps, setting);
      }
      return small ? smallRows(laps) : largeRows(laps);
    }
  }

  private void lap(Laps laps, Setting setting) throws IOException {
    laps.begin();
    if (small) {
      laps.small();
    } else {
      laps.large();
    }
    setting.progress().run();
  }

  /** What has come out so far. Used by one thread. */
  private static final class Laps {

    private final ProcessSizes sizes;
    private final Pair pair;
    private final Map<String, List<Double>> numbers;
    private Map<String, Double> last = new LinkedHashMap<>();
    private Map<String, Double> before = new LinkedHashMap<>();
    private boolean counted;

    Laps(ProcessSizes sizes, Pair pair, Map<String, List<Double>> numbers) {
      this.sizes = sizes;
      this.pair = pair;
      this.numbers = numbers;
    }

    void begin() {
      before = last;
      last = new LinkedHashMap<>();
    }

    /** Whether the last lap was as quick as the one before, all in all: then the code is quick. */
    boolean isSteady() {
      double sum = 0;
      for (Map.Entry<String, Double> one : last.entrySet()) {
        Double earlier = before.get(one.getKey());
        if (earlier == null) {
          return false;
        }
        sum += Math.abs(Math.log(one.getValue() / earlier));
      }
      return sum < STEADY * last.size();
    }

    void large() throws IOException {
      for (boolean write : new boolean[] {false, true}) {
        for (String socket : List.of("unix", "tcp", "tls")) {
          note(rawKey(socket, write), stream(socket, write, false, STREAM_BYTES));
        }
        for (String socket : WORKED) {
          for (int bytes : LARGE) {
            note(workedKey(socket, write, bytes), stream(socket, write, true, bytes));
          }
        }
        for (int bytes : LARGE) {
          for (Way way : WAYS) {
            Traffic.Lap lap = pair.traffic(way.name(), write, false, bytes, sizes.lapMillis());
            note(key(way, write, bytes), lap.bytesPerSecond());
          }
        }
      }
    }

    private double stream(String socket, boolean write, boolean work, int bytes)
        throws IOException {
      long count = Math.max(1, sizes.streamBytes() / bytes);
      return pair.stream(socket, new PlainStream.Order(write, work, bytes, count)).bytesPerSecond();
    }

    void small() throws IOException {
      for (TrialWay trial :
          List.of(TrialWay.UNIX, TrialWay.TCP, TrialWay.RING, TrialWay.RING_LOOKING)) {
        note(trial.name(), pair.trial(trial, SMALL_BYTES, sizes.lapMillis()).micros());
      }
      for (Way way : WAYS) {
        Traffic.Lap lap = pair.traffic(way.name(), false, true, SMALL_BYTES, sizes.lapMillis());
        note(key(way, false, SMALL_BYTES), lap.micros());
      }
    }

    private void note(String key, double number) {
      last.put(key, number);
      if (counted) {
        numbers.computeIfAbsent(key, _ -> new ArrayList<>()).add(number);
      }
    }

    Series series(String key) {
      return new Series(
          numbers.getOrDefault(key, List.of()).stream().mapToDouble(Double::doubleValue).toArray());
    }
  }

  private static String rawKey(String socket, boolean write) {
    return "raw " + socket + (write ? " up" : " down");
  }

  private static String workedKey(String socket, boolean write, int bytes) {
    return "worked " + socket + (write ? " up " : " down ") + bytes;
  }

  private static String key(Way way, boolean write, int bytes) {
    return way + (write ? " write " : " read ") + bytes;
  }

  private List<Row> largeRows(Laps laps) {
    List<Row> rows = new ArrayList<>();
    for (boolean write : new boolean[] {false, true}) {
      for (int bytes : LARGE) {
        for (Way way : WAYS) {
          String what =
              "%s, %s, %s".formatted(way.label(), write ? "write" : "read", Shown.bytes(bytes));
          Series limit = laps.series(rawKey(way.socket(), write));
          Series series = laps.series(key(way, write, bytes));
          Target target = bytes < STREAM_BYTES ? Target.NONE : Target.ratio(MIN_SHARE);
          rows.add(
              Row.of(name(), what, series, Unit.BYTES_PER_SECOND, limit, target)
                  .withNote(
                      series.spread(Unit.BYTES_PER_SECOND)
                          + beside(laps, way, write, bytes, series)));
        }
      }
    }
    return rows;
  }

  /** The same bytes as a stream with the same work, and what share of it requests have. */
  private static String beside(Laps laps, Way way, boolean write, int bytes, Series series) {
    if (way == Way.SHARED || !WORKED.contains(way.socket())) {
      return "";
    }
    Series worked = laps.series(workedKey(way.socket(), write, bytes));
    return String.format(
        Locale.ROOT,
        "; %.2f of a stream with sums and copies, %s",
        series.ratioTo(worked),
        Unit.BYTES_PER_SECOND.format(worked.median()));
  }

  private List<Row> smallRows(Laps laps) {
    List<Row> rows = new ArrayList<>();
    rows.add(ring("ring, looks then sleeps: ping-pong", laps.series(TrialWay.RING.name())));
    rows.add(
        ring("ring, looks all the time: ping-pong", laps.series(TrialWay.RING_LOOKING.name())));
    for (Way way : WAYS) {
      TrialWay limit = way.socket().equals("unix") ? TrialWay.UNIX : TrialWay.TCP;
      Series series = laps.series(key(way, false, SMALL_BYTES));
      Target target = way == Way.TLS ? Target.NONE : Target.ratioAtMost(MAX_TIMES);
      String what = way.label() + ", read 64 B";
      rows.add(
          Row.of(name(), what, series, Unit.MICROSECONDS, laps.series(limit.name()), target)
              .withNote(series.spread(Unit.MICROSECONDS)));
    }
    return rows;
  }

  private Row ring(String what, Series micros) {
    return Row.of(name(), what, micros.median(), Unit.MICROSECONDS, Target.NONE);
  }
}
