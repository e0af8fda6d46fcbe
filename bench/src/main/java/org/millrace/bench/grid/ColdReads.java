package org.millrace.bench.grid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.DroppedPages;
import org.millrace.bench.measure.PlainFile;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Strategy;

/**
 * Workloads that read all of a file, when neither the system nor Millrace has any of it in memory,
 * against one thread that reads the same bytes from begin to end with large reads.
 *
 * <p>Millrace's caches hold one of two files, which are read in turns: what is read is never there,
 * but the caches' memory has been used before, as in a program that has run for a while. Used once,
 * by one thread.
 */
public final class ColdReads {

  private static final Target TARGET = Target.ratio(0.9);
  private static final int TRANSFER_BYTES = 4 << 20;
  private static final String[] NAMES = {"cold-0", "cold-1"};

  private final Bench bench;
  private final GridSizes sizes;
  private final List<Workload> workloads;
  private final long fileBytes;
  private final int ranks;

  /** Reads workloads of the same number of ranks. */
  public ColdReads(Bench bench, GridSizes sizes, List<Workload> workloads) {
    this.bench = bench;
    this.sizes = sizes;
    this.workloads = workloads;
    this.fileBytes = workloads.stream().mapToLong(Workload::fileBytes).max().orElseThrow();
    this.ranks = workloads.getFirst().ranks();
  }

  /** Whether all ranks together read all of the file once. */
  public static boolean isWhole(Workload workload) {
    return workload.size() == workload.fileBytes()
        && workload.ops() == Workload.Ops.READ_AND_WRITE
        && !workload.name().startsWith("overlap");
  }

  /** A row for each workload and strategy; {@code listener} hears of each. */
  public List<Row> run(Consumer<Row> listener) throws IOException {
    List<Row> rows = new ArrayList<>();
    if (sizes.dropsPageCache() && !DroppedPages.canDrop()) {
      for (Workload workload : workloads) {
        String why = "the page cache cannot be dropped here: needs root on Linux";
        add(
            rows,
            listener,
            Row.skipped("cold", what(workload), Unit.BYTES_PER_SECOND, TARGET, why));
      }
      return rows;
    }
    Path path = bench.dir().resolve("plain");
    ClusterOptions options =
        ClusterOptions.DEFAULT.withCacheBytesPerNode(
            Math.max(1 << 20, Math.ceilDiv(fileBytes, Bench.NODES)));
    try (Arena arena = Arena.ofShared();
        PlainFile plain = new PlainFile(path);
        Cluster cluster = bench.cluster("cluster", options)) {
      MemorySegment buffer = arena.allocate(fileBytes, 4096);
      RankMemory memory = new RankMemory(arena, fileBytes);
      fill(arena, plain, cluster, buffer);
      for (Workload workload : workloads) {
        add(rows, listener, row(workload, plain, cluster, buffer, memory));
      }
    }
    return rows;
  }

  private void add(List<Row> rows, Consumer<Row> listener, Row row) {
    rows.add(row);
    listener.accept(row);
    bench.step();
  }

  private String what(Workload workload) {
    return workload.name() + ", " + ranks + " ranks";
  }

  private void fill(Arena arena, PlainFile plain, Cluster cluster, MemorySegment buffer)
      throws IOException {
    FileModel model = new FileModel(arena, fileBytes);
    model.write((at, part) -> MemorySegment.copy(part, 0, buffer, at, part.byteSize()));
    plain.write(buffer, TRANSFER_BYTES);
    plain.force();
    cluster.run(
        1,
        rank -> {
          for (String name : NAMES) {
            try (SharedFile file = rank.open(name, sizes.making())) {
              model.write((at, part) -> file.at(at).write(part));
            }
          }
        });
  }

  private Row row(
      Workload workload, PlainFile plain, Cluster cluster, MemorySegment buffer, RankMemory memory)
      throws IOException {
    int laps = sizes.coldLaps();
    double[] limits = new double[laps];
    double[] rates = new double[laps];
    long[] starts = new long[ranks];
    long[] ends = new long[ranks];
    memory.lay(workload);
    cluster.run(
        ranks,
        rank -> {
          int me = rank.number();
          memory.fill(me);
          try (StrategyMethod first = auto(rank, workload, memory, NAMES[0]);
              StrategyMethod second = auto(rank, workload, memory, NAMES[1])) {
            Method.Call call = new Method.Call(false, false, 1, 1);
            second.run(me, call); // so that the first is in nobody's memory
            for (int lap = 0; lap < laps; lap++) {
              rank.barrier();
              if (me == 0) {
                limits[lap] = sequential(plain, buffer);
                drop();
              }
              memory.poison(me);
              rank.barrier();
              starts[me] = bench.env().nanoTime();
              (lap % 2 == 0 ? first : second).run(me, call);
              ends[me] = bench.env().nanoTime();
              rank.barrier();
              if (me == 0) {
                rates[lap] = rate(starts, ends);
              }
              memory.check(me, workload.parts().get(me).size());
            }
          }
        });
    return Row.of(
            "cold",
            what(workload),
            new Series(rates),
            Unit.BYTES_PER_SECOND,
            new Series(limits),
            TARGET)
        .withNote("limit: one thread, one file, from begin to end");
  }

  private static StrategyMethod auto(Rank rank, Workload workload, RankMemory memory, String name)
      throws IOException {
    StrategyMethod method = new StrategyMethod(rank, Strategy.AUTO, memory, name);
    method.lay(workload.parts().get(rank.number()));
    return method;
  }

  private double sequential(PlainFile plain, MemorySegment buffer) throws IOException {
    drop();
    long start = bench.env().nanoTime();
    plain.read(buffer, TRANSFER_BYTES);
    return fileBytes * 1e9 / Math.max(1, bench.env().nanoTime() - start);
  }

  private void drop() throws IOException {
    if (sizes.dropsPageCache()) {
      DroppedPages.drop();
    }
  }

  private double rate(long[] starts, long[] ends) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int r = 0; r < starts.length; r++) {
      first = Math.min(first, starts[r]);
      last = Math.max(last, ends[r]);
    }
    return fileBytes * 1e9 / Math.max(1, last - first);
  }
}
