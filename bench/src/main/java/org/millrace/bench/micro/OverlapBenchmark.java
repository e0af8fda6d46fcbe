package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.millrace.Cluster;
import org.millrace.bench.grid.ArraySlice;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Busy;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.PageCache;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Whether asynchronous collective calls go on while ranks compute: computing alone, a collective
 * read alone, both at once. The share of the shorter one that the other hid is what overlapped.
 *
 * <p>Where data must come from the disk, nothing is in memory: two files are read in turns, past
 * the page cache, and the caches hold one. Where they are cached, a collective read is copying, and
 * can be hidden only if there is a core that nobody computes on.
 */
final class OverlapBenchmark implements Bench.Benchmark {

  private static final Target TARGET = Target.atLeast(0.5);
  private static final int ROWS = 512;
  private static final int FILES = 2;

  @Override
  public String name() {
    return "overlap";
  }

  @Override
  public int steps() {
    return 3;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    int cores = Runtime.getRuntime().availableProcessors();
    rows.add(new Turns(bench, 1, false).row(cores > 1 ? TARGET : Target.NONE));
    bench.step();
    rows.add(new Turns(bench, cores, false).row(Target.NONE));
    bench.step();
    rows.add(new Turns(bench, cores, true).row(TARGET));
    bench.step();
    return rows;
  }

  /** Computing, reading, both, lap after lap. Shared by its ranks; each has its own times. */
  private final class Turns {

    private final Bench bench;
    private final int ranks;
    private final boolean cold;
    private final long rankBytes;
    private final long[][] starts;
    private final long[][] ends;
    private final double[] shares;
    private final double[][] millis;

    // of rank 0, between barriers
    private long work = 1 << 20;

    Turns(Bench bench, int ranks, boolean cold) {
      this.bench = bench;
      this.ranks = ranks;
      this.cold = cold;
      long bytes = Math.max(bench.sizes().fileBytes() / 4, (long) ROWS * ranks * Long.BYTES);
      this.rankBytes = bytes / ranks / ROWS / Long.BYTES * ROWS * Long.BYTES;
      this.starts = new long[3][ranks];
      this.ends = new long[3][ranks];
      this.shares = new double[bench.sizes().laps()];
      this.millis = new double[3][shares.length];
    }

    Row row(Target target) throws IOException {
      long perNode = Math.max(1 << 20, rankBytes * ranks / Bench.NODES);
      ClusterOptions options =
          cold
              ? ClusterOptions.DEFAULT.withPageCache(PageCache.PAST).withCacheBytesPerNode(perNode)
              : Bench.cacheFor(FILES * rankBytes * ranks);
      String folder = "overlap-" + ranks + (cold ? "-cold" : "-warm");
      try (Arena arena = Arena.ofShared();
          Cluster cluster = bench.cluster(folder, options)) {
        cluster.run(ranks, rank -> rank(rank, arena.allocate(rankBytes, 4096)));
      }
      String what =
          "overlapped, %s computing %s, %s"
              .formatted(ranks, ranks == 1 ? "rank" : "ranks", cold ? "from disk" : "cached");
      return Row.of(name(), what, new Series(shares).median(), Unit.SHARE, target)
          .withNote(
              String.format(
                  Locale.ROOT,
                  "computing %.1f ms, reading %.1f ms, both %.1f ms",
                  median(0),
                  median(1),
                  median(2)))
          .withNote(Busy.ofOverlap(shares, millis));
    }

    private double median(int phase) {
      return new Series(millis[phase]).median();
    }

    private void rank(Rank rank, MemorySegment memory) throws IOException {
      int me = rank.number();
      List<SharedFile> files = new ArrayList<>();
      for (int f = 0; f < FILES; f++) {
        SharedFile file = rank.open("file-" + f, OpenOptions.create().withStrands(Bench.NODES));
        Workload.Part part = part(me);
        file.setView(part.access().view());
        Content.fill(memory, me * rankBytes, f);
        file.all().write(Memory.of(memory));
        file.flush();
        files.add(file);
      }
      int laps = bench.sizes().warmUps() + shares.length;
      int turn = 0;
      for (int lap = 0; lap < laps; lap++) {
        for (int phase = 0; phase < 3; phase++) {
          int which = turn % FILES;
          memory.fill((byte) 0);
          files.get(which).seek(0);
          rank.barrier();
          starts[phase][me] = bench.env().nanoTime();
          CompletableFuture<Long> read =
              phase == 0 ? null : files.get(which).all().readAsync(Memory.of(memory));
          if (phase != 1) {
            compute(work, me);
          }
          if (read != null) {
            Content.checkEqual("bytes read", me, join(read), rankBytes);
          }
          ends[phase][me] = bench.env().nanoTime();
          rank.barrier();
          if (read != null) {
            Content.check(memory, me * rankBytes, which);
            turn++;
          }
        }
        if (me == 0) {
          note(lap - bench.sizes().warmUps());
        }
        rank.barrier();
      }
      for (SharedFile file : files) {
        file.close();
      }
    }

    /** Each rank has some rows of a column-major array: many pieces, all over the file. */
    private Workload.Part part(int rank) {
      ArraySlice.Axis rows = new ArraySlice.Axis((long) ROWS * rank, ROWS, 1);
      long columns = rankBytes / ROWS / Long.BYTES;
      return new ArraySlice(Long.BYTES, (long) ROWS * ranks, rows, ArraySlice.Axis.all(columns))
          .part();
    }

    private void note(int lap) {
      double compute = nanos(0);
      double read = nanos(1);
      double both = nanos(2);
      if (lap >= 0) {
        double hidden = (compute + read - both) / Math.min(compute, read);
        shares[lap] = Math.max(0, hidden);
        for (int phase = 0; phase < 3; phase++) {
          millis[phase][lap] = nanos(phase) / 1e6;
        }
      } else {
        work = Math.max(1, (long) (work * read / compute)); // as long as reading takes
      }
    }

    private double nanos(int phase) {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      for (int r = 0; r < ranks; r++) {
        first = Math.min(first, starts[phase][r]);
        last = Math.max(last, ends[phase][r]);
      }
      return Math.max(1, last - first);
    }
  }

  private static long join(CompletableFuture<Long> read) throws IOException {
    try {
      return read.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw e;
    }
  }

  /** Keeps a core busy; each step needs the one before. */
  private static void compute(long steps, long seed) {
    long value = seed;
    for (long i = 0; i < steps; i++) {
      value = Content.mix(value);
    }
    if (value == 42) {
      throw new WrongResultException("computed 42"); // so that it is computed at all
    }
  }
}
