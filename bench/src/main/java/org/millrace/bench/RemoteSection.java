package org.millrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.disk.PageCache;

/**
 * One rank's process and one node's: large cached reads and writes beside the raw rate of the
 * socket, or small reads beside a ping-pong. All ways and all limits take turns, lap after lap. No
 * state.
 *
 * @param small which of the two
 */
record RemoteSection(boolean small) implements ProcessSection {

  private static final List<Way> WAYS = List.of(Way.SHARED, Way.UNIX, Way.TCP);
  private static final int[] LARGE = {64 << 10, 1 << 20, 16 << 20};
  private static final int SMALL_BYTES = 64;
  private static final int STREAM_BYTES = 1 << 20;
  private static final double LEAST_SHARE = 0.7;
  private static final double MOST_TIMES = 2;

  @Override
  public String name() {
    return small ? "small" : "contiguous";
  }

  @Override
  public int steps(Setting setting) {
    return setting.sizes().warmUps() + setting.sizes().laps();
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
      for (int lap = 0; lap < steps(setting); lap++) {
        laps.counted = lap >= setting.sizes().warmUps();
        if (small) {
          laps.small();
        } else {
          laps.large();
        }
        setting.progress().run();
      }
      return small ? smallRows(laps) : largeRows(laps);
    }
  }

  /** What has come out so far. Used by one thread. */
  private static final class Laps {

    private final ProcessSizes sizes;
    private final Pair pair;
    private final Map<String, List<Double>> numbers;
    private boolean counted;

    Laps(ProcessSizes sizes, Pair pair, Map<String, List<Double>> numbers) {
      this.sizes = sizes;
      this.pair = pair;
      this.numbers = numbers;
    }

    void large() throws IOException {
      for (boolean write : new boolean[] {false, true}) {
        for (String socket : List.of("unix", "tcp")) {
          long count = sizes.streamBytes() / STREAM_BYTES;
          note(
              rawKey(socket, write),
              pair.stream(socket, write, STREAM_BYTES, count).bytesPerSecond());
        }
        for (int bytes : LARGE) {
          for (Way way : WAYS) {
            Traffic.Lap lap = pair.traffic(way.name(), write, false, bytes, sizes.lapMillis());
            note(key(way, write, bytes), lap.bytesPerSecond());
          }
        }
      }
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
          rows.add(
              Row.of(
                  name(),
                  what,
                  laps.series(key(way, write, bytes)),
                  Unit.BYTES_PER_SECOND,
                  limit,
                  bytes < STREAM_BYTES ? Target.NONE : Target.ratio(LEAST_SHARE)));
        }
      }
    }
    return rows;
  }

  private List<Row> smallRows(Laps laps) {
    List<Row> rows = new ArrayList<>();
    rows.add(ring("ring, looks then sleeps: ping-pong", laps.series(TrialWay.RING.name())));
    rows.add(
        ring("ring, looks all the time: ping-pong", laps.series(TrialWay.RING_LOOKING.name())));
    for (Way way : WAYS) {
      TrialWay limit = way == Way.TCP ? TrialWay.TCP : TrialWay.UNIX;
      rows.add(
          Row.of(
              name(),
              way.label() + ", read 64 B",
              laps.series(key(way, false, SMALL_BYTES)),
              Unit.MICROSECONDS,
              laps.series(limit.name()),
              Target.ratioAtMost(MOST_TIMES)));
    }
    return rows;
  }

  private Row ring(String what, Series micros) {
    return Row.of(name(), what, micros.median(), Unit.MICROSECONDS, Target.NONE);
  }
}
