package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Chapters in which all ranks access a file together: by collective calls, and in the modes whose
 * pointer says where each rank's bytes go.
 *
 * <p>Belongs to the rank's thread.
 */
final class CollectiveChapter {

  private static final int CELL = Content.CELL;

  /** Enough for sparse calls; more would take too long to make on slow disks. */
  private static final int STRANDS = 32;

  private static final long UNIT = 32L * CELL;

  /** Most runs of a rank in a call without gaps. */
  private static final int TILES = 8;

  private final Member me;
  private final RandomGenerator common;
  private final RandomGenerator own;

  CollectiveChapter(Member me, RandomGenerator common, RandomGenerator own) {
    this.me = me;
    this.common = common;
    this.own = own;
  }

  /** Interleaved views, by any strategy. */
  void collective(FileModel model) throws IOException {
    List<Strategy> all = List.of(Strategy.values());
    Strategy strategy = all.get(common.nextInt(all.size()));
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    OpenOptions options = OpenOptions.create().withHints(hints);
    boolean tiling = common.nextInt(3) == 0; // no gaps, and many strands if the file is new
    Accesses file =
        Accesses.open(
            me, model, tiling ? options.withStrands(STRANDS).withStripeUnit(UNIT) : options);
    file.collectively();
    int ranks = me.rank().size();
    long run = 1L + common.nextInt(common.nextBoolean() ? 4 : 60);
    long stride = run * ranks + (tiling ? 0 : common.nextInt(3));
    long first = common.nextInt(200) + run * me.rank().number();
    me.world().tally().add(Occurrence.MODE, strategy.toString());
    me.act(
        "set view",
        "of %s every %s cells from %s, %s".formatted(run, stride, first, strategy),
        () -> file.file().setView(Accesses.view(first, run, stride)));
    long most = (model.most() - 200 - stride) / stride * run;
    int rounds = 1 + common.nextInt(4);
    for (int i = 0; i < rounds; i++) {
      long anywhere = common.nextInt((int) Math.max(1, most / 2));
      long rows = run * (1 + common.nextInt(TILES));
      long some = own.nextInt(8) == 0 ? 0 : 1 + own.nextInt((int) Math.min(400, most / 2));
      boolean tiled = tiling && rows <= most / 2;
      long position = tiled ? anywhere / run * run : anywhere;
      long count = tiled ? rows : some;
      long[] cells = Accesses.vector(first, run, stride, position, count);
      if (common.nextInt(5) < 3) {
        file.write(
            "collective write",
            cells,
            memory -> file.file().at(position * CELL).all().write(Memory.of(memory)));
      } else {
        file.read(
            "collective read",
            cells,
            memory -> file.file().at(position * CELL).all().read(Memory.of(memory)));
      }
      switch (common.nextInt(6)) {
        case 0 -> file.flush();
        case 1 -> file.flushAll();
        default -> {}
      }
    }
    if (common.nextInt(3) == 0) {
      file.close();
    } else {
      file.closeAll();
    }
  }

  /** One after the other in order of rank, records, or all as one. */
  void ordered(FileModel model) throws IOException {
    Mode mode =
        switch (common.nextInt(3)) {
          case 0 -> Mode.ORDERED;
          case 1 -> Mode.RECORD;
          default -> Mode.GLOBAL;
        };
    Accesses file = Accesses.open(me, model, OpenOptions.create().withMode(mode));
    long start = common.nextInt(100);
    me.act("seek", "to cell " + start, () -> file.file().seek(start * CELL));
    int ranks = me.rank().size();
    long at = start;
    int rounds = 1 + common.nextInt(5);
    for (int i = 0; i < rounds; i++) {
      long[] counts = new long[ranks];
      long same = 1L + common.nextInt(20);
      for (int r = 0; r < ranks; r++) {
        counts[r] = mode == Mode.ORDERED ? 1 + common.nextInt(30) : same;
      }
      at = mode == Mode.GLOBAL ? asOne(file, at, same) : inOrder(file, mode, at, counts);
    }
    me.barrier();
    long end = at;
    long position = me.call("position", "", file.file()::position) / CELL;
    me.check(position == end, "%s: the pointer is at %s, not %s".formatted(mode, position, end));
    file.readAt(Accesses.row(start, end - start));
    file.close();
  }

  private long inOrder(Accesses file, Mode mode, long at, long[] counts) throws IOException {
    long mine = at;
    long end = at;
    for (int r = 0; r < counts.length; r++) {
      mine += r < me.rank().number() ? counts[r] : 0;
      end += counts[r];
    }
    long[] cells = Accesses.row(mine, counts[me.rank().number()]);
    file.write(mode + " write", cells, memory -> file.file().write(memory));
    return end;
  }

  private long asOne(Accesses file, long at, long count) throws IOException {
    long[] cells = Accesses.row(at, count);
    file.write(
        "M_GLOBAL write", cells, file.beginShared(cells), memory -> file.file().write(memory));
    return at + count;
  }
}
