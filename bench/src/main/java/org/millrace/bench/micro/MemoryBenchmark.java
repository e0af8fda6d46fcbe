package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.millrace.Cluster;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.bench.measure.Allocations;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Sizes;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;

/** What things cost in memory: planning with a view of very many runs, and the cache. */
final class MemoryBenchmark implements Bench.Benchmark {

  private static final int SIDE = 1000;
  private static final int SAMPLES = 64;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public int steps() {
    return 2;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    rows.add(planning());
    rows.add(access(bench));
    bench.step();
    rows.add(cache(bench));
    bench.step();
    return rows;
  }

  /** Every other element of every other row of every other plane: 10^9 runs of eight bytes. */
  private static View view() {
    long row = 2L * SIDE * Long.BYTES;
    long plane = 2 * SIDE * row;
    Pattern elements = Pattern.loop(SIDE, 2 * Long.BYTES, Pattern.run(Long.BYTES));
    Pattern rows = Pattern.loop(SIDE, 2 * row, elements);
    Pattern planes = Pattern.loop(SIDE, 2 * plane, rows);
    Content.checkEqual("runs", 0, planes.runCount(), (long) SIDE * SIDE * SIDE);
    return new View(0, planes, 2 * SIDE * plane);
  }

  private Row planning() {
    plan(); // classes that are loaded are no cost of the view
    long before = Allocations.total();
    plan();
    long bytes = Allocations.total() - before;
    return Row.of(
            name(),
            "plan with a view of 10^9 runs",
            (double) bytes,
            Unit.BYTES,
            Target.atMost(64 << 10))
        .withNote("all threads of the JVM");
  }

  /** Makes the view and its first runs on each strand, in the middle of it. */
  private static void plan() {
    View view = view();
    Layout layout = Layout.forFile(1, 64 << 10, Bench.NODES, Bench.NODES);
    long size = view.tile().size();
    if (!view.isDisjoint() || view.positionOf(view.offsetOf(size / 2)) != size / 2) {
      throw new WrongResultException("the view of 10^9 runs is not what it should be");
    }
    for (int strand = 0; strand < layout.strands(); strand++) {
      StrandRuns runs = StrandRuns.of(layout, strand, view, size / 2, size);
      for (int i = 0; i < SIDE && runs.next(); i++) {
        long offset = layout.fileOffset(strand, runs.offset());
        Content.checkEqual("run", offset, view.offsetOf(runs.position()), offset);
      }
    }
  }

  /** One access through the view, deep in a file that is one large hole. */
  private Row access(Bench bench) throws IOException {
    View view = view();
    long bytes = 64 << 10;
    long position = view.tile().size() / 2;
    long[] allocated = new long[1];
    try (Cluster cluster = bench.cluster("holes", ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            MemorySegment memory = Arena.ofAuto().allocate(bytes);
            try (SharedFile file = rank.open("holes", OpenOptions.create())) {
              file.resize(view.tileExtent());
              for (int i = 0; i < 2; i++) { // the second counts
                long before = Allocations.total();
                file.setView(view);
                memory.fill((byte) 1);
                Content.checkEqual("bytes", position, file.at(position).read(memory), bytes);
                allocated[0] = Allocations.total() - before;
              }
              Content.checkSame(memory, MemorySegment.ofArray(new byte[(int) bytes]), position);
            }
          });
    }
    String what = "set that view and read 64 KiB";
    return Row.of(name(), what, (double) allocated[0], Unit.BYTES, Target.atMost(64 << 10));
  }

  /** The most memory that blocks took while a file of many times the cache's size went through. */
  private Row cache(Bench bench) throws IOException {
    Sizes sizes = bench.sizes();
    long setting = Math.max(1 << 20, sizes.fileBytes() / 64);
    long[] peak = new long[1];
    var options = ClusterOptions.DEFAULT.withCacheBytesPerNode(setting);
    try (Arena arena = Arena.ofShared();
        Cluster cluster = bench.cluster("bounded", options)) {
      MemorySegment buffer = arena.allocate(sizes.transferBytes(), 64);
      long every = Math.max(1, sizes.fileBytes() / sizes.transferBytes() / SAMPLES);
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("bounded", OpenOptions.create())) {
              for (int pass = 0; pass < 2; pass++) {
                for (long i = 0; i < sizes.fileBytes() / buffer.byteSize(); i++) {
                  move(file, pass == 0, i * buffer.byteSize(), buffer);
                  if (i % every == 0) {
                    peak[0] = Math.max(peak[0], maxUsedBytes(cluster));
                  }
                }
              }
            }
          });
    }
    double used = (double) peak[0];
    double most = (double) setting;
    return new Row(
        name(),
        "cache of one node, peak",
        OptionalDouble.of(used),
        Unit.BYTES,
        OptionalDouble.of(most),
        OptionalDouble.of(used / most),
        Target.atMost(most),
        "limit: its setting; sampled " + 2 * SAMPLES + " times");
  }

  private static void move(SharedFile file, boolean write, long at, MemorySegment buffer)
      throws IOException {
    if (write) {
      Content.fill(buffer, at, 0);
      file.at(at).write(buffer);
    } else {
      file.at(at).read(buffer);
      Content.check(buffer, at, 0);
    }
  }

  private static long maxUsedBytes(Cluster cluster) throws IOException {
    long most = 0;
    for (Map<String, Long> node : cluster.report()) {
      most = Math.max(most, node.getOrDefault("usedBytes", Long.MAX_VALUE));
    }
    return most;
  }
}
