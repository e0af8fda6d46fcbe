package org.millrace.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;

/**
 * A whole file written from begin to end and made durable, and read when neither the system nor
 * Millrace has any of it in memory, against the same with one plain file on the same disk. One rank;
 * plain file and cluster take turns.
 */
final class ColdBenchmark implements Bench.Benchmark {

  private static final Target TARGET = Target.ratio(0.8);
  private static final String FILE = "cold";

  @Override
  public String name() {
    return "cold";
  }

  @Override
  public int steps() {
    return 4;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bench.sizes().coldBytes(), 4096);
      for (boolean direct : new boolean[] {false, true}) {
        rows.addAll(new Turns(bench, memory, direct).rows());
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

    Turns(Bench bench, MemorySegment memory, boolean direct) {
      this.bench = bench;
      this.memory = memory;
      this.transferBytes = bench.sizes().coldTransferBytes();
      this.how = direct ? "direct" : "buffered";
      this.plain = bench.dir().resolve("plain-" + how);
      this.options = ClusterOptions.DEFAULT.withDirect(direct);
      this.limits = new double[bench.sizes().coldLaps()];
      this.rates = new double[limits.length];
    }

    List<Row> rows() throws IOException {
      Row written = write();
      bench.step();
      Row read = read();
      bench.step();
      Files.deleteIfExists(plain);
      return List.of(written, read);
    }

    private Row write() throws IOException {
      try (Cluster cluster = cluster()) {
        for (int lap = 0; lap < limits.length; lap++) {
          Content.fill(memory, 0, lap);
          Files.deleteIfExists(plain);
          if (lap > 0) {
            cluster.run(1, rank -> rank.names().remove(FILE));
          }
          limits[lap] = rate(this::writePlain);
          int now = lap;
          cluster.run(1, rank -> {
            try (SharedFile file = rank.open(FILE, OpenOptions.create().strands(Bench.NODES))) {
              rates[now] = rate(() -> write(file));
            }
          });
        }
      }
      return row("write and flush");
    }

    private Row read() throws IOException {
      int version = limits.length - 1;
      if (bench.sizes().dropsPageCache() && !PageCache.canDrop()) {
        checkAfterwards(version);
        String why = "the page cache cannot be dropped here: needs root on Linux";
        return Row.skipped(name(), what("cold read"), Unit.BYTES_PER_SECOND, TARGET, why);
      }
      for (int lap = 0; lap < limits.length; lap++) {
        memory.fill((byte) 0);
        dropPageCache();
        limits[lap] = rate(this::readPlain);
        Content.check(memory, 0, version);
        memory.fill((byte) 0);
        int now = lap;
        try (Cluster cluster = cluster()) {
          dropPageCache();
          cluster.run(1, rank -> {
            try (SharedFile file = rank.open(FILE, OpenOptions.read())) {
              rates[now] = rate(() -> read(file));
            }
          });
        }
        Content.check(memory, 0, version);
      }
      return row("cold read");
    }

    private void dropPageCache() throws IOException {
      if (bench.sizes().dropsPageCache()) {
        PageCache.drop();
      }
    }

    private void checkAfterwards(int version) throws IOException {
      memory.fill((byte) 0);
      try (Cluster cluster = cluster()) {
        cluster.run(1, rank -> {
          try (SharedFile file = rank.open(FILE, OpenOptions.read())) {
            read(file);
          }
        });
      }
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
        file.writeAt(at, memory.asSlice(at, transferBytes));
      }
      file.flush();
    }

    private void read(SharedFile file) throws IOException {
      for (long at = 0; at < memory.byteSize(); at += transferBytes) {
        long got = file.readAt(at, memory.asSlice(at, transferBytes));
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
