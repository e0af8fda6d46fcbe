package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;
import org.millrace.heritage.passion.FileDomains;
import org.millrace.heritage.passion.GlobalArrayFile;
import org.millrace.heritage.passion.LocalArrayFile;
import org.millrace.heritage.passion.Method;
import org.millrace.heritage.passion.Passion;
import org.millrace.heritage.passion.Sections;
import org.millrace.plan.DomainTable;

/** Shows {@code passion}: sections, methods and the three models. Stateless. */
final class PassionProgram implements HeritageProgram {

  private static final int N = 8;
  private static final Shape SHAPE = Shape.columnMajor(N, N);
  private static final String GLOBAL = "heritage.passion.npy";
  private static final String LOCAL = "heritage.passion.local";
  private static final String ALL = "1:8:1, 1:8:1";

  @Override
  public String name() {
    return "passion";
  }

  @Override
  public String about() {
    return "sections of a column-major array by three methods and three placement models";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Passion passion = new Passion(rank);
    Distribution rows =
        Distribution.of(SHAPE, Grid.of(rank.size(), 1), Spread.block(), Spread.none());
    try (GlobalArrayFile file = passion.createGlobalArrayFile(GLOBAL, SHAPE, ElementType.INT32)) {
      draw(stage, rank.size(), rows);
      byMethods(rank, stage, file, rows);
      tables(rank, stage, file);
      wrong(rank, stage, file);
      localModel(rank, stage, passion, file);
      partitions(stage, file);
    }
    rank.barrier();
    rank.names().remove(LOCAL + "." + rank.number());
    if (rank.number() == 0) {
      rank.names().remove(GLOBAL);
    }
  }

  private static void draw(Stage stage, int ranks, Distribution rows) throws IOException {
    List<View> direct = new ArrayList<>();
    List<View> domains = new ArrayList<>();
    for (int p = 0; p < ranks; p++) {
      direct.add(view(rows.part(p, 1)));
      List<Section> own = new FileDomains(SHAPE, ranks).domain(p);
      domains.add(own.isEmpty() ? View.EMPTY : view(own.getFirst().in(SHAPE, 1)));
    }
    stage.draw("Blocks of rows; a line is two columns of the array", direct, N * N, 1, 2 * N);
    stage.draw("File domains of the extended method", domains, N * N, 1, 2 * N);
  }

  private static View view(Pattern part) {
    return part.size() == 0 ? View.EMPTY : new View(0, part, (long) N * N);
  }

  /** Element (i, j), from 1 on, is 100i + j. */
  private static void byMethods(Rank rank, Stage stage, GlobalArrayFile file, Distribution rows)
      throws IOException {
    Shape local = rows.localShape(rank.number());
    int[] mine = new int[(int) local.elements()];
    for (int k = 0; k < mine.length; k++) {
      long[] index = rows.global(rank.number(), local.index(k));
      mine[k] = (int) (100 * (index[0] + 1) + index[1] + 1);
    }
    file.writeArray(rows, Local.of(mine, local));
    for (Method method : Method.values()) {
      file.use(method);
      int[] all = new int[N * N];
      file.readSection(ALL, Local.of(all, SHAPE));
      stage.check("all read the common section " + ALL + " by " + method, isFull(all, 1));
    }
  }

  private static boolean isFull(int[] all, int factor) {
    for (int k = 0; k < all.length; k++) {
      if (all[k] != factor * (100 * (k % N + 1) + k / N + 1)) {
        return false;
      }
    }
    return true;
  }

  /** Each processor wants every other row of its own and its neighbour's columns. */
  private static void tables(Rank rank, Stage stage, GlobalArrayFile file) throws IOException {
    int first = 1 + rank.number() % (N - 2);
    Section mine = Sections.of(1, N, 2, first, first + 2L, 1);
    FileDomains domains = new FileDomains(SHAPE, rank.size());
    DomainTable table = domains.accessTables(file.accessDescriptor(mine), 0).getFirst();
    stage.say(
        "Processor 0 owns %s; of it %s of %s processors want something, and %s is read",
        Sections.text(table.domain()),
        table.rows().stream().filter(one -> !one.isEmpty()).count(),
        rank.size(),
        Sections.text(table.covering()));
    int[] found = new int[N / 2 * 3];
    file.prefetch(Sections.text(mine));
    file.readSection(mine, Local.of(found, Shape.columnMajor(N / 2, 3)));
    boolean right = true;
    for (int k = 0; k < found.length; k++) {
      right &= found[k] == 100 * (1 + 2 * (k % (N / 2))) + first + k / (N / 2);
    }
    stage.check("overlapping sections with stride, prefetched", right);
  }

  private static void wrong(Rank rank, Stage stage, GlobalArrayFile file) throws IOException {
    boolean last = rank.number() == rank.size() - 1;
    boolean refused = false;
    try {
      file.readSection(last ? "1:9:1, 1:8:1" : ALL, Local.of(new int[9 * N], SHAPE));
    } catch (MillraceException e) {
      refused = true;
    }
    stage.check("one processor's section beyond the array fails on all", refused);
  }

  private static void localModel(Rank rank, Stage stage, Passion passion, GlobalArrayFile file)
      throws IOException {
    var cyclic = Distribution.of(SHAPE, Grid.of(rank.size(), 1), Spread.cyclic(), Spread.none());
    try (LocalArrayFile local = passion.createLocalArrayFiles(LOCAL, cyclic, ElementType.INT32)) {
      local.load(file, 256);
      local.inCoreLocalArray(96).update((_, part) -> times(part, 2));
      local.store(file, 256);
    }
    int[] all = new int[N * N];
    file.readSection(ALL, Local.of(all, SHAPE));
    stage.check("local array files of rows in turn, doubled 32 bytes at a time", isFull(all, 2));
  }

  private static void partitions(Stage stage, GlobalArrayFile file) throws IOException {
    var partitions = file.partitions(96);
    partitions.update((_, _, mine) -> times(mine, 3));
    int[] all = new int[N * N];
    file.readSection(ALL, Local.of(all, SHAPE));
    stage.check(partitions.count() + " in-core partitions, tripled", isFull(all, 6));
  }

  private static void times(Local part, int factor) {
    for (long at = 0; at < part.shape().bytes(Integer.BYTES); at += Integer.BYTES) {
      int value = part.segment().get(ValueLayout.JAVA_INT, at);
      part.segment().set(ValueLayout.JAVA_INT, at, factor * value);
    }
  }
}
