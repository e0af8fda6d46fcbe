package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.DroppedPages;
import org.millrace.bench.measure.FreeMemory;
import org.millrace.bench.measure.PlainFile;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.PageCache;
import org.millrace.client.SharedFile;

/**
 * A whole file written from begin to end and made durable, and read when neither the system nor
 * Millrace has any of it in memory, against the same with one plain file on the same disk. One
 * rank; plain file and cluster take turns.
 */
final class ColdBenchmark implements Bench.Benchmark {

  private static final Target TARGET = Target.ratio(0.8);

  /** How many of the files written last are kept. */
  private static final int FILES = 2;

  private static String file(int version) {
    return "cold-" + version % FILES;
  }

  @Override
  public String name() {
    return "cold";
  }

  @Override
  public int steps() {
    return 6;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bench.sizes().coldBytes(), 4096);
      for (PageCache use : PageCache.values()) {
        rows.addAll(new Turns(bench, memory, use).rows());
      }
    }
    return rows;
  }

  /** Something that is timed with all that belongs to it. */
  private interface Timed {
    void run() throws IOException;
  }

  /** Plain file and cluster in turns, through the page cache or past it. Used by one thread. */
  private final class Turns {

    private final Bench bench;
    private final MemorySegment memory;
    private final int transferBytes;
    private final String how;
    private final Path plain;
    private final ClusterOptions options;
    private final double[] limits;
    private final double[] rates;

    Turns(Bench bench, MemorySegment memory, PageCache use) {
      this.bench = bench;
      this.memory = memory;
      this.transferBytes = bench.sizes().coldTransferBytes();
      this.how =
          switch (use) {
            case THROUGH -> "buffered";
            case WRITES_PAST -> "default";
            case PAST -> "direct";
          };
      this.plain = bench.dir().resolve("plain-" + how);
      this.options = ClusterOptions.DEFAULT.withPageCache(use);
      this.limits = new double[bench.sizes().coldLaps()];
      this.rates = new double[limits.length];
    }

    List<Row> rows() throws IOException {
      List<Row> rows = new ArrayList<>();
      rows.add(write());
      bench.step();
      if (canBeCold()) {
        rows.add(readFresh());
        rows.add(readAgain());
      } else {
        rows.add(skipped());
      }
      bench.step();
      Files.delete(plain);
      Scratch.remove(bench.dir().resolve("cold-" + how));
      return rows;
    }

    private Row write() throws IOException {
      try (Cluster cluster = cluster()) {
        for (int lap = 0; lap < limits.length; lap++) {
          int version = lap;
          Content.fill(memory, 0, version);
          Files.deleteIfExists(plain);
          if (lap >= FILES) {
            cluster.run(1, rank -> rank.names().remove(file(version)));
          }
          limits[lap] = rate(this::writePlain);
          cluster.run(
              1,
              rank -> {
                var create = OpenOptions.create().withStrands(Bench.NODES);
                try (SharedFile file = rank.open(file(version), create)) {
                  rates[version] = rate(() -> write(file));
                }
              });
        }
      }
      return row("write and flush");
    }

    /** The caches of a cluster that was just opened: their memory was never touched before. */
    private Row readFresh() throws IOException {
      int version = limits.length - 1;
      for (int lap = 0; lap < limits.length; lap++) {
        limits[lap] = readPlainCold(version);
        try (Cluster cluster = cluster()) {
          rates[lap] = readCold(cluster, version);
        }
      }
      return row("cold read, cluster just opened");
    }

    /** Two files in turns, of which the caches hold one: what is read is never there. */
    private Row readAgain() throws IOException {
      int newest = limits.length - 1;
      try (Cluster cluster = cluster()) {
        readCold(cluster, newest);
        for (int lap = 0; lap < limits.length; lap++) {
          limits[lap] = readPlainCold(newest);
          rates[lap] = readCold(cluster, Math.max(0, newest - (lap + 1) % FILES));
        }
      }
      return row("cold read, caches in use");
    }

    private double readPlainCold(int version) throws IOException {
      makeCold();
      double rate = rate(this::readPlain);
      Content.check(memory, 0, version);
      return rate;
    }

    private double readCold(Cluster cluster, int version) throws IOException {
      makeCold();
      double[] rate = new double[1];
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open(file(version), OpenOptions.read())) {
              rate[0] = rate(() -> read(file));
            }
          });
      Content.check(memory, 0, version);
      return rate[0];
    }

    private boolean canBeCold() {
      return !bench.sizes().dropsPageCache() || DroppedPages.canDrop();
    }

    private Row skipped() throws IOException {
      try (Cluster cluster = cluster()) {
        readBack(cluster);
      }
      String why = "the page cache cannot be dropped here: needs root on Linux";
      return Row.skipped(name(), what("cold read"), Unit.BYTES_PER_SECOND, TARGET, why);
    }

    /** Nothing is in the system's cache, and there is room for a file in it and in ours. */
    private void makeCold() throws IOException {
      memory.fill((byte) 0);
      if (bench.sizes().dropsPageCache()) {
        DroppedPages.drop();
      }
      FreeMemory.touch(bench.env(), 2 * memory.byteSize());
    }

    private void readBack(Cluster cluster) throws IOException {
      int version = limits.length - 1;
      memory.fill((byte) 0);
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open(file(version), OpenOptions.read())) {
              read(file);
            }
          });
      Content.check(memory, 0, version);
    }

    private Cluster cluster() throws IOException {
      return bench.cluster("cold-" + how, options);
    }

    private double rate(Timed timed) throws IOException {
      long start = bench.env().nanoTime();
      timed.run();
      long nanos = bench.env().nanoTime() - start;
      return memory.byteSize() * 1e9 / Math.max(1, nanos);
    }

    private void writePlain() throws IOException {
      try (PlainFile file = new PlainFile(plain)) {
        file.write(memory, transferBytes);
        file.force();
      }
    }

    private void readPlain() throws IOException {
      try (PlainFile file = new PlainFile(plain)) {
        file.read(memory, transferBytes);
      }
    }

    private void write(SharedFile file) throws IOException {
      for (long at = 0; at < memory.byteSize(); at += transferBytes) {
        file.at(at).write(memory.asSlice(at, transferBytes));
      }
      file.flush();
    }

    private void read(SharedFile file) throws IOException {
      for (long at = 0; at < memory.byteSize(); at += transferBytes) {
        long got = file.at(at).read(memory.asSlice(at, transferBytes));
        Content.checkEqual("bytes read", at, got, transferBytes);
      }
    }

    private String what(String what) {
      return what + ", " + how;
    }

    private Row row(String what) {
      Series limit = new Series(limits);
      Series rate = new Series(rates);
      return Row.of(name(), what(what), rate, Unit.BYTES_PER_SECOND, limit, TARGET)
          .withNote("limit: one plain file");
    }
  }
}
