package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.bridge.Bridge;
import org.millrace.heritage.bridge.BridgeException;
import org.millrace.heritage.bridge.Columns;
import org.millrace.heritage.bridge.Job;
import org.millrace.heritage.bridge.SequentialFile;

/** Shows {@code bridge}. Stateless. */
final class BridgeProgram implements HeritageProgram {

  private static final String NAME = "bridge.demo";
  private static final int BLOCK = 8;

  @Override
  public String name() {
    return "bridge";
  }

  @Override
  public String about() {
    return "rows of blocks: as one file, by a job and its controller, by columns";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Bridge bridge = new Bridge(rank);
    int columns = rank.size() % 3 == 0 ? 4 : 3; // no process has a column to itself
    OpenOptions create = OpenOptions.create().withStripeUnit(BLOCK).withStrands(columns);
    int bytes = 2 * BLOCK * rank.size() + BLOCK + 3; // the last row is cut
    int last = rank.size() - 1;
    try (Job job = bridge.openParallel(NAME, create, last)) {
      stage.check("the program chose the last process as controller", job.controller() == last);
      draw(rank, stage, job, columns);
      for (int row = 0; row < bytes; row += BLOCK * rank.size()) {
        byte[] block = bytes(row + BLOCK * rank.number(), bytes);
        if (job.isController()) {
          job.write(block); // moves all processes' blocks
        } else {
          job.transfer(block);
        }
      }
      byte[] small = new byte[BLOCK - 1];
      boolean refused = false;
      try {
        if (job.isController()) {
          job.read(small);
        } else {
          job.transfer(new byte[BLOCK]);
        }
      } catch (BridgeException e) {
        refused = true;
        stage.say("All processes are refused: %s", String.valueOf(e.getMessage()));
      }
      stage.check("what one process cannot do fails on all", refused);
    }
    try (SequentialFile file = bridge.open(NAME, OpenOptions.read())) {
      byte[] content = new byte[bytes];
      boolean right = file.read(content) == bytes;
      stage.check(
          "the sequential view is the blocks in their order",
          right && Arrays.equals(content, content(bytes)));
    }
    job(rank, stage, bridge, bytes);
    columns(stage, bridge, bytes);
    rank.barrier();
    ends(rank, stage, bridge);
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) {
      content[i] = (byte) i;
    }
    return content;
  }

  /** A block from an offset on, cut where the file is to end. */
  private static byte[] bytes(int from, int end) {
    return Arrays.copyOfRange(content(end), Math.min(from, end), Math.min(from + BLOCK, end));
  }

  private static void draw(Rank rank, Stage stage, Job job, int columns) throws IOException {
    List<View> views = new ArrayList<>();
    for (int r = 0; r < rank.size(); r++) {
      views.add(job.view(r));
    }
    stage.draw(
        "blocks of the job's processes, a row for each row of the file",
        views,
        4 * columns,
        BLOCK,
        columns);
  }

  private static void job(Rank rank, Stage stage, Bridge bridge, int bytes) throws IOException {
    long mine = 0;
    boolean right = true;
    Job job = bridge.openParallel(NAME, OpenOptions.read());
    byte[] block = new byte[BLOCK];
    int at = BLOCK * rank.number();
    long moved;
    do { // the controller reads until nothing comes, the others follow until it closes
      moved = job.isController() ? job.read(block) : job.transfer(block);
      for (int i = 0; i < moved; i++) {
        right &= block[i] == (byte) (at + i);
      }
      mine += Math.max(0, moved);
      at += BLOCK * rank.size();
    } while (job.isController() ? moved > 0 : moved >= 0);
    job.close();
    List<Long> counts = rank.allGather(mine);
    stage.say("The controller read until the end; processes got %s of %s bytes.", counts, bytes);
    stage.check(
        "the job's reads gave each process its blocks",
        right && counts.stream().mapToLong(Long::longValue).sum() == bytes);
  }

  private static void columns(Stage stage, Bridge bridge, int bytes) throws IOException {
    try (Columns columns = bridge.openColumns(NAME, OpenOptions.read())) {
      List<View> views = new ArrayList<>();
      boolean right = true;
      for (int c = 0; c < columns.count(); c++) {
        views.add(columns.view(c));
        byte[] column = new byte[(int) columns.size(c)];
        right &= columns.read(c, 0, column) == column.length;
        for (int i = 0; i < column.length; i++) {
          right &= column[i] == (byte) columns.view(c).offsetOf(i);
        }
      }
      stage.say(
          "%s local file systems, blocks of %s bytes.", columns.count(), columns.blockBytes());
      int count = columns.count();
      stage.draw("columns, a number for each", views, 4 * count, BLOCK, count);
      stage.check("direct access to each column", right && bytes > 0);
    }
  }

  /** One process lengthens one column; the others stay as long as they were. */
  private static void ends(Rank rank, Stage stage, Bridge bridge) throws IOException {
    try (Columns columns = bridge.openColumns(NAME, OpenOptions.readWrite())) {
      long[] before = sizes(columns);
      rank.barrier();
      if (rank.number() == 0) {
        columns.write(1, before[1], new byte[2 * BLOCK]);
      }
      rank.barrier();
      long[] after = sizes(columns);
      stage.say("Column 1 gets two blocks: %s, then %s bytes.", text(before), text(after));
      before[1] += 2 * BLOCK;
      stage.check("each column has an end of its own", Arrays.equals(after, before));
    }
  }

  private static long[] sizes(Columns columns) throws IOException {
    long[] sizes = new long[columns.count()];
    for (int c = 0; c < sizes.length; c++) {
      sizes[c] = columns.size(c);
    }
    return sizes;
  }

  private static String text(long[] sizes) {
    return Arrays.toString(sizes);
  }
}
