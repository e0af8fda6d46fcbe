package org.millrace.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * What recordings of a run say of its ranks, in the order of time. Immutable.
 *
 * @param all what the ranks did
 * @param leftOut how much more there was than is kept
 */
record Recorded(List<Stretch> all, long leftOut) {

  private static final long SECOND = 1_000_000_000L;

  /** As many as a page can show. */
  private static final int MAX = 500_000;

  Recorded {
    all = List.copyOf(all);
  }

  /** Reads the recordings of the processes of one run. */
  static Recorded read(List<Path> files) throws IOException {
    List<Stretch> found = new ArrayList<>();
    long leftOut = 0;
    for (Path file : files) {
      try (RecordingFile recording = new RecordingFile(file)) {
        while (recording.hasMoreEvents()) {
          Optional<Stretch> one = stretch(recording.readEvent());
          if (one.isPresent() && found.size() < MAX) {
            found.add(one.get());
          } else if (one.isPresent()) {
            leftOut++;
          }
        }
      }
    }
    found.sort(Comparator.comparingLong(Stretch::from));
    return new Recorded(found, leftOut);
  }

  private static Optional<Stretch> stretch(RecordedEvent event) {
    String name = event.getEventType().getName();
    for (Stretch.Phase phase : Stretch.Phase.values()) {
      if (phase.event().equals(name)) {
        return Optional.of(
            new Stretch(
                phase,
                new Stretch.Lane(event.getLong("group"), event.getInt("rank")),
                event.getString("call"),
                event.getString("file"),
                event.getString("strategy"),
                event.getString("plan"),
                event.getLong("bytes"),
                nanos(event.getStartTime()),
                nanos(event.getEndTime())));
      }
    }
    return Optional.empty();
  }

  private static long nanos(Instant when) {
    return Math.addExact(Math.multiplyExact(when.getEpochSecond(), SECOND), when.getNano());
  }

  /** The ranks, in order. */
  List<Stretch.Lane> lanes() {
    TreeSet<Stretch.Lane> lanes = new TreeSet<>();
    all.forEach(one -> lanes.add(one.lane()));
    return List.copyOf(lanes);
  }

  /** A number from 1 on for each group, whose own is long: that of the session that made it. */
  Map<Long, Integer> groups() {
    Map<Long, Integer> groups = new TreeMap<>();
    lanes().forEach(lane -> groups.putIfAbsent(lane.group(), groups.size() + 1));
    return groups;
  }

  /** When the first of them began. */
  long from() {
    return all.stream().mapToLong(Stretch::from).min().orElse(0);
  }

  /** When the last of them ended. */
  long to() {
    return all.stream().mapToLong(Stretch::to).max().orElse(0);
  }

  /** Only what lies between two instants, at least in part. */
  Recorded between(long begin, long end) {
    return new Recorded(
        all.stream().filter(one -> one.to() >= begin && one.from() <= end).toList(), leftOut);
  }
}
