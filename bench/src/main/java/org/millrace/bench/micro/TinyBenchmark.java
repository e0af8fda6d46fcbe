package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Race;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Sizes;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * What a collective call costs when there is next to nothing to move: 16 ranks, 1 KiB each, side by
 * side in one cached file.
 */
final class TinyBenchmark implements Bench.Benchmark {

  private static final int RANKS = 16;
  private static final int BYTES = 1024;

  /** A call is short and its code long: the JVM goes on compiling it for tens of thousands. */
  private static final int WARMER = 20;

  private static final Target TARGET = Target.atMost(20);

  @Override
  public String name() {
    return "tiny";
  }

  @Override
  public int steps() {
    return 1;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    Sizes sizes = bench.sizes();
    Race race = new Race(bench.env(), RANKS, 2, WARMER * sizes.warmUps(), sizes.laps());
    int calls = Math.max(1, sizes.rounds() / 10);
    try (Arena arena = Arena.ofShared();
        Cluster cluster = bench.cluster("tiny", Bench.cacheFor(1 << 20))) {
      cluster.run(
          RANKS,
          rank -> {
            try (SharedFile file = rank.open("tiny", OpenOptions.create())) {
              MemorySegment memory = arena.allocate(BYTES, 8);
              race.run(
                  rank,
                  List.of(
                      new Phase(file, memory, true, calls), new Phase(file, memory, false, calls)));
            }
          });
    }
    bench.step();
    List<Row> rows = new ArrayList<>();
    rows.add(row("read", race.series(1)));
    rows.add(row("write", race.series(0)));
    return rows;
  }

  /** The series counts the calls of all ranks in a second. */
  private Row row(String op, Series series) {
    double micros = 1e6 * RANKS / series.median();
    String what = "collective " + op + " of 16 ranks, 1 KiB each";
    return Row.of(name(), what, micros, Unit.MICROSECONDS, TARGET);
  }

  private record Phase(SharedFile file, MemorySegment memory, boolean write, int calls)
      implements Race.Phase {

    @Override
    public void before(Rank rank, int lap) {
      if (write) {
        Content.fill(memory, (long) rank.number() * BYTES, lap);
      } else {
        memory.fill((byte) 0);
      }
    }

    @Override
    public long run(Rank rank, int lap) throws IOException {
      Memory part = Memory.of(memory);
      long position = rank.number() * (long) BYTES;
      for (int i = 0; i < calls; i++) {
        long moved =
            write ? file.at(position).all().write(part) : file.at(position).all().read(part);
        Content.checkEqual("bytes moved", position, moved, BYTES);
      }
      return calls;
    }

    @Override
    public void after(Rank rank, int lap) {
      Content.check(memory, (long) rank.number() * BYTES, lap);
    }
  }
}
