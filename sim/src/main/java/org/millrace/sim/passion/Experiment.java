package org.millrace.sim.passion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.env.SeededEnv;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.sim.disk.LeanDisk;
import org.millrace.sim.disk.SizeOnlyFile;

/**
 * One array in a file on the disks of a {@link Delta}, made once, and readings of it one after the
 * other, each with cold caches. The bytes are all zero: no part of the file system looks at them.
 *
 * <p>Used by one platform thread.
 */
final class Experiment {

  /** Bytes of an element: a Fortran real. */
  static final int ELEMENT = 4;

  /**
   * Requests of one reading. If there would be more, only the first columns are read, and half as
   * many: the difference of the two is what each further column takes.
   */
  static final long MAX_RUNS = 700_000;

  private static final String FILE = "array";

  // constant after construction
  private final long extent;
  private final long maxRuns;
  private final Delta delta;

  // owned by whichever thread runs
  private MemorySegment memory = MemorySegment.NULL;
  private long began;
  private long ended;
  private long moved;

  /** Makes the array, of {@code extent} rows and columns. */
  Experiment(int ranks, long extent, long seed, long maxRuns) {
    this(ranks, extent, seed, maxRuns, Cause.NONE);
  }

  /** Makes the array on a Delta that differs from Millrace's by one thing. */
  Experiment(int ranks, long extent, long seed, long maxRuns, Cause cause) {
    this.extent = extent;
    this.maxRuns = maxRuns;
    List<LeanDisk> contents =
        IntStream.range(0, Delta.DISKS)
            .mapToObj(i -> new LeanDisk("disk " + i, SizeOnlyFile::new))
            .toList();
    delta = new Delta(SeededEnv.of(seed), ranks, contents, cause);
    memory = zeros(extent * Math.ceilDiv(extent, ranks) * ELEMENT);
    run(this::prepare);
  }

  private static MemorySegment zeros(long bytes) {
    return Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  private void run(Program program) {
    delta
        .env()
        .run(
            () -> {
              try {
                delta.run(program);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private GlobalArray open(Rank rank, long columns, OpenOptions how) throws IOException {
    return GlobalArray.openRaw(
        rank, FILE, Shape.columnMajor(extent, columns), ElementType.raw(ELEMENT), 0, how);
  }

  private void prepare(Rank rank) throws IOException {
    Hints direct = Hints.DEFAULT.withStrategy(Strategy.DIRECT);
    try (GlobalArray array =
        open(rank, extent, OpenOptions.create().withBlockSize(Delta.BLOCK).withHints(direct))) {
      Distribution blocks =
          Distribution.of(array.shape(), Grid.of(1, rank.size()), Spread.none(), Spread.block());
      array.writeDistributed(blocks, Local.of(memory, blocks.localShape(rank.number())));
    }
  }

  /** Reads by one method. */
  Outcome read(Workload workload, Method method) {
    long columns = columns(workload, method);
    double lessSeconds = 0;
    if (columns < extent) {
      readColumns(workload, method, columns / 2);
      lessSeconds = seconds();
    }
    Delta.Counts done = readColumns(workload, method, columns);
    double times = (double) extent / columns;
    double perColumn = (seconds() - lessSeconds) / (columns - columns / 2);
    return new Outcome(
        workload,
        method,
        columns,
        seconds() + (extent - columns) * perColumn,
        Math.round(moved * times),
        Math.round(done.diskBytes() * times),
        Math.round(done.reads() * times),
        Math.round(done.messages() * times),
        done.diskNanos() / 1e9 / (seconds() * Delta.DISKS),
        delta.env().traceHash());
  }

  private double seconds() {
    return (ended - began) / 1e9;
  }

  private Delta.Counts readColumns(Workload workload, Method method, long columns) {
    long needed = workload.most(columns) * ELEMENT;
    if (memory.byteSize() < needed) {
      memory = zeros(needed);
    }
    moved = 0;
    List<Delta.Counts> counts = new ArrayList<>();
    run(rank -> read(rank, workload, method, columns, counts));
    return counts.getLast().since(counts.getFirst());
  }

  /** How many columns are read: all, unless each run is a request and they would be too many. */
  private long columns(Workload workload, Method method) {
    double runs = workload.runsPerColumn() * extent;
    if (method != Method.DIRECT || runs <= maxRuns) {
      return extent;
    }
    return Math.max(2, (long) (maxRuns / workload.runsPerColumn()));
  }

  private void read(
      Rank rank, Workload workload, Method method, long columns, List<Delta.Counts> counts)
      throws IOException {
    Hints hints = method.hints(workload.columnElements() * ELEMENT);
    try (GlobalArray array = open(rank, columns, OpenOptions.read().withHints(hints))) {
      rank.barrier();
      if (counts.isEmpty()) { // the first rank that leaves the barrier begins for all
        began = delta.env().nanoTime();
        counts.add(delta.counts());
      }
      long mine = workload.read(array, memory);
      moved += mine;
      rank.barrier();
      if (counts.size() == 1) {
        ended = delta.env().nanoTime();
        counts.add(delta.counts());
      }
    }
  }
}
