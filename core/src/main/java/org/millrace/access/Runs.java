package org.millrace.access;

import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over the runs of a pattern or a view, in the order of positions. Runs that a window cuts
 * come as vectors of one. Neighbouring vectors may touch; they are not joined.
 *
 * <p>How it works: a stack of frames, one for each loop or list on the way down, each with the next
 * child and the last. On entering a node the children outside the windows are left out by division,
 * so that only the two cut edges are ever looked into. Nodes that lie whole inside skip even that.
 *
 * <p>Owned by one thread. A step allocates nothing; {@code reset} allocates only when the pattern
 * is deeper than all before.
 */
public final class Runs extends Cursor {

  private final Window window = new Window();
  private final Leaf leaf = new Leaf();

  // The frames below top. A loop's frame holds the loop's body, a list's frame the list.
  private int top;
  private long visited;
  private boolean[] isLoop = new boolean[4];
  private PatternNode[] nodes = new PatternNode[4];
  private long[] strides = new long[4];
  private long[] bases = new long[4];
  private long[] positions = new long[4];
  private long[] nexts = new long[4];
  private long[] lasts = new long[4];

  /** A cursor over nothing, to be reset. */
  public Runs() {}

  /** Starts over: the given positions of a pattern. */
  public void reset(Pattern pattern, long fromPosition, long toPosition) {
    reset(pattern, fromPosition, toPosition, pattern.first(), pattern.end());
  }

  /** Starts over: the given positions of a pattern, as far as they lie in the given offsets. */
  public void reset(
      Pattern pattern, long fromPosition, long toPosition, long fromOffset, long toOffset) {
    PatternNode node = (PatternNode) pattern;
    Objects.checkFromToIndex(fromPosition, toPosition, node.size);
    checkOffsets(fromOffset, toOffset);
    start(node.depth);
    // Windows inside the pattern's span keep all differences of offsets within a long.
    window.set(
        fromPosition, toPosition, Math.max(fromOffset, node.first), Math.min(toOffset, node.end));
    if (!window.isEmpty()) {
      enter(node, 0, 0);
    }
  }

  /** Starts over: the given positions of a view. */
  public void reset(View view, long fromPosition, long toPosition) {
    view.checkReach(fromPosition, toPosition);
    start(view.node().depth + 1);
    window.set(fromPosition, toPosition, 0, Long.MAX_VALUE);
    enterTiles(view);
  }

  /**
   * Starts over: the given positions of a view, as far as they lie in the given file offsets.
   * Positions beyond the largest file offset are outside any window and do no harm.
   */
  public void reset(View view, long fromPosition, long toPosition, long fromOffset, long toOffset) {
    View.checkPositions(fromPosition, toPosition);
    checkOffsets(fromOffset, toOffset);
    start(view.node().depth + 1);
    window.set(
        fromPosition,
        Math.min(toPosition, view.positionLimit()),
        Math.max(0, fromOffset),
        toOffset);
    enterTiles(view);
  }

  /**
   * Starts over: the given positions of a view, leaving out what lies outside a periodic window:
   * the file offsets x for which (x - windowFrom) mod period is below windowLength. The edges are
   * not cut, and vectors may go on with runs outside: the caller looks at each.
   */
  public void resetTouching(
      View view,
      long fromPosition,
      long toPosition,
      long period,
      long windowFrom,
      long windowLength) {
    view.checkReach(fromPosition, toPosition);
    start(view.node().depth + 1);
    window.set(fromPosition, toPosition, 0, Long.MAX_VALUE);
    window.setPeriod(period, windowFrom, windowLength);
    enterTiles(view);
  }

  @Override
  public boolean next() {
    Leaf runs = leaf;
    while (true) {
      if (runs.hasNext()) {
        long run = runs.next;
        if (run >= runs.whole && run < runs.wholeEnd) {
          position = runs.position + run * runs.length;
          offset = runs.offset + run * runs.stride;
          length = runs.length;
          stride = runs.stride;
          count = runs.wholeEnd - run;
          runs.next = runs.wholeEnd;
          return true;
        }
        runs.next = run + 1;
        if (cut(run)) {
          return true;
        }
      } else if (!advance()) {
        return false;
      }
    }
  }

  /** How many nodes were entered since the last reset: what pruning keeps small. */
  long visited() {
    return visited;
  }

  private static void checkOffsets(long from, long to) {
    if (to < from) {
      throw new IllegalArgumentException(
          "offset window ends at " + to + ", below its start " + from);
    }
  }

  private void start(int depth) {
    top = 0;
    visited = 0;
    leaf.clear();
    if (depth > nodes.length) {
      isLoop = Arrays.copyOf(isLoop, depth);
      nodes = Arrays.copyOf(nodes, depth);
      strides = Arrays.copyOf(strides, depth);
      bases = Arrays.copyOf(bases, depth);
      positions = Arrays.copyOf(positions, depth);
      nexts = Arrays.copyOf(nexts, depth);
      lasts = Arrays.copyOf(lasts, depth);
    }
  }

  /** The tiles are a loop without end; the window of positions ends it. */
  private void enterTiles(View view) {
    if (window.isEmpty()) {
      return;
    }
    PatternNode tile = view.node();
    if (view.isContiguous()) {
      long from = Math.max(view.displacement() + window.fromPosition, window.fromOffset);
      long to = Math.min(view.displacement() + window.toPosition, window.toOffset);
      leaf.setRun(from, from - view.displacement(), to - from);
    } else {
      long tiles = Math.ceilDiv(window.toPosition, tile.size);
      loop(tile, tiles, view.tileExtent(), view.displacement(), 0, false);
    }
  }

