package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.SpmdMode;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;
import org.millrace.heritage.vesta.VestaException;

/** Shows {@code vesta}. Stateless. */
final class VestaProgram implements HeritageProgram {

  private static final String NAME = "vesta.demo";
  private static final int BSU = 8;
  private static final int CELLS = 6;

  @Override
  public String name() {
    return "vesta";
  }

  @Override
  public String about() {
    return "subfiles of cells and striping units, one offset for all, modes A to F";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    int ranks = rank.size();
    Vesta vesta = new Vesta(rank);
    stage.say("A file of %s cells; each character is one BSU, columns are cells.", CELLS);
    draw(stage, "columns: Vgs 1, Vi 1, Hgs 1, Hi P", ranks, new Partition(1, 1, 1, ranks, 0));
    draw(stage, "rows: Vgs 1, Vi P, Hgs 6, Hi 1", ranks, new Partition(1, ranks, CELLS, 1, 0));
    draw(stage, "blocks: Vgs 2, Vi P, Hgs 3, Hi 2", ranks, new Partition(2, ranks, 3, 2, 0));

    Partition column = new Partition(2, 1, 1, ranks, rank.number());
    int bytes = BSU * CELLS * Math.max(4, ranks + ranks % 2); // whole vertical groups
    long[] order = order(column, bytes);
    stage.say(
        "Subfile 0 with Vgs 2 has the file's BSUs in this order: %s",
        bsus(column.number(0), bytes));
    try (Subfile file = vesta.open(NAME, Vesta.structure(BSU, CELLS), column, SpmdMode.A)) {
      byte[] mine = new byte[order.length];
      for (int i = 0; i < mine.length; i++) {
        mine[i] = (byte) order[i];
      }
      file.write(mine);
    }
    rank.barrier();
    byte[] plain = new byte[bytes];
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS))) {
      file.read(plain);
    }
    boolean right = true;
    for (int i = 0; i < plain.length; i++) {
      right &= plain[i] == (byte) i;
    }
    stage.check("mode A: the subfiles of all ranks are the plain file, byte for byte", right);
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), column, SpmdMode.A)) {
      byte[] mine = new byte[order.length + 1];
      long count = file.read(mine);
      for (int i = 0; i < order.length; i++) {
        right &= mine[i] == (byte) order[i];
      }
      stage.check("mode A: each rank reads its subfile to its end", right && count == order.length);
    }
    sharing(rank, stage, vesta);
    refusing(rank, stage, vesta);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void draw(Stage stage, String title, int ranks, Partition scheme)
      throws IOException {
    List<View> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      views.add(scheme.number(r).view(BSU, CELLS));
    }
    stage.draw(title, views, 4 * CELLS, BSU, CELLS);
  }

  private static long[] order(Partition partition, int bytes) {
    View view = partition.view(BSU, CELLS);
    long[] offsets = new long[view.isEmpty() ? 0 : bytes];
    int count = 0;
    for (int at = 0; at < offsets.length && view.offsetOf(at) < bytes; at++) {
      offsets[count++] = view.offsetOf(at);
    }
    return Arrays.copyOf(offsets, count);
  }

  private static String bsus(Partition partition, int bytes) {
    return Arrays.stream(order(partition, bytes))
        .map(offset -> offset / BSU)
        .distinct()
        .boxed()
        .toList()
        .toString();
  }

  /** The other modes: the same subfile for all, each time written and read back. */
  private static void sharing(Rank rank, Stage stage, Vesta vesta) throws IOException {
    int r = rank.number();
    Subfile file = again(rank, vesta, SpmdMode.B);
    file.write(4L * r, filled(4, r));
    rank.barrier();
    byte[] all = new byte[4 * rank.size()];
    file.read(0, all);
    stage.check("mode B: all read what each wrote at an offset of its own", blocks(all, 4));
    file.close();

    file = again(rank, vesta, SpmdMode.C);
    file.write(filled(4, r));
    rank.barrier();
    boolean moved = file.offset() == all.length;
    file.close();
    byte[] piece = new byte[4];
    try (Subfile shared = vesta.openShared(NAME, OpenOptions.read(), Partition.whole(CELLS))) {
      shared.read(piece);
    }
    List<Long> pieces = rank.allGather(piece[0]);
    stage.check(
        "mode C: one offset; pieces come in the order of calls, each whole and once",
        moved
            && Arrays.equals(piece, filled(4, piece[0]))
            && pieces.stream().distinct().count() == rank.size());

    file = again(rank, vesta, SpmdMode.D);
    file.write(filled(4, 9 + r));
    file.close();
    try (Subfile same = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS), SpmdMode.D)) {
      long count = same.read(all);
      stage.check(
          "mode D: of one write rank 0's data, and one read for all",
          count == 4 && Arrays.equals(Arrays.copyOf(all, 4), filled(4, 9)));
    }
    inOrder(rank, stage, vesta, SpmdMode.E, 4);
    inOrder(rank, stage, vesta, SpmdMode.F, r + 1);
  }

  /** Modes E and F: rank r writes its bytes behind those of the ranks before it, and gets them. */
  private static void inOrder(Rank rank, Stage stage, Vesta vesta, SpmdMode mode, int bytes)
      throws IOException {
    Subfile file = again(rank, vesta, mode);
    file.write(filled(bytes, rank.number()));
    file.close();
    byte[] got = new byte[bytes];
    try (Subfile same = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS), mode)) {
      same.read(got);
    }
    stage.check(
        mode == SpmdMode.E
            ? "mode E: in order of ids, 4 bytes each"
            : "mode F: in order of ids, 1, 2, 3 ... bytes",
        Arrays.equals(got, filled(bytes, rank.number())));
  }

  /** An empty file, which all share as a whole. */
  private static Subfile again(Rank rank, Vesta vesta, SpmdMode mode) throws IOException {
    rank.barrier();
    OpenOptions empty = Vesta.structure(BSU, CELLS).withTruncate();
    return vesta.open(NAME, empty, Partition.whole(CELLS), mode);
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Whether there are so many bytes of 0, so many of 1, and so on. */
  private static boolean blocks(byte[] bytes, int each) {
    boolean right = true;
    for (int i = 0; i < bytes.length; i++) {
      right &= bytes[i] == (byte) (i / each);
    }
    return right;
  }

  private static void refusing(Rank rank, Stage stage, Vesta vesta) throws IOException {
    boolean refused = rank.size() == 1;
    try (Subfile _ = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS), SpmdMode.A)) {
      refused |= false; // alone nobody overlaps
    } catch (VestaException e) {
      stage.say("All ranks are refused: %s", String.valueOf(e.getMessage()));
      refused = true;
    }
    stage.check("mode A refuses subfiles that overlap, on all ranks", refused);
  }
}
