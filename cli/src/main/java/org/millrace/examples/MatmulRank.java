package org.millrace.examples;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.SectionWindow;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.array.zarr.ZarrMetadata;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/** What each rank of {@link Matmul} does. Belongs to the rank's thread. */
final class MatmulRank {

  private static final String DIRECTORY = "matmul";
  private static final String A = DIRECTORY + "/a";
  private static final String B = DIRECTORY + "/b";

  /** The product, without what its format adds to the name. */
  static final String C = DIRECTORY + "/c";

  // constant after construction
  private final Rank rank;
  private final Env env;
  private final MatmulRequest request;
  private final MatmulWatch watch;
  private final int n;
  private final int m;
  private final int chunk;

  // owned by the rank's thread
  private long computing;
  private long waiting;

  MatmulRank(Rank rank, Env env, MatmulRequest request, MatmulWatch watch) {
    this.rank = rank;
    this.env = env;
    this.request = request;
    this.watch = watch;
    this.n = request.n();
    this.m = request.m();
    this.chunk = request.chunk();
  }

  MatmulResult run() throws IOException {
    clear();
    if (rank.number() == 0) {
      watch.begun(request.steps());
    }
    try (GlobalArray a = create(A, n);
        GlobalArray b = create(B, m);
        GlobalArray c = create(C, m)) {
      if (fill(a, request.fillWidth(), true) && fill(b, chunk, false)) {
        try (SectionWindow panels = a.window();
            SectionWindow rows = b.window()) {
          if (multiply(panels, rows, c)) {
            return done(check(c), panels, rows);
          }
        }
      }
      return new MatmulResult.Stopped();
    }
  }

  /** Removes what an earlier run left: its layout is that of its number of nodes. */
  private void clear() throws IOException {
    if (rank.number() == 0) {
      try {
        rank.names().makeDirectory(DIRECTORY);
      } catch (NameExistsException e) {
        // from an earlier run
      }
      for (String name : new String[] {A, B, C}) {
        try {
          rank.names().remove(name + ".npy");
        } catch (NoSuchNameException e) {
          // there was none
        }
      }
    }
    rank.barrier();
  }

  private GlobalArray create(String path, int columns) throws IOException {
    OpenOptions options = OpenOptions.create().withStrands(request.nodes());
    Shape shape = Shape.columnMajor(n, columns);
    ElementType type = ElementType.FLOAT64;
    return switch (request.format()) {
      case NPY -> GlobalArray.create(rank, path + ".npy", shape, type, options);
      case ZARR -> {
        long side = Math.min(request.panel(), n);
        var metadata = ZarrMetadata.shared(shape, type, side, Math.min(side, columns));
        yield SharedZarr.create(rank, path + ".zarr", metadata, options.withTruncate());
      }
    };
  }

  /** Counts a step; whether to go on, which all ranks answer alike. */
  private boolean step() throws IOException {
    boolean stop = false;
    if (rank.number() == 0) {
      watch.stepped();
      stop = watch.wantsStop();
    }
    return rank.allReduceLong(stop ? 1 : 0, Math::max) == 0;
  }

  /** Columns of an array from one on, as many as there are; empty behind the last. */
  private static Range columns(long first, int count, int all) {
    return Range.of(first, Math.min(first + count, all) - 1);
  }

  private Section whole(Range columns) {
    return Section.of(columns.isEmpty() ? Range.EMPTY : Range.all(n), columns);
  }

  /** Writes A, the sums of the indices, or B, each rank some columns at a time. */
  private boolean fill(GlobalArray array, int width, boolean sums) throws IOException {
    int all = (int) array.shape().dimension(1);
    double[] values = new double[n * width];
    for (long first = 0; first < all; first += (long) width * rank.size()) {
      Range mine = columns(first + (long) rank.number() * width, width, all);
      for (int j = 0; j < mine.count(); j++) {
        long column = mine.lower() + j + 1;
        for (int i = 0; i < n; i++) {
          values[i + j * n] = sums ? i + 1 + column : column;
        }
      }
      array.writeSection(whole(mine), Local.of(values, Shape.columnMajor(n, width)));
      if (!step()) {
        return false;
      }
    }
    return true;
  }

