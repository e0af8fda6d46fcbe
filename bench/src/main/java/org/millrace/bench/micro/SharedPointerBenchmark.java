package org.millrace.bench.micro;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
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
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Records that four ranks write by their shared pointer, in no order (M_LOG) and in order of rank
 * (M_SYNC). Every lap starts at the begin of the file again, so that the path is measured and not
 * the disk. Each record says who wrote it in which lap; afterwards each must be there once, whole.
 */
public final class SharedPointerBenchmark implements Bench.Benchmark {

  private static final int RANKS = 4;

  @Override
  public String name() {
    return "shared";
  }

  @Override
  public int steps() {
    return 3;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    int appends = bench.sizes().appends();
    int rounds = bench.sizes().rounds();
    List<Row> rows = new ArrayList<>();
    rows.add(
        row("M_LOG appends of 64 B, 4 ranks", race(bench, Mode.SHARED, 64, appends), 1_000_000));
    bench.step();
    rows.add(
        row(
            "M_LOG appends of 1 KiB, 4 ranks",
            race(bench, Mode.SHARED, 1024, appends / 4),
            600_000));
    bench.step();
    Series calls = race(bench, Mode.ORDERED, 64, rounds);
    rows.add(row("M_SYNC rounds of 4 ranks, 64 B", calls.times(1.0 / RANKS), 50_000));
    bench.step();
    return rows;
  }

  private Row row(String what, Series series, double target) {
    return Row.of(name(), what, series.median(), Unit.PER_SECOND, Target.atLeast(target));
  }

  private Series race(Bench bench, Mode mode, int bytes, int records) throws IOException {
    Sizes sizes = bench.sizes();
    Race race = new Race(bench.env(), RANKS, 1, sizes.warmUps(), sizes.laps());
    long all = (long) RANKS * records * bytes;
    String where = mode.name() + "-" + bytes;
    try (Arena arena = Arena.ofShared();
        Cluster cluster = bench.cluster(where, Bench.cacheFor(all))) {
      cluster.run(
          RANKS,
          rank -> {
            try (SharedFile file = rank.open("log", OpenOptions.create().withMode(mode))) {
              MemorySegment record = arena.allocate(bytes, 64);
              race.run(rank, List.of(new Writes(file, mode, record, records)));
            }
          });
    }
    return race.series(0);
  }

  /** A lap of writes by one rank, and the check of all. */
  public record Writes(SharedFile file, Mode mode, MemorySegment record, int records)
      implements Race.Phase {

    private static final int READ_AT_ONCE = 256;

    @Override
    public void before(Rank rank, int lap) throws IOException {
      record.fill((byte) (rank.number() * 64 + lap));
      record.set(JAVA_LONG, 8, lap * 8L + rank.number());
      if (mode != Mode.SHARED || rank.number() == 0) {
        file.seek(0);
      }
    }

    @Override
    public long run(Rank rank, int lap) throws IOException {
      for (int i = 0; i < records; i++) {
        record.set(JAVA_LONG, 0, i);
        file.write(record);
      }
      return records;
    }

    @Override
    public void after(Rank rank, int lap) throws IOException {
      if (rank.number() != 0) {
        return;
      }
      int all = records * rank.size();
      long bytes = record.byteSize();
      Content.checkEqual("size", 0, file.size(), all * bytes);
      Content.checkEqual("pointer", 0, file.sharedPosition(), all * bytes);
      BitSet seen = new BitSet(all);
      MemorySegment many = MemorySegment.ofArray(new long[(int) (READ_AT_ONCE * bytes / 8)]);
      for (int i = 0; i < all; i++) {
        int in = i % READ_AT_ONCE;
        if (in == 0) {
          file.at(i * bytes).read(many);
        }
        check(many.asSlice(in * bytes, bytes), i, lap, rank.size(), seen);
      }
    }

    private void check(MemorySegment one, int place, int lap, int ranks, BitSet seen) {
      int number = (int) one.get(JAVA_LONG, 0);
      long writer = one.get(JAVA_LONG, 8) - lap * 8L;
      if (number < 0 || number >= records || writer < 0 || writer >= ranks) {
        throw new WrongResultException("no record of lap " + lap + " at record " + place);
      }
      long body = (0x0101010101010101L * ((writer * 64 + lap) & 0xff));
      for (long at = 16; at < one.byteSize(); at += Long.BYTES) {
        Content.checkEqual("body of record", place, one.get(JAVA_LONG, at), body);
      }
      int id = number * ranks + (int) writer;
      if (seen.get(id)) {
        throw new WrongResultException("record " + place + " is there twice");
      }
      seen.set(id);
      if (mode == Mode.ORDERED) {
        Content.checkEqual("order of records", place, id, place);
      }
    }
  }
}
