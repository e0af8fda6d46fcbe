package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.heritage.mpiio.Amode;
import org.millrace.heritage.mpiio.Datatype;
import org.millrace.heritage.mpiio.Distrib;
import org.millrace.heritage.mpiio.File;
import org.millrace.heritage.mpiio.MpiFileException;
import org.millrace.heritage.mpiio.Request;
import org.millrace.heritage.mpiio.Whence;

/** Shows {@code mpiio}. Stateless. */
final class MpiioProgram implements HeritageProgram {

  private static final Datatype INT = Datatype.INT;
  private static final String NATIVE = "native";
  private static final int OPEN = Amode.CREATE | Amode.RDWR | Amode.DELETE_ON_CLOSE;
  private static final long DFLT = Datatype.DISTRIBUTE_DFLT_DARG;
  private static final int N = 8;

  @Override
  public String name() {
    return "mpiio";
  }

  @Override
  public String about() {
    return "views of datatypes; pointers by synchronism by coordination; external32";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    stage.say(
        "a view: from a displacement on, the file is tiled with a filetype; offsets count etypes");
    int p = rank.size();
    shown(rank, stage, "vector: two ints in turn", 4 * p, r -> slice(2L * r, 2, 2L * p));
    shown(rank, stage, "subarray: bands of columns", N, r -> band(p, r));
    shown(rank, stage, "darray: block x block", N, r -> dealt(p, r, Distrib.BLOCK, DFLT));
    shown(rank, stage, "darray: cyclic(2) x cyclic(2)", N, r -> dealt(p, r, Distrib.CYCLIC, 2));
    shown(rank, stage, "indexed: ints 0, 3, 4 of five", 5 * p, r -> indexed(p, r));
    pointers(rank, stage);
    underWay(rank, stage);
    portable(rank, stage);
    errors(rank, stage);
  }

  /** {@code count} ints from {@code first} on, of each row of {@code row}. */
  private static Datatype slice(long first, long count, long row) {
    return Datatype.createResized(
        Datatype.createHIndexed(new long[] {count}, new long[] {4 * first}, INT), 0, 4 * row);
  }

  private static Datatype band(int ranks, int rank) {
    int width = Math.max(1, N / ranks);
    int first = Math.min(rank * width, N);
    int last = rank == ranks - 1 ? N : Math.min(first + width, N);
    return first >= last
        ? Datatype.createContiguous(0, INT)
        : Datatype.createSubarray(
            new long[] {N, N},
            new long[] {N, last - first},
            new long[] {0, first},
            Order.ROW_MAJOR,
            INT);
  }

  private static Datatype dealt(int ranks, int rank, Distrib distrib, long darg) {
    int[] grid = Grid.balanced(ranks, 2).dims().stream().mapToInt(Integer::intValue).toArray();
    return Datatype.createDarray(
        ranks,
        rank,
        new long[] {N, N},
        new Distrib[] {distrib, distrib},
        new long[] {darg, darg},
        grid,
        Order.ROW_MAJOR,
        INT);
  }

  private static Datatype indexed(int ranks, int rank) {
    long[] at = {5L * rank, 5L * rank + 3};
    return Datatype.createResized(
        Datatype.createIndexed(new long[] {1, 2}, at, INT), 0, 4L * 5 * ranks);
  }

  /** Draws a view, writes two tiles or the array through it, and reads them back. */
  private static void shown(
      Rank rank, Stage stage, String title, int columns, IntFunction<Datatype> types)
      throws IOException {
    List<Datatype> all = IntStream.range(0, rank.size()).mapToObj(types).toList();
    List<View> views =
        all.stream().map(type -> new View(0, type.pattern(), type.getExtent())).toList();
    int tiles = title.contains("array") ? 1 : 2; // an array is one tile
    stage.draw(title, views, tiles == 1 ? N * N : columns, Integer.BYTES, columns);
    Datatype mine = all.get(rank.number());
    int count = (int) (mine.getSize() / Integer.BYTES) * tiles;
    View view = views.get(rank.number());
    MemorySegment values =
        ints(count, i -> (int) (view.offsetOf(4L * i) / 4)); // each int says where it belongs
    try (File file = File.open(rank, "mpiio.views", OPEN)) {
      file.setView(0, INT, mine, NATIVE);
      file.writeAll(values, count, INT);
      MemorySegment back = ints(count, _ -> -1);
      file.readAtAll(0, back, count, INT);
      boolean same = back.mismatch(values) == -1;
      rank.barrier();
      file.setView(0, INT, INT, NATIVE);
      boolean placed = Arrays.equals(all(file), expected(all, tiles));
      stage.check("every int lies where its view says", same && placed);
    }
  }

  /** The whole file: each int says where it lies, those that no view shows are 0. */
  private static int[] expected(List<Datatype> types, int tiles) {
    int[] file = new int[(int) (types.getFirst().getExtent() / 4) * tiles];
    int end = 0;
    for (Datatype type : types) {
      for (long i = 0; i < type.getSize() / 4 * tiles; i++) {
        long tile = 4 * i / type.getSize();
        long offset = tile * type.getExtent() + type.pattern().offsetOf(4 * i % type.getSize());
        int place = (int) (offset / 4);
        file[place] = place;
        end = Math.max(end, place + 1);
      }
    }
    return Arrays.copyOf(file, end);
  }

