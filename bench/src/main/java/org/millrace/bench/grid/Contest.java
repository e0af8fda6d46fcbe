package org.millrace.bench.grid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.env.Env;

/**
 * All methods on one workload in one direction, in turns, lap after lap, so that what slows the
 * machine down for a while slows all of them. A lap lasts from the first rank's start to the last
 * one's end. What was read is compared after each lap, the whole file once after each method's last
 * write; neither is timed.
 *
 * <p>Shared by the ranks. Each writes its own times; everything else is rank 0's, between barriers.
 */
final class Contest {

  /** Smaller requests are not tried in part first. */
  private static final long TRIED_BYTES = 1 << 20;

  private static final double TRIED_SHARE = 1.0 / 64;
  private static final int TRIES = 3;

  /** A request is left out if its small part says that it takes so many budgets. */
  private static final double MAX_BUDGETS = 4;

  private static final int MAX_TIMES = 64;

  /** Laps of short calls, at most; and so many of them are warm-ups more. */
  private static final int MAX_LAPS = 25;

  private static final int LAPS_FOR_A_WARM_UP = 3;

  /** Checks the files, for rank 0. */
  interface FileCheck {

    /** Throws unless the whole file is as it was, with the workload's bytes as last written. */
    void check(Method method, boolean complement) throws IOException;

    /** Throws unless that much of each rank's bytes was written by calls that stopped early. */
    void checkPart(boolean complement) throws IOException;

    /** Bytes of a rank that calls which stopped early moved. */
    long bytesDone(int rank);
  }

  /** What one method has done so far. */
  private static final class Column {

    private final List<Double> laps = new ArrayList<>();
    private final String name;
    private Cell.How how = Cell.How.MEASURED;
    private int times = 1;
    private double estimate = Double.MAX_VALUE;
    private double spent;
    private double last;
    private boolean over;
    private double share = 1;

    Column(String name) {
      this.name = name;
    }
  }

  // constant after construction
  private final Env env;
  private final GridSizes sizes;
  private final Workload workload;
  private final boolean write;
  private final RankMemory memory;
  private final FileCheck files;
  private final long[] starts;
  private final long[] ends;
  private final List<Column> columns = new ArrayList<>();

  // of rank 0, between barriers: which content the plain and the cluster's file hold
  private final boolean[] complements = new boolean[2];
  private int warmUps;
  private int laps;

  Contest(
      Env env,
      GridSizes sizes,
      Workload workload,
      boolean write,
      RankMemory memory,
      FileCheck files,
      List<String> methods) {
    this.env = env;
    this.sizes = sizes;
    this.workload = workload;
    this.write = write;
    this.memory = memory;
    this.files = files;
    starts = new long[workload.ranks()];
    ends = new long[workload.ranks()];
    warmUps = sizes.warmUps();
    laps = sizes.laps();
    methods.forEach(name -> columns.add(new Column(name)));
  }

  /** Runs all laps; every rank calls it with its own methods. */
  void run(Rank rank, List<Method> methods) throws IOException {
    for (int m = 0; m < methods.size(); m++) {
      if (methods.get(m).isSlow() && workload.size() > TRIED_BYTES) {
        tryPart(rank, methods.get(m), columns.get(m));
      }
    }
    boolean clean = false;
    for (int lap = 0; lap < warmUps + laps; lap++) {
      for (int i = 0; i < methods.size(); i++) {
        int m = (lap + i) % methods.size(); // nobody always comes after the same one
        Method method = methods.get(m);
        if (!columns.get(m).over) {
          if (clean && !method.isPlain() && !method.leavesBlocksClean()) {
            writeAgain(rank, method);
          }
          lap(rank, method, columns.get(m), lap);
          clean = write && (method.isPlain() ? clean : method.leavesBlocksClean());
        }
      }
      if (lap == sizes.warmUps() - 1) {
        goOn(rank);
      }
    }
    if (write) {
      restore(rank, methods);
    }
  }

