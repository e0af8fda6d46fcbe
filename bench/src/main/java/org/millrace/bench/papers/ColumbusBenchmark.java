package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.processes.Team;

/**
 * What the COLUMBUS program did with Shared Files: compressed records of about 30 KB in one file,
 * whose sizes change when they are updated, each update under a lock of the group, in random order
 * by all ranks. Ranks are processes, and each is a node, too, as in the paper's calculation. The
 * same program on strands and on one plain file of the file system; laps take turns. At the end
 * every record is decompressed and compared with what its updates say.
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

  private static final List<String> WAYS = List.of("strands", "plain");
  private static final Sizes FULL = new Sizes(1024, 500, 1, 5);
  private static final Sizes QUICK = new Sizes(128, 100, 1, 3);
  private static final Sizes TINY = new Sizes(7, 10, 0, 1);

  private final ColumbusOptions options;
  private final Sizes sizes;

  /** A benchmark with the given options. */
  public ColumbusBenchmark(ColumbusOptions options) {
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
    try (Scratch scratch = new Scratch(options.folder())) {
      Path plain = scratch.folder("plain").toAbsolutePath().resolve("columbus");
      Path team = scratch.folder("strands").toAbsolutePath();
      Path cluster = Files.createDirectories(team.resolve("cluster"));
      listener.begins(WAYS.size() * (sizes.warmUps + sizes.laps + 1));
      List<String> args =
          List.of(cluster.toString(), plain.toString(), Integer.toString(sizes.records));
      try (Team ranks = new Team(team, cluster, options.ranks(), ColumbusProcess.class, args)) {
        ranks.ask("ready");
        return measure(ranks, listener);
      }
    }
  }

  private List<ColumbusResult> measure(Team ranks, Listener listener) throws IOException {
    List<List<ColumbusResult>> counted = List.of(new ArrayList<>(), new ArrayList<>());
    int laps = sizes.warmUps + sizes.laps;
    for (int lap = 0; lap < laps; lap++) {
      for (int way = 0; way < WAYS.size(); way++) {
        String order = "lap %s %s %s".formatted(WAYS.get(way), lap, sizes.updates);
        ColumbusResult result = ColumbusResult.parse(ranks.ask(order));
        listener.stepped();
        if (lap >= sizes.warmUps) {
          counted.get(way).add(result);
        }
      }
    }
    for (String way : WAYS) {
      ranks.ask("verify %s %s %s".formatted(way, laps, sizes.updates));
      listener.stepped();
    }
    return counted.stream().map(ColumbusBenchmark::median).toList();
  }

  private static ColumbusResult median(List<ColumbusResult> laps) {
    return laps.stream()
        .sorted(Comparator.comparingLong(ColumbusResult::nanos))
        .toList()
        .get(laps.size() / 2);
  }
}