  private static void pointers(Rank rank, Stage stage) throws IOException {
    int p = rank.size();
    int r = rank.number();
    try (File file = File.open(rank, "mpiio.pointers", OPEN)) {
      file.setView(0, INT, INT, NATIVE);
      file.writeOrdered(ints(r + 1, _ -> r), r + 1, INT);
      int whole = p * (p + 1) / 2;
      long next = file.getPositionShared();
      rank.barrier();
      stage.say("writeOrdered of 1, 2, 3 ... ints: the shared pointer is at %s", next);
      file.writeShared(ints(4, _ -> 100 + r), 4, INT);
      rank.barrier();
      int[] all = all(file);
      boolean ordered = true;
      for (int rank0 = 0, at = 0; rank0 < p; at += ++rank0) {
        int number = rank0;
        ordered &= Arrays.stream(all, at, at + rank0 + 1).allMatch(value -> value == number);
      }
      boolean blocks = true;
      for (int at = whole; at < whole + 4 * p; at += 4) {
        int first = all[at];
        blocks &= Arrays.stream(all, at, at + 4).allMatch(value -> value == first);
      }
      long writers = Arrays.stream(all, whole, whole + 4 * p).distinct().count();
      stage.check("ordered blocks lie in order of rank", ordered && next == whole);
      stage.check("shared blocks are whole, in some order", blocks && writers == p);
      file.setView(4, INT, slice(0, 1, 3), NATIVE);
      file.setSize(4 + 12 + 8);
      rank.barrier();
      file.seek(0, Whence.SEEK_END);
      stage.say(
          "the end lies in a hole of the view: SEEK_END is position %s, byte %s",
          file.getPosition(), file.getByteOffset(file.getPosition()));
      stage.check("positions are the view's", file.getPosition() == 2);
    }
  }

  private static void underWay(Rank rank, Stage stage) throws IOException {
    int p = rank.size();
    int r = rank.number();
    try (File file = File.open(rank, "mpiio.later", OPEN)) {
      file.setView(0, INT, slice(r, 1, p), NATIVE);
      MemorySegment first = ints(1000, i -> i * p + r);
      file.writeAllBegin(first, 1000, INT);
      long computed = IntStream.range(0, 1000).asLongStream().sum(); // while bytes move
      file.writeAllEnd(first);
      Request[] requests = new Request[8];
      for (int i = 0; i < requests.length; i++) {
        int from = 1000 + 100 * i;
        requests[i] = file.iWriteAt(from, ints(100, k -> (from + k) * p + r), 100, INT);
      }
      Request.waitAllStatus(requests);
      rank.barrier();
      file.setView(0, INT, INT, NATIVE);
      int[] all = all(file);
      stage.check(
          "a split collective and 8 requests put %s ints in their places".formatted(1800 * p),
          computed == 499_500 && Arrays.equals(all, IntStream.range(0, 1800 * p).toArray()));
    }
  }

  private static void portable(Rank rank, Stage stage) throws IOException {
    try (File file = File.open(rank, "mpiio.portable", OPEN)) {
      file.setView(0, INT, INT, "external32");
      file.writeAtAll(rank.number(), ints(1, _ -> 258 + rank.number()), 1, INT);
      MemorySegment back = ints(1, _ -> 0);
      file.readAtAll(rank.number(), back, 1, INT);
      file.setView(0, Datatype.BYTE, Datatype.BYTE, NATIVE);
      byte[] raw = new byte[4];
      file.readAtAll(0, raw, 4, Datatype.BYTE);
      stage.say("external32: 258 lies in the file as %s", Arrays.toString(raw));
      stage.check(
          "big-endian in the file, the program's own order in memory",
          Arrays.equals(raw, new byte[] {0, 0, 1, 2})
              && back.get(ValueLayout.JAVA_INT_UNALIGNED, 0) == 258 + rank.number());
    }
  }

  private static void errors(Rank rank, Stage stage) throws IOException {
    try (File file = File.open(rank, "mpiio.errors", OPEN)) {
      Datatype twice = Datatype.createResized(Datatype.createContiguous(2, INT), 0, 4);
      String overlap = told(() -> file.setView(0, INT, twice, NATIVE));
      String exists = told(() -> File.open(rank, "mpiio.errors", OPEN | Amode.EXCL).close());
      long count = rank.number() == 0 ? -1 : 1; // one rank is wrong, all are told
      String wrong = told(() -> file.writeAll(ints(1, _ -> 1), count, INT));
      stage.say("errors on all ranks: %s, %s, %s", overlap, exists, wrong);
      stage.check(
          "the file is unharmed",
          overlap.equals("MPI_ERR_IO")
              && exists.equals("MPI_ERR_FILE_EXISTS")
              && wrong.equals("MPI_ERR_COUNT")
              && file.getSize() == 0);
    }
  }

  private interface Act {
    void run() throws IOException;
  }

  private static String told(Act act) throws IOException {
    try {
      act.run();
      return "nothing";
    } catch (MpiFileException e) {
      return e.getErrorClass().toString();
    }
  }

  /** All ints of the file, seen through a view of ints. */
  private static int[] all(File file) throws IOException {
    int count = (int) (file.getSize() / 4);
    MemorySegment plain = ints(count, _ -> -1);
    file.readAt(0, plain, count, INT);
    return plain.toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  private static MemorySegment ints(int count, IntUnaryOperator value) {
    int[] ints = new int[count];
    Arrays.setAll(ints, value);
    return MemorySegment.ofArray(ints);
  }
}
