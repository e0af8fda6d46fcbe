package org.millrace.bench.grid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Places;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Sizes;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.plan.Hints;

/**
 * IOR's loop over a cluster in one JVM: each rank writes, then reads, all transfers of its blocks
 * in all segments, one call for each transfer, as IOR's offset rule says. Every byte that was read
 * is checked when the time is taken, and so is every byte written.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class IorBenchmark {

  private final Env env;
  private final IorOptions options;

  /** A benchmark with the given options; {@code env} has the clock. */
  public IorBenchmark(Env env, IorOptions options) {
    this.env = env;
    this.options = options;
  }

  /** How many rows there will be. */
  public int steps() {
    return options.repetitions() * ((options.write() ? 1 : 0) + (options.read() ? 1 : 0));
  }

  /** Runs all repetitions; {@code listener} gets each row when it is there. */
  public List<IorRow> run(Consumer<IorRow> listener) throws IOException {
    List<IorRow> rows = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder());
        Arena arena = Arena.ofShared()) {
      Bench bench = new Bench(env, scratch.folder("ior"), Sizes.QUICK, () -> {});
      try (Cluster cluster = bench.cluster("cluster", Bench.cacheFor(options.bytes()))) {
        Times times = new Times();
        cluster.run(
            options.ranks(),
            rank -> {
              Loop loop = new Loop(rank, arena.allocate(options.rankBytes(), 4096), times);
              loop.run(
                  row -> {
                    rows.add(row);
                    listener.accept(row);
                  });
            });
      }
    }
    return rows;
  }

  /**
   * The same bytes in one collective call of all ranks, by every strategy, beside the yardsticks.
   * With a file for each rank, they are one part of a shared file for each.
   */
  public StrategyGrid.Result yardsticks(Consumer<GridRow> listener) throws IOException {
    boolean own = options.filePerProcess();
    long block = own ? options.rankBytes() : options.blockBytes();
    String name = "ior %s x %s B".formatted(own ? 1 : options.segments(), block);
    Workload workload = Workloads.ior(name, options.ranks(), block, own ? 1 : options.segments());
    try (Scratch scratch = new Scratch(options.folder())) {
      Bench bench = new Bench(env, scratch.folder("grid"), Sizes.QUICK, () -> {});
      List<GridRow> rows = new WarmGrid(bench, GridSizes.QUICK, List.of(workload)).run(listener);
      return new StrategyGrid.Result(rows, List.of());
    }
  }

  /** The four instants of each rank. Shared; each rank writes its own. */
  private final class Times {

    private final long[][] at = new long[4][options.ranks()];

    double seconds(int from, int to) {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      for (int r = 0; r < options.ranks(); r++) {
        first = Math.min(first, at[from][r]);
        last = Math.max(last, at[to][r]);
      }
      return Math.max(1, last - first) / 1e9;
    }
  }

  /** One rank's loop. Belongs to the rank's thread. */
  private final class Loop {

    private final Rank rank;
    private final int me;
    private final MemorySegment memory;
    private final Times times;
    private final int[] order;

    Loop(Rank rank, MemorySegment memory, Times times) {
      this.rank = rank;
      this.me = rank.number();
      this.memory = memory;
      this.times = times;
      this.order = order();
    }

    private int[] order() {
      int[] all = new int[options.transfers()];
      for (int i = 0; i < all.length; i++) {
        all[i] = i;
      }
      if (options.random()) {
        for (int i = all.length - 1; i > 0; i--) {
          int j = (int) new Places(me * 1_000_003L + i, 0, i + 1).next();
          int swapped = all[i];
          all[i] = all[j];
          all[j] = swapped;
        }
      }
      return all;
    }

    void run(Consumer<IorRow> listener) throws IOException {
      for (int i = 0; i < options.repetitions(); i++) {
        if (options.write() || i == 0) {
          fill(i);
          IorRow row = phase(true, i, me);
          if (options.write() && me == 0) {
            listener.accept(row);
          }
          checkWritten(i);
        }
        if (options.read()) {
          memory.fill((byte) 0);
          int owner = options.reorder() ? (me + 1) % options.ranks() : me;
          IorRow row = phase(false, i, owner);
          check(version(options.write() ? i : 0, owner), owner);
          if (me == 0) {
            listener.accept(row);
          }
        }
      }
    }

    /** The content differs from repetition to repetition, and from file to file. */
    private long version(int iteration, int owner) {
      return options.filePerProcess() ? (long) iteration * options.ranks() + owner : iteration;
    }

    private void fill(int iteration) {
      for (int t = 0; t < options.transfers(); t++) {
        Content.fill(part(t), options.offset(me, t), version(iteration, me));
      }
    }

    private void check(long version, int owner) {
      for (int t = 0; t < options.transfers(); t++) {
        Content.check(part(t), options.offset(owner, t), version);
      }
    }

    /** Reads again what was written: all ranks their own if that was asked, else rank 0 all. */
    private void checkWritten(int iteration) throws IOException {
      for (int owner = 0; owner < options.ranks(); owner++) {
        if (options.checkWrite() ? owner == me : me == 0) {
          Rank alone = rank.alone();
          try (SharedFile file = alone.open(name(owner), OpenOptions.read())) {
            memory.fill((byte) 0);
            for (int t = 0; t < options.transfers(); t++) {
              file.at(options.offset(owner, t)).read(part(t));
            }
            check(version(iteration, owner), owner);
          }
        }
      }
      rank.barrier();
    }

    private MemorySegment part(int transfer) {
      return memory.asSlice(transfer * options.transferBytes(), options.transferBytes());
    }

    private String name(int owner) {
      return options.filePerProcess() ? "ior." + owner : "ior";
    }

    private IorRow phase(boolean write, int iteration, int owner) throws IOException {
      Rank group = options.filePerProcess() ? rank.alone() : rank;
      OpenOptions how = write ? OpenOptions.create().withTruncate() : OpenOptions.readWrite();
      Hints hints = Hints.DEFAULT.withStrategy(options.strategy());
      rank.barrier();
      times.at[0][me] = env.nanoTime();
      SharedFile file = group.open(name(owner), how.withHints(hints));
      times.at[1][me] = env.nanoTime();
      for (int transfer : order) {
        move(file, write, options.offset(owner, transfer), part(transfer));
      }
      if (write && options.flush()) {
        file.flush();
      }
      times.at[2][me] = env.nanoTime();
      file.close();
      times.at[3][me] = env.nanoTime();
      rank.barrier();
      IorRow row =
          new IorRow(
              write,
              iteration,
              options.bytes(),
              (long) options.transfers() * options.ranks(),
              options.ranks(),
              times.seconds(0, 1),
              times.seconds(1, 2),
              times.seconds(2, 3),
              times.seconds(0, 3));
      rank.barrier();
      return row;
    }

    private void move(SharedFile file, boolean write, long offset, MemorySegment part)
        throws IOException {
      Memory bytes = Memory.of(part);
      long moved;
      if (options.collective()) {
        moved = write ? file.at(offset).all().write(bytes) : file.at(offset).all().read(bytes);
      } else {
        moved = write ? file.at(offset).write(part) : file.at(offset).read(part);
      }
      Content.checkEqual("bytes moved", offset, moved, part.byteSize());
    }
  }
}