  /** Decides how many laps there are, by what the last one took with all methods. */
  private void goOn(Rank rank) throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      double lap = columns.stream().filter(one -> !one.over).mapToDouble(one -> one.last).sum();
      laps = (int) Math.clamp(sizes.enoughNanos() / Math.max(1, lap), laps, MAX_LAPS);
      warmUps += (laps - sizes.laps()) / LAPS_FOR_A_WARM_UP;
    }
    rank.barrier();
  }

  /**
   * A small part of a long request says whether the whole is bearable. It is tried again before it
   * is believed, since the first time code is slow, and any time something may come between.
   */
  private void tryPart(Rank rank, Method method, Column column) throws IOException {
    boolean complement = write && complements[1]; // what is there already: nothing changes
    Method.Call call = new Method.Call(write, complement, 1, TRIED_SHARE);
    for (int i = 0; i < TRIES && (i == 0 || column.over); i++) {
      double whole = time(rank, method, call) / TRIED_SHARE;
      if (rank.number() == 0) {
        column.over = whole > MAX_BUDGETS * sizes.budgetNanos();
        column.estimate = Math.min(column.estimate, whole);
      }
      rank.barrier();
    }
    if (rank.number() == 0 && column.over) {
      column.how = Cell.How.ESTIMATED;
      column.laps.add(column.estimate);
    }
    rank.barrier();
  }

  /** Writes what is there already, outside the time, so that all methods find dirty blocks. */
  private void writeAgain(Rank rank, Method method) throws IOException {
    rank.barrier();
    method.run(rank.number(), new Method.Call(true, complements[1], 1, 1));
    rank.barrier();
  }

  private void lap(Rank rank, Method method, Column column, int lap) throws IOException {
    int me = rank.number();
    int file = method.isPlain() ? 0 : 1;
    boolean complement = write && !complements[file];
    if (!write) {
      memory.poison(me);
    }
    Method.Call call = new Method.Call(write, complement, column.times, 1);
    long nanos = time(rank, method, call, column);
    if (me == 0) {
      note(column, lap, nanos);
      if (write && column.share >= 1) {
        complements[file] = complement;
      }
    }
    rank.barrier();
    if (!write) {
      long all = workload.parts().get(me).size();
      memory.check(me, column.share < 1 ? files.bytesDone(me) : all);
    } else if (me == 0 && column.share < 1) {
      files.checkPart(complement);
    } else if (me == 0 && column.over) {
      files.check(method, complement);
    }
  }

  private void note(Column column, int lap, long nanos) {
    double each = nanos / column.share / column.times;
    column.spent += nanos;
    column.last = nanos;
    boolean counts = lap >= warmUps;
    boolean last = lap == warmUps + laps - 1;
    boolean slow = counts ? column.spent > 2 * sizes.budgetNanos() : nanos > sizes.budgetNanos();
    column.over = last || slow || column.share < 1;
    if (column.share < 1) {
      column.how = Cell.How.SCALED;
    }
    if (!counts) {
      column.times = (int) Math.clamp(sizes.sampleNanos() / each, 1, MAX_TIMES);
    }
    if (counts || column.over) {
      column.laps.add(each);
    }
  }

  private long time(Rank rank, Method method, Method.Call call) throws IOException {
    return time(rank, method, call, new Column(method.name()));
  }

  /** From the first start to the last end; known to rank 0 only. */
  private long time(Rank rank, Method method, Method.Call call, Column column) throws IOException {
    int me = rank.number();
    rank.barrier();
    starts[me] = Long.MAX_VALUE;
    ends[me] = Long.MIN_VALUE;
    if (!method.isPlain() || me == 0) {
      starts[me] = env.nanoTime();
      double share = method.run(me, call);
      ends[me] = env.nanoTime();
      if (me == 0) {
        column.share = share;
      }
    }
    rank.barrier();
    if (me != 0) {
      return 0;
    }
    return Math.max(
        1, Arrays.stream(ends).max().orElseThrow() - Arrays.stream(starts).min().orElseThrow());
  }

  /** Leaves both files as they were found. */
  private void restore(Rank rank, List<Method> methods) throws IOException {
    Method.Call back = new Method.Call(true, false, 1, 1);
    rank.barrier();
    if (complements[0] && rank.number() == 0) {
      methods.get(1).run(0, back);
    }
    if (complements[1]) {
      methods.getLast().run(rank.number(), back);
    }
    rank.barrier();
  }

  /** What came out; when all ranks have ended. */
  List<Cell> cells() {
    return columns.stream().map(one -> Cell.of(one.name, one.how, one.laps)).toList();
  }
}
