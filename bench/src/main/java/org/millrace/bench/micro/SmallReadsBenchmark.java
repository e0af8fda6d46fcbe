package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.Allocations;
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

/** Small cached reads at random offsets: how many in a second, and what one of them allocates. */
final class SmallReadsBenchmark implements Bench.Benchmark {

  private static final int LENGTH = 64;
  private static final double PER_CORE = 2e6;

  /** What the value of an access takes, where the JIT does not leave it out. */
  private static final int ACCESS_BYTES = 64;

  @Override
  public String name() {
    return "small";
  }

  @Override
  public int steps() {
    return 4;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (CachedFile cached = new CachedFile(bench, name())) {
      bench.step();
      for (int ranks = 1; ranks <= 2; ranks++) {
        rows.add(race(bench, cached, ranks));
        bench.step();
      }
      rows.add(allocated(bench, cached, LENGTH, "64-byte reads, allocated, one stripe unit"));
      rows.add(allocated(bench, cached, 1, "64-byte reads, allocated, any offset"));
      bench.step();
    }
    return rows;
  }

  private Row race(Bench bench, CachedFile cached, int ranks) throws IOException {
    Sizes sizes = bench.sizes();
    Race race = new Race(bench.env(), ranks, 2, sizes.warmUps(), sizes.laps());
    cached
        .cluster()
        .run(
            ranks,
            rank -> {
              try (SharedFile file = rank.open(CachedFile.NAME, OpenOptions.read())) {
                MemorySegment memory = cached.memory();
                MemorySegment into = cached.buffer(LENGTH);
                race.run(
                    rank,
                    List.of(
                        new Reads(sizes, into, memory, at -> copy(memory, at, into)),
                        new Reads(sizes, into, memory, at -> file.at(at).read(into))));
              }
            });
    int cores = Math.min(ranks, Runtime.getRuntime().availableProcessors());
    String what = "64-byte reads per core, " + ranks + (ranks == 1 ? " rank" : " ranks");
    Series perCore = race.series(1).times(1.0 / cores);
    Series limit = race.series(0).times(1.0 / cores);
    return Row.of(name(), what, perCore, Unit.PER_SECOND, limit, Target.atLeast(PER_CORE))
        .withNote("limit: the same copies in plain memory");
  }

  private static long copy(MemorySegment memory, long at, MemorySegment into) {
    MemorySegment.copy(memory, at, into, 0, LENGTH);
    return LENGTH;
  }

  /**
   * What a read allocates when everything is warm, at offsets that are multiples of {@code step}.
   */
  private Row allocated(Bench bench, CachedFile cached, int step, String what) throws IOException {
    int reads = bench.sizes().smallReads();
    double[] perRead = new double[1];
    cached
        .cluster()
        .run(
            1,
            rank -> {
              try (SharedFile file = rank.open(CachedFile.NAME, OpenOptions.read())) {
                MemorySegment into = cached.buffer(LENGTH);
                readMany(file, into, reads, step); // warms up
                long before = Allocations.total();
                readMany(file, into, reads, step);
                perRead[0] = (double) (Allocations.total() - before) / reads;
              }
            });
    return Row.of(name(), what, perRead[0], Unit.BYTES_PER_OPERATION, Target.atMost(ACCESS_BYTES))
        .withNote("all threads of the JVM, " + reads + " reads");
  }

  private static void readMany(SharedFile file, MemorySegment into, int reads, int step)
      throws IOException {
    Places places = new Places(step, 0, (file.size() - LENGTH) / step + 1);
    for (int i = 0; i < reads; i++) {
      file.at(places.next() * step).read(into);
    }
  }

  /** Reads at one place; returns how many bytes there were. */
  private interface Read {
    long at(long place) throws IOException;
  }

  private record Reads(Sizes sizes, MemorySegment into, MemorySegment memory, Read read)
      implements Race.Phase {

    @Override
    public long run(Rank rank, int lap) throws IOException {
      Places places = places(rank, lap);
      long bytes = 0;
      for (int i = 0; i < sizes.smallReads(); i++) {
        bytes += read.at(places.next());
      }
      return bytes / LENGTH;
    }

    /** Some of the same reads again, with a look at what came. */
    @Override
    public void after(Rank rank, int lap) throws IOException {
      Places places = places(rank, lap);
      for (int i = 0; i < sizes.smallReads(); i += 10) {
        long place = places.next();
        into.fill((byte) 0);
        read.at(place);
        Content.checkSame(into, memory.asSlice(place, LENGTH), place);
      }
    }

    private Places places(Rank rank, int lap) {
      return new Places(lap * 31L + rank.number(), 0, memory.byteSize() - LENGTH + 1);
    }
  }
}
