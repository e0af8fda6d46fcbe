package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.piofs.Piofs;
import org.millrace.heritage.piofs.PiofsException;
import org.millrace.heritage.piofs.PiofsFile;
import org.millrace.heritage.piofs.PiofsMode;
import org.millrace.heritage.vesta.Partition;

/** Shows {@code piofs}. Stateless. */
final class PiofsProgram implements HeritageProgram {

  private static final String NAME = "piofs.demo";
  private static final int BSU = 4;
  private static final int CELLS = 4;

  @Override
  public String name() {
    return "piofs";
  }

  @Override
  public String about() {
    return "private, coordinated, shared and collective access to Vesta's subfiles";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    int ranks = rank.size();
    Piofs piofs = new Piofs(rank);
    Partition rows = new Partition(1, ranks, CELLS, 1, rank.number());
    List<View> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      views.add(rows.number(r).view(BSU, CELLS));
    }
    stage.draw("private and coordinated, each task its rows", views, 4 * CELLS, BSU, CELLS);

    byte[] row = new byte[BSU * CELLS];
    Arrays.fill(row, (byte) rank.number());
    OpenOptions create = OpenOptions.create().withStripeUnit(BSU).withStrands(CELLS);
    try (PiofsFile file = piofs.open(NAME, create, rows, PiofsMode.PRIVATE)) {
      file.write(row);
    }
    try (PiofsFile file = piofs.open(NAME, create, rows, PiofsMode.COORDINATED)) {
      byte[] got = new byte[row.length];
      file.read(got); // waits for all tasks; then one plan serves them
      stage.check("coordinated: each task reads its row in one plan", Arrays.equals(got, row));
    }
    Partition whole = Partition.whole(CELLS);
    try (PiofsFile file = piofs.open(NAME, create, whole, PiofsMode.SHARED)) {
      byte[] got = new byte[row.length];
      file.read(got);
      List<Long> rowsRead = rank.allGather(got[0]);
      stage.say("Shared: each task takes the next row; tasks got rows %s.", rowsRead);
      byte[] same = new byte[got.length];
      Arrays.fill(same, got[0]);
      stage.check(
          "shared: all rows, each once and whole",
          Arrays.equals(got, same) && rowsRead.stream().distinct().count() == Math.min(ranks, 256));
    }
    collective(rank, stage, piofs, create.withTruncate());
    refusing(rank, stage, piofs);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void collective(Rank rank, Stage stage, Piofs piofs, OpenOptions options)
      throws IOException {
    Partition whole = Partition.whole(CELLS);
    int size = rank.size();
    try (PiofsFile file = piofs.open(NAME, options, whole, PiofsMode.COLLECTIVE)) {
      file.writeReduce(new byte[] {100, 101});
      file.writeGather(new byte[] {(byte) rank.number()});
      stage.say(
          "write_reduce of 2 bytes, write_gather of 1: the pointer is at %s.", file.position());
    }
    try (PiofsFile file = piofs.open(NAME, OpenOptions.read(), whole, PiofsMode.COLLECTIVE)) {
      byte[] got = new byte[3];
      file.readBroadcast(got);
      stage.check(
          "read_broadcast: all get what was reduced, and task 0's byte",
          Arrays.equals(got, new byte[] {100, 101, 0}));
      byte[] one = {-1};
      long moved = file.readScatter(one);
      boolean last = rank.number() == size - 1; // one byte is gone: nothing is left for the last
      stage.check(
          "read_scatter: each its byte, the last meets the end",
          last ? moved == 0 : one[0] == (byte) (rank.number() + 1));
    }
  }

  private static void refusing(Rank rank, Stage stage, Piofs piofs) throws IOException {
    boolean refused = rank.size() == 1;
    Partition whole = Partition.whole(CELLS);
    try (PiofsFile _ = piofs.open(NAME, OpenOptions.read(), whole, PiofsMode.PRIVATE)) {
      stage.say("A single task overlaps with nobody.");
    } catch (PiofsException e) {
      stage.say("All tasks are refused: %s", String.valueOf(e.getMessage()));
      refused = true;
    }
    stage.check("private needs disjoint subfiles", refused);
  }
}