  /** Goes down into the next child that may hold something. False if all is done. */
  private boolean advance() {
    while (top > 0) {
      int frame = top - 1;
      long child = nexts[frame];
      if (child >= lasts[frame]) {
        top = frame;
      } else if (isLoop[frame]) {
        advanceLoop(frame, child);
      } else {
        advanceList(frame, (int) child);
      }
      if (leaf.hasNext()) {
        return true;
      }
    }
    return false;
  }

  private void advanceLoop(int frame, long child) {
    PatternNode body = nodes[frame];
    long turn = child;
    if (window.isPeriodic()) {
      turn +=
          window.skip(
              bases[frame] + turn * strides[frame] + body.first, strides[frame], body.span());
      if (turn < 0 || turn >= lasts[frame]) {
        top = frame;
        return;
      }
    }
    nexts[frame] = turn + 1;
    enter(body, bases[frame] + turn * strides[frame], positions[frame] + turn * body.size);
  }

  private void advanceList(int frame, int child) {
    if (nodes[frame] instanceof Indexed indexed) {
      long entryLength = indexed.length(child);
      long base = indexed.offsets[child];
      int end = child + 1;
      long step = entryLength;
      if (end < lasts[frame]) {
        step = indexed.offsets[end] - base;
        while (end < lasts[frame]
            && indexed.length(end) == entryLength
            && indexed.offsets[end] - indexed.offsets[end - 1] == step) {
          end++;
        }
      }
      nexts[frame] = end;
      leaf.set(
          window,
          bases[frame] + base,
          positions[frame] + indexed.starts[child],
          entryLength,
          step,
          end - child,
          false);
    } else {
      Sequence list = (Sequence) nodes[frame];
      nexts[frame] = child + 1L;
      enter(
          list.nodes[child],
          bases[frame] + list.displacements[child],
          positions[frame] + list.starts[child]);
    }
  }

  private void enter(PatternNode node, long base, long at) {
    visited++;
    boolean inside = window.holds(node, base, at);
    if (!inside && !window.touches(node, base, at)) {
      return;
    }
    switch (node) {
      case Run run -> leaf.set(window, base, at, run.size, run.size, run.runCount, inside);
      case Loop loop -> loop(loop.body, loop.count, loop.stride, base, at, inside);
      case Sequence list -> sequence(list, base, at, inside);
      case Indexed list -> indexed(list, base, at, inside);
    }
  }

  private void loop(PatternNode body, long turns, long step, long base, long at, boolean inside) {
    if (body instanceof Run) {
      leaf.set(window, base, at, body.size, step, turns, inside);
      return;
    }
    long from = 0;
    long to = turns;
    if (!inside) {
      long low = base + body.first;
      long high = base + body.end;
      from = Math.max(0, (window.fromPosition - at) / body.size);
      from = Math.max(from, window.firstTouching(low, high, step));
      to = Math.min(to, Math.ceilDiv(window.toPosition - at, body.size));
      to = Math.min(to, window.endTouching(low, high, step));
    }
    if (from < to) {
      push(true, body, step, base, at, from, to);
    }
  }

  private void sequence(Sequence list, long base, long at, boolean inside) {
    int from = 0;
    int to = list.nodes.length;
    if (!inside) {
      Window w = window;
      from = at < w.fromPosition ? list.childAt(w.fromPosition - at) : 0;
      to = at + list.size > w.toPosition ? list.childAt(w.toPosition - 1 - at) + 1 : to;
      if (list.ascending && base + list.first < w.fromOffset) {
        from = Math.max(from, list.childAbove(w.fromOffset - base));
      }
      if (list.ascending && base + list.end > w.toOffset) {
        to = Math.min(to, list.childAbove(w.toOffset - 1 - base) + 1);
      }
    }
    if (from < to) {
      push(false, list, 0, base, at, from, to);
    }
  }

  private void indexed(Indexed list, long base, long at, boolean inside) {
    int from = 0;
    int to = list.offsets.length;
    if (!inside) {
      Window w = window;
      from = at < w.fromPosition ? list.entryAt(w.fromPosition - at) : 0;
      to = at + list.size > w.toPosition ? list.entryAt(w.toPosition - 1 - at) + 1 : to;
      if (list.ascending && base + list.first < w.fromOffset) {
        from = Math.max(from, Search.last(list.offsets, to, w.fromOffset - base));
      }
      if (list.ascending && base + list.end > w.toOffset) {
        to = Math.min(to, Search.last(list.offsets, to, w.toOffset - 1 - base) + 1);
      }
    }
    if (from < to) {
      push(false, list, 0, base, at, from, to);
    }
  }

  private void push(
      boolean loop, PatternNode node, long step, long base, long at, long from, long to) {
    isLoop[top] = loop;
    nodes[top] = node;
    strides[top] = step;
    bases[top] = base;
    positions[top] = at;
    nexts[top] = from;
    lasts[top] = to;
    top++;
  }

  /** Makes the vector the part of one run that the windows leave. False if that is nothing. */
  private boolean cut(long run) {
    long runOffset = leaf.offset + run * leaf.stride;
    long runPosition = leaf.position + run * leaf.length;
    long from =
        Math.max(0, Math.max(window.fromOffset - runOffset, window.fromPosition - runPosition));
    long to =
        Math.min(
            leaf.length, Math.min(window.toOffset - runOffset, window.toPosition - runPosition));
    position = runPosition + from;
    offset = runOffset + from;
    length = to - from;
    stride = length;
    count = 1;
    return from < to;
  }
}