  /** Goes over C chunk by chunk, and for each over A panel by panel. */
  private boolean multiply(SectionWindow panels, SectionWindow rows, GlobalArray c)
      throws IOException {
    int width = Math.min(request.panel(), n);
    double[] a = new double[n * width];
    double[] b = new double[width * chunk];
    double[] product = new double[n * chunk];
    for (int round = 0; round < request.rounds(); round++) {
      Arrays.fill(product, 0);
      Range mine = chunk(round);
      for (int k = 0; k < n; k += width) {
        Range now = columns(k, width, n);
        move(panels, rows, round, now, a, b);
        long began = env.nanoTime();
        multiply(a, b, product, (int) now.count(), (int) mine.count());
        computing += env.nanoTime() - began;
        if (!step()) {
          return false;
        }
      }
      c.writeSection(whole(mine), Local.of(product, Shape.columnMajor(n, chunk)));
    }
    return true;
  }

  private Range chunk(int round) {
    return columns((long) (round * rank.size() + rank.number()) * chunk, chunk, m);
  }

  /** Waits for a panel of A and the rows of B that go with it, and asks for the next ones. */
  private void move(
      SectionWindow panels, SectionWindow rows, int round, Range now, double[] a, double[] b)
      throws IOException {
    long began = env.nanoTime();
    boolean lastPanel = now.upper() == n - 1;
    boolean last = lastPanel && round == request.rounds() - 1;
    Range next = columns(lastPanel ? 0 : now.upper() + 1, request.panel(), n);
    Section panel = wanted(round, Range.all(n), now);
    Section part = rowsOf(round, now);
    int nextRound = lastPanel ? round + 1 : round;
    Local its;
    Local itsRows;
    if (last) {
      its = panels.next(panel);
      itsRows = rows.next(part);
    } else {
      its = panels.next(panel, wanted(nextRound, Range.all(n), next));
      itsRows = rows.next(part, rowsOf(nextRound, next));
    }
    copy(its, panel, a);
    copy(itsRows, part, b);
    waiting += env.nanoTime() - began;
  }

  /** A rank without columns of its own in this round wants nothing of A. */
  private Section wanted(int round, Range rows, Range columns) {
    return chunk(round).isEmpty()
        ? Section.of(Range.EMPTY, Range.EMPTY)
        : Section.of(rows, columns);
  }

  private Section rowsOf(int round, Range rows) {
    return wanted(round, rows, chunk(round));
  }

  private static void copy(Local from, Section section, double[] to) {
    MemorySegment.copy(from.segment(), ValueLayout.JAVA_DOUBLE, 0, to, 0, (int) section.elements());
  }

  /** C += A * B, all of them column by column; four columns of A at a time. */
  private void multiply(double[] a, double[] b, double[] c, int width, int columns) {
    for (int j = 0; j < columns; j++) {
      int at = j * n;
      int k = 0;
      for (; k + 3 < width; k += 4) {
        int first = k * n;
        double b0 = b[k + j * width];
        double b1 = b[k + 1 + j * width];
        double b2 = b[k + 2 + j * width];
        double b3 = b[k + 3 + j * width];
        for (int i = 0; i < n; i++) {
          c[at + i] +=
              a[first + i] * b0
                  + a[first + n + i] * b1
                  + a[first + 2 * n + i] * b2
                  + a[first + 3 * n + i] * b3;
        }
      }
      for (; k < width; k++) {
        for (int i = 0; i < n; i++) {
          c[at + i] += a[k * n + i] * b[k + j * width];
        }
      }
    }
  }

  /** The largest relative difference of what is in the file from the formula. */
  private double check(GlobalArray c) throws IOException {
    double worst = 0;
    double[] values = new double[n * chunk];
    for (int round = 0; round < request.rounds(); round++) {
      Range mine = chunk(round);
      c.readSection(whole(mine), Local.of(values, Shape.columnMajor(n, chunk)));
      for (int j = 0; j < mine.count(); j++) {
        double column = mine.lower() + j + 1;
        for (int i = 1; i <= n; i++) {
          double wanted = 0.5 * n * column * (n + 1.0 + 2.0 * i);
          double off = Math.abs(values[i - 1 + j * n] - wanted) / wanted;
          worst = Double.isNaN(off) ? Double.POSITIVE_INFINITY : Math.max(worst, off);
        }
      }
      step();
    }
    return rank.allReduceDouble(worst, Math::max);
  }

  private MatmulResult done(double error, SectionWindow panels, SectionWindow rows)
      throws IOException {
    double seconds = 1e9 * rank.size();
    return new MatmulResult.Done(
        error,
        rank.allReduceLong(computing, Long::sum) / seconds,
        rank.allReduceLong(waiting, Long::sum) / seconds,
        rank.allReduceLong(panels.prefetched() + rows.prefetched(), Long::sum),
        rank.allReduceLong(panels.inTime() + rows.inTime(), Long::sum));
  }
}
