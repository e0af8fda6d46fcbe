package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.access.Distribution;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.elfs.DistributedMatrixFile;
import org.millrace.heritage.elfs.DistributedMatrixFile.Decomposition;
import org.millrace.heritage.elfs.KeyField;
import org.millrace.heritage.elfs.KeyRange;
import org.millrace.heritage.elfs.MatrixFile;
import org.millrace.heritage.elfs.RangeSearchFile;
import org.millrace.heritage.elfs.RecordFormat;
import org.millrace.heritage.elfs.VariableConsistencyFile;
import org.millrace.heritage.elfs.VariableConsistencyFile.Semantics;

/** Shows {@code elfs}: matrices, range searching, a consistency window. Stateless. */
final class ElfsProgram implements HeritageProgram {

  private static final int N = 8;
  private static final int IMAGES = 6;
  private static final String MATRIX = "heritage.elfs.npy";
  private static final String RECORDS = "heritage.elfs.records";
  private static final String VALUE = "heritage.elfs.value";

  @Override
  public String name() {
    return "elfs";
  }

  @Override
  public String about() {
    return "files as objects: a matrix, range searching in three dimensions, a consistency window";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    matrix(rank, stage);
    rangeSearch(rank, stage);
    window(rank, stage);
    rank.barrier();
    if (rank.number() == 0) {
      for (String path : List.of(MATRIX, RECORDS, RECORDS + ".index", VALUE)) {
        rank.names().remove(path);
      }
    }
  }

  private static void matrix(Rank rank, Stage stage) throws IOException {
    int n = 2 * rank.size(); // a part for each, however it is dealt out
    try (MatrixFile file = MatrixFile.create(rank, MATRIX, n, n, ElementType.FLOAT64)) {
      for (int i = rank.number(); i < n; i += rank.size()) {
        int row = i;
        double[] elements = new double[n];
        Arrays.setAll(elements, j -> 10 * row + j);
        file.writeRow(i, elements);
      }
      rank.barrier();
      boolean right = true;
      double[] column = new double[n];
      for (int j = 0; j < n; j++) {
        file.prefetchColumn(j);
        file.readColumn(j, column);
        for (int i = 0; i < n; i++) {
          right &= column[i] == 10 * i + j;
        }
      }
      stage.check("a matrix written by rows in turn, read by prefetched columns", right);
    }
    for (Decomposition decomposition : Decomposition.values()) {
      draw(stage, decomposition, rank.size(), n);
      try (var file = DistributedMatrixFile.open(rank, MATRIX, decomposition)) {
        double[] mine = new double[(int) file.part().elements()];
        file.readPart(Local.of(mine, file.part()));
        boolean right = true;
        for (int k = 0; k < mine.length; k++) {
          long[] index = file.distribution().global(rank.number(), file.part().index(k));
          right &= mine[k] == 10 * index[0] + index[1];
        }
        stage.check("each rank's part by " + decomposition, right);
      }
    }
  }

  private static void draw(Stage stage, Decomposition decomposition, int ranks, int n)
      throws IOException {
    Distribution distribution = decomposition.of(n, n, ranks);
    List<View> views = new ArrayList<>();
    for (int p = 0; p < ranks; p++) {
      Pattern part = distribution.part(p, 1);
      views.add(part.size() == 0 ? View.EMPTY : new View(0, part, (long) n * n));
    }
    stage.draw("The matrix by " + decomposition + ", two rows to a line", views, n * n, 1, 2 * n);
  }

  /** Pixels (x, y) of images at times t, as in figure 2.9: records of three ints and a grey. */
  private static void rangeSearch(Rank rank, Stage stage) throws IOException {
    RecordFormat format =
        new RecordFormat(
            13,
            List.of(
                new KeyField(KeyField.Kind.INT32, 0),
                new KeyField(KeyField.Kind.INT32, 4),
                new KeyField(KeyField.Kind.INT32, 8)));
    List<KeyRange> volume =
        List.of(KeyRange.between(2, 4), KeyRange.atLeast(5), KeyRange.between(1, 3));
    try (RangeSearchFile file = RangeSearchFile.create(rank, RECORDS, format)) {
      for (int t = rank.number(); t < IMAGES; t += rank.size()) {
        ByteBuffer image = ByteBuffer.allocate(13 * N * N).order(ByteOrder.LITTLE_ENDIAN);
        for (int k = 0; k < N * N; k++) {
          image.putInt(k % N).putInt(k / N).putInt(t).put((byte) (t + k));
        }
        file.insert(image.array());
      }
      rank.barrier();
      long[] found = {0, 1};
      file.searchShare(
          volume,
          (_, record) -> {
            ByteBuffer bytes = record.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            int x = bytes.getInt(0);
            int y = bytes.getInt(4);
            int t = bytes.getInt(8);
            boolean inside = x >= 2 && x <= 4 && y >= 5 && t >= 1 && t <= 3;
            found[0]++;
            found[1] &= inside && bytes.get(12) == (byte) (t + x + N * y) ? 1 : 0;
          });
      long all = rank.allReduceLong(found[0], Long::sum);
      stage.say(
          "Volume x 2:4, y from 5, t 1:3 of %s records: found %s, by each rank %s",
          file.records(), all, rank.allGather(found[0]));
      stage.check("all 27 records of the volume, and no other", all == 27 && found[1] == 1);
      var searching = file.searchShareAsync(volume, (_, _) -> {});
      long computed = rank.allReduceLong(rank.number(), Long::sum); // meanwhile
      long share = rank.await(searching);
      stage.check(
          "the same while the program went on",
          share == found[0] && computed == (long) rank.size() * (rank.size() - 1) / 2);
      refused(rank, stage, format);
    }
  }

  /** A second group cannot write what this one has open for writing. */
  private static void refused(Rank rank, Stage stage, RecordFormat format) throws IOException {
    Rank other = rank.alone();
    ErrorCode told = null;
    try {
      RangeSearchFile.open(other, RECORDS, format).close();
    } catch (MillraceException e) {
      told = e.code();
    }
    other.leave("");
    stage.check("a second group of writers is refused", told == ErrorCode.IN_USE);
  }

  /** Rank 0 writes; every rank reads on a clock of its own. */
  private static void window(Rank rank, Stage stage) throws IOException {
    AtomicLong clock = new AtomicLong();
    OpenOptions options = OpenOptions.create().withTruncate();
    try (var file = new VariableConsistencyFile(rank, VALUE, options, 4, clock::get)) {
      file.consistency(Semantics.WINDOW, 1000);
      byte[] one = {1};
      publish(rank, file, one);
      file.pread(MemorySegment.ofArray(one), 0);
      publish(rank, file, new byte[] {2});
      clock.set(999);
      file.pread(MemorySegment.ofArray(one), 0);
      stage.check(
          "within a window of 1000 ns other ranks still see the old value",
          one[0] == (rank.number() == 0 ? 2 : 1));
      clock.set(1000);
      file.pread(MemorySegment.ofArray(one), 0);
      stage.check("after it all see the new one", one[0] == 2);
    }
  }

  private static void publish(Rank rank, VariableConsistencyFile file, byte[] value)
      throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      file.pwrite(MemorySegment.ofArray(value), 0);
    }
    rank.barrier();
  }
}
