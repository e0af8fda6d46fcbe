package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Places;
import org.millrace.bench.measure.Race;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Sizes;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Large cached transfers at random places, against plain copies between the same places of memory.
 * The ranks write in parts of their own, so that afterwards the file must equal the memory that the
 * plain copies wrote to.
 */
final class ContiguousBenchmark implements Bench.Benchmark {

  private static final Target TARGET = Target.ratio(0.8);

  /**
   * So many times as many laps warm up: what a transfer needs runs a few times for each, and is
   * compiled after some ten thousand.
   */
  private static final int WARM_UPS = 4;

  @Override
  public String name() {
    return "contiguous";
  }

  @Override
  public int steps() {
    return 3;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (CachedFile cached = new CachedFile(bench, name())) {
      bench.step();
      for (int ranks = 1; ranks <= 2; ranks++) {
        rows.addAll(race(bench, cached, ranks));
        cached.check();
        bench.step();
      }
    }
    return rows;
  }

  private List<Row> race(Bench bench, CachedFile cached, int ranks) throws IOException {
    Sizes sizes = bench.sizes();
    Race race = new Race(bench.env(), ranks, 4, WARM_UPS * sizes.warmUps(), sizes.laps());
    cached
        .cluster()
        .run(
            ranks,
            rank -> {
              try (SharedFile file = rank.open(CachedFile.NAME, OpenOptions.readWrite())) {
                race.run(rank, phases(sizes, cached, file));
              }
            });
    String of = ranks == 1 ? ", 1 rank" : ", " + ranks + " ranks";
    String threads = ranks == 1 ? ", 1 thread" : ", " + ranks + " threads";
    Series out = race.series(0);
    Series in = race.series(2);
    Unit unit = Unit.BYTES_PER_SECOND;
    return List.of(
        Row.of(name(), "memory copy out of the set" + threads, out.median(), unit, Target.NONE),
        Row.of(name(), "memory copy into the set" + threads, in.median(), unit, Target.NONE),
        Row.of(name(), "cached read" + of, race.series(1), unit, out, TARGET),
        Row.of(name(), "cached write" + of, race.series(3), unit, in, TARGET));
  }

  private List<Transfers> phases(Sizes sizes, CachedFile cached, SharedFile file) {
    MemorySegment memory = cached.memory();
    MemorySegment buffer = cached.buffer(sizes.transferBytes());
    long length = buffer.byteSize();
    return List.of(
        new Transfers(
            sizes, false, buffer, memory, at -> MemorySegment.copy(memory, at, buffer, 0, length)),
        new Transfers(sizes, false, buffer, memory, at -> file.at(at).read(buffer)),
        new Transfers(
            sizes, true, buffer, memory, at -> MemorySegment.copy(buffer, 0, memory, at, length)),
        new Transfers(sizes, true, buffer, memory, at -> file.at(at).write(buffer)));
  }

  /** Moves a buffer's bytes from or to a place. */
  private interface Move {
    void at(long place) throws IOException;
  }

  /** Moves between one buffer and random places, the same for the limit and for the file. */
  private record Transfers(
      Sizes sizes, boolean write, MemorySegment buffer, MemorySegment memory, Move move)
      implements Race.Phase {

    @Override
    public void before(Rank rank, int lap) {
      if (write) {
        Content.fill(buffer, 0, 1 + lap * 2L + rank.number());
      }
    }

    @Override
    public long run(Rank rank, int lap) throws IOException {
      Places places = places(rank, lap);
      for (int i = 0; i < sizes.transfers(); i++) {
        move.at(places.next());
      }
      return sizes.transfers() * buffer.byteSize();
    }

    @Override
    public void after(Rank rank, int lap) {
      if (!write) {
        Places places = places(rank, lap);
        long last = 0;
        for (int i = 0; i < sizes.transfers(); i++) {
          last = places.next();
        }
        Content.checkSame(buffer, memory.asSlice(last, buffer.byteSize()), last);
        buffer.fill((byte) 0);
      }
    }

    private Places places(Rank rank, int lap) {
      long part = memory.byteSize() / (write ? rank.size() : 1);
      long first = write ? rank.number() * part : 0;
      return new Places(lap * 31L + rank.number(), first, part - buffer.byteSize() + 1);
    }
  }
}
