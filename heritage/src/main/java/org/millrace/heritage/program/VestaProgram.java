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
  private static final int ROWS = 4;

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
    stage.say("A file of %d cells; each character is one BSU, columns are cells.", CELLS);
    draw(stage, "columns: Vgs 1, Vi 1, Hgs 1, Hi P", ranks, new Partition(1, 1, 1, ranks, 0));
    draw(stage, "rows: Vgs 1, Vi P, Hgs 6, Hi 1", ranks, new Partition(1, ranks, CELLS, 1, 0));
    draw(stage, "blocks: Vgs 2, Vi P, Hgs 3, Hi 2", ranks, new Partition(2, ranks, 3, 2, 0));

    Partition column = new Partition(2, 1, 1, ranks, rank.number());
    long[] order = order(column);
    stage.say("Subfile 0 with Vgs 2 has the file's BSUs in this order: %s", bsus(column.number(0)));
    try (Subfile file = vesta.open(NAME, Vesta.structure(BSU, CELLS), column, SpmdMode.A)) {
      byte[] mine = new byte[order.length];
      for (int i = 0; i < mine.length; i++) {
        mine[i] = (byte) order[i];
      }
      file.write(mine);
    }
    rank.barrier();
    byte[] plain = new byte[BSU * CELLS * ROWS];
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS))) {
      file.read(plain);
    }
    boolean right = true;
    for (int i = 0; i < plain.length; i++) {
      right &= plain[i] == (byte) i;
    }
    stage.check("mode A: the subfiles of all ranks are the plain file, byte for byte", right);
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
    stage.draw(title, views, CELLS * ROWS, BSU, CELLS);
  }

  private static long[] order(Partition partition) {
    View view = partition.view(BSU, CELLS);
    long[] offsets = new long[view.isEmpty() ? 0 : BSU * CELLS * ROWS];
    int count = 0;
    for (int at = 0; at < offsets.length && view.offsetOf(at) < BSU * CELLS * ROWS; at++) {
      offsets[count++] = view.offsetOf(at);
    }
    return Arrays.copyOf(offsets, count);
  }

  private static String bsus(Partition partition) {
    return Arrays.stream(order(partition))
        .map(offset -> offset / BSU)
        .distinct()
        .boxed()
        .toList()
        .toString();
  }

  /** One offset for all: first come in C, the same for all in D, by ids in E and F. */
  private static void sharing(Rank rank, Stage stage, Vesta vesta) throws IOException {
    Partition whole = Partition.whole(CELLS);
    byte[] piece = new byte[4];
    try (Subfile file = vesta.openShared(NAME, OpenOptions.read(), whole)) {
      file.read(piece);
      List<Long> places = rank.allGather(piece[0]);
      stage.check(
          "open_shared: 4 bytes each, every piece another one",
          places.stream().distinct().count() == rank.size() && file.offset() == 4L * rank.size());
    }
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), whole, SpmdMode.D)) {
      file.read(piece);
      stage.check("mode D: one read, all get bytes 0 to 3", piece[0] == 0 && file.offset() == 4);
    }
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), whole, SpmdMode.E)) {
      file.read(piece);
      stage.check("mode E: rank r gets bytes 4r to 4r+3", piece[0] == 4 * rank.number());
    }
    try (Subfile file = vesta.open(NAME, OpenOptions.read(), whole, SpmdMode.F)) {
      byte[] some = new byte[rank.number() + 1];
      long moved = file.read(some);
      int below = rank.number() * (rank.number() + 1) / 2;
      stage.check(
          "mode F: 1, 2, 3 ... bytes in order of ids",
          moved < some.length || some[0] == (byte) below);
    }
  }

  private static void refusing(Rank rank, Stage stage, Vesta vesta) throws IOException {
    boolean refused = rank.size() == 1;
    try (Subfile _ = vesta.open(NAME, OpenOptions.read(), Partition.whole(CELLS), SpmdMode.A)) {
      refused |= false; // alone nobody overlaps
    } catch (VestaException e) {
      stage.say("All ranks are refused: %s", e.getMessage());
      refused = true;
    }
    stage.check("mode A refuses subfiles that overlap, on all ranks", refused);
  }
}
