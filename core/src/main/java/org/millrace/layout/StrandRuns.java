package org.millrace.layout;

import org.millrace.access.Cursor;
import org.millrace.access.Residues;
import org.millrace.access.Runs;
import org.millrace.access.View;

/**
 * A cursor over the runs of a view that lie on one strand, in the order of positions and with
 * offsets in the strand. It yields vectors as {@link Runs} does.
 *
 * <p>How it works: the strand's units come again with every round of stripe units, so a vector of
 * the view moves on a circle of roundBytes, and the strand is an arc of it:
 *
 * <pre>
 *   0        unit     2*unit   3*unit   roundBytes
 *   |--------|########|--------|--------|             strand 1 of 4
 *             [run]                                   a run inside the arc: a vector as far as the
 *             step>[run]                              next ones stay in it
 *                   [run]                             cut at the arc's end: vectors of one
 * </pre>
 *
 * Successive runs inside the arc are at a constant stride in the strand, too, whether they are in
 * the same unit or rounds apart. Runs outside are jumped over by {@link Residues}, whole loops of
 * them by {@link Runs#resetTouching}.
 *
 * <p>Owned by one thread. A step allocates nothing.
 */
public final class StrandRuns extends Cursor {

  private final Runs runs = new Runs();

  // The strand: constant after reset.
  private long unit = 1;
  private long round = 1;
  private long arc;
  private boolean isSplit;

  // The vector of the view: its next run, and the bytes of that run that are done.
  private long run;
  private long done;
  private boolean hasVector;

  /** A cursor over nothing, to be reset. */
  public StrandRuns() {}

  /** The runs of a range of a view that lie on a strand. */
  public static StrandRuns of(
      Layout layout, int strand, View view, long fromPosition, long toPosition) {
    StrandRuns runs = new StrandRuns();
    runs.reset(layout, strand, view, fromPosition, toPosition);
    return runs;
  }

  /** Starts over. */
  public void reset(Layout layout, int strand, View view, long fromPosition, long toPosition) {
    layout.checkStrand(strand);
    unit = layout.stripeUnitBytes();
    round = layout.roundBytes();
    arc = strand * unit;
    isSplit = layout.strands() > 1;
    hasVector = false;
    if (isSplit) {
      runs.resetTouching(view, fromPosition, toPosition, round, arc, unit);
    } else {
      runs.reset(view, fromPosition, toPosition);
    }
  }

  @Override
  public boolean next() {
    if (!isSplit) {
      return nextUnsplit();
    }
    while (true) {
      while (!hasVector) {
        if (!runs.next()) {
          return false;
        }
        run = 0;
        done = 0;
        hasVector = true;
      }
      if (nextInVector()) {
        return true;
      }
    }
  }

  private boolean nextUnsplit() {
    if (!runs.next()) {
      return false;
    }
    set(runs.position(), runs.offset(), runs.length(), runs.stride(), runs.count());
    return true;
  }

  /** Takes the next piece from the view's vector. False if there is none, or a run was passed. */
  private boolean nextInVector() {
    if (done == 0) {
      long turns = Residues.firstTouch(start() - arc, runs.stride(), runs.length(), round, unit);
      if (turns >= runs.count() - run) {
        hasVector = false;
        return false;
      }
      run += turns;
    }
    long start = start();
    long end = start + runs.length();
    // The next byte of the run that is on the strand, and where its unit ends.
    long from = start + done;
    long inRound = Math.floorMod(from - arc, round);
    if (inRound >= unit) {
      long gap = round - inRound;
      if (gap >= end - from) {
        pass(1);
        return false;
      }
      from += gap;
      inRound = 0;
    }
    long to = unit - inRound < end - from ? from + (unit - inRound) : end;
    long at = runs.position() + run * runs.length() + (from - start);
    if (from == start && to == end) {
      setWhole(at, from, inRound);
      pass(count());
    } else {
      set(at, strandOffset(from), to - from, to - from, 1);
      done = to - start;
      if (to == end) {
        pass(1);
      }
    }
    return true;
  }

  /** A run inside the arc, and all that follow it in the vector until one is not. */
  private void setWhole(long at, long from, long inRound) {
    long left = runs.count() - run;
    long rounds = Math.floorDiv(runs.stride(), round);
    long moved = runs.stride() - rounds * round;
    long inside;
    if (moved == 0) {
      inside = left;
    } else if (moved <= unit - runs.length()) {
      inside = (unit - runs.length() - inRound) / moved + 1;
    } else {
      // Seen the other way round the circle, the step may be a small one back.
      rounds++;
      moved -= round;
      inside = inRound / -moved + 1;
    }
    long step = rounds * unit + moved;
    set(at, strandOffset(from), runs.length(), step, Math.min(left, inside));
  }

  private void pass(long passed) {
    run += passed;
    done = 0;
    hasVector = run < runs.count();
  }

  private long start() {
    return runs.offset() + run * runs.stride();
  }

  private long strandOffset(long fileOffset) {
    return fileOffset / round * unit + fileOffset % unit;
  }
}
