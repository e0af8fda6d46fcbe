package org.millrace.heritage.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.env.Work;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.Seeds;

/**
 * Ranks under the seeded scheduler, in virtual time, with disks in memory: a rank is late, and
 * writes are slow ({@link LateTopology}). Each program takes as many courses as there are seeds,
 * each with files of its own, which a later program in the same directory finds again. Under every
 * other seed ranks do not know that they share memory, and messages and copies take time.
 *
 * <p>Used by one test at a time, and by the threads of its program.
 */
final class SeededWorld implements World {

  private static final int SEEDS = 2;
  private static final long PAUSE_NANOS = 1_000_000;

  private static final Map<Work, Long> COSTS =
      Map.of(Work.MESSAGE, 1_000_000L, Work.CACHE, 200_000L, Work.COPY, 1_000L);

  /** Whose files. */
  private record Key(Path directory, long seed) {}

  /** What a program threw. */
  private record Failure(long seed, Throwable cause) {}

  private final Map<Key, List<Disk>> disks = new HashMap<>();
  private volatile @Nullable SeededEnv running;

  @Override
  public void watch(Place place, Programs.Watching program) throws IOException {
    Files.createDirectories(place.directory()); // tests look at it, and it says how long to keep
    disks.keySet().removeIf(key -> !Files.exists(key.directory()));
    List<Failure> failures = new ArrayList<>();
    long[] seeds = Seeds.of(SEEDS);
    for (long seed : seeds) {
      try {
        under(seed, place, program);
      } catch (UncheckedIOException e) {
        failures.add(new Failure(seed, requireNonNull(e.getCause())));
      } catch (RuntimeException | Error e) {
        failures.add(new Failure(seed, e));
      }
    }
    if (!failures.isEmpty()) {
      throwOf(failures.getFirst(), failures.size() == seeds.length);
    }
  }

  /** A failure that is meant comes under all seeds; its type is what a test looks at. */
  private static void throwOf(Failure first, boolean underAll) throws IOException {
    Throwable failure = first.cause();
    String note = "world seeded, " + Seeds.replay(first.seed());
    if (failure instanceof AssertionError || !underAll) {
      throw new AssertionError(note + ": " + failure, failure);
    }
    failure.addSuppressed(new IllegalStateException(note));
    switch (failure) {
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  private void under(long seed, Place place, Programs.Watching program) {
    boolean apart = seed % 2 == 0;
    SeededEnv env = apart ? SeededEnv.of(seed, COSTS) : SeededEnv.of(seed);
    List<Disk> parts = disks(new Key(place.directory(), seed), place.nodes());
    var topology = new LateTopology(env, place.ranks(), !apart);
    running = env;
    try {
      env.run(
          () -> {
            try (RunningCluster cluster =
                RunningCluster.over(
                    topology,
                    parts.getFirst(),
                    parts.subList(1, parts.size()),
                    place.options(),
                    Costs.DEFAULT)) {
              cluster.run(place.ranks(), rank -> program.run(rank, cluster));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } finally {
      running = null;
    }
  }

  /** The coordinator's disk and the nodes'; a cluster that has fewer nodes gets more. */
  private List<Disk> disks(Key key, int nodes) {
    List<Disk> parts = disks.computeIfAbsent(key, _ -> new ArrayList<>());
    while (parts.size() <= nodes) {
      parts.add(new MemoryDisk(parts.isEmpty() ? "coordinator" : "node " + (parts.size() - 1)));
    }
    return parts;
  }

  @Override
  public void pause() {
    SeededEnv env = running;
    if (env == null) {
      throw new IllegalStateException("no program runs");
    }
    LateTopology.sleep(env, PAUSE_NANOS);
  }
}
