package org.millrace.access;

/**
 * A cursor over the bytes that two ascending patterns, or ranges of two ascending views, have in
 * common. It yields vectors of one run by ascending offset; neighbouring runs may touch. A position
 * is that in the pattern that was asked.
 *
 * <p>Each side walks its vectors. The side that is behind jumps: inside its vector by division, out
 * of it by {@code positionOf}. Two vectors that stay out of step are compared on the circle ({@link
 * Residues}), so interlocking vectors without a common byte cost one step.
 *
 * <p>Owned by one thread. A step allocates nothing.
 */
public final class Intersections extends Cursor {

  private final Side a;
  private final Side b;

  /** What was added to all offsets so that none is negative. */
  private final long base;

  /** All common bytes below are done. */
  private long done;

  private long otherPosition;

  Intersections(PatternNode a, PatternNode b) {
    a.requireAscending("intersect");
    b.requireAscending("intersect");
    base = Math.min(0, Math.min(a.first, b.first));
    this.a = new Side(new View(Math.negateExact(base), a, a.span()), 0, a.size);
    this.b = new Side(new View(Math.negateExact(base), b, b.span()), 0, b.size);
  }

  Intersections(View a, long fromA, long toA, View b, long fromB, long toB) {
    if (!a.isAscending() || !b.isAscending()) {
      throw new IllegalStateException(
          "intersect needs ascending views, these are " + a + " and " + b);
    }
    base = 0;
    this.a = new Side(a, fromA, toA);
    this.b = new Side(b, fromB, toB);
  }

  @Override
  public boolean next() {
    while (a.seek(done) && b.seek(Math.max(done, a.runStart()))) {
      long from = Math.max(done, Math.max(a.runStart(), b.runStart()));
      if (from < a.runEnd()) {
        long common = Math.min(a.runEnd(), b.runEnd()) - from;
        set(a.positionAt(from), from + base, common, common, 1);
        otherPosition = b.positionAt(from);
        done = from + common;
        return true;
      }
      done = Math.max(from, disjointUpTo());
    }
    return false;
  }

  /** The position of its first byte in the other pattern. */
  public long otherPosition() {
    return otherPosition;
  }

  /** An offset up to which the two current vectors have nothing in common. */
  private long disjointUpTo() {
    if (a.isLastRun() || b.isLastRun()) {
      return done;
    }
    long end = Math.min(a.vectorEnd(), b.vectorEnd());
    long turns =
        Residues.firstTouch(
            a.runStart() - b.runStart(), a.stride(), a.length(), b.stride(), b.length());
    return turns > (end - a.runStart()) / a.stride()
        ? end
        : Math.min(end, a.runStart() + turns * a.stride());
  }

  /** One of the two: a cursor and the run of its vector that it stands on. */
  private static final class Side {

    private final View view;
    private final long toPosition;
    private final Runs runs = new Runs();
    private boolean hasVector;
    private long run;

    Side(View view, long fromPosition, long toPosition) {
      this.view = view;
      this.toPosition = toPosition;
      runs.reset(view, fromPosition, toPosition);
      hasVector = runs.next();
    }

    /** Goes forward to the first run that ends above an offset. False if there is none. */
    boolean seek(long offset) {
      boolean jumped = false;
      while (hasVector) {
        if (offset < vectorEnd()) {
          if (offset >= runEnd()) {
            run = Math.floorDiv(offset - runs.offset() - runs.length(), runs.stride()) + 1;
          }
          return true;
        }
        if (jumped) {
          long position = view.positionOf(offset);
          if (position >= toPosition) {
            hasVector = false;
            return false;
          }
          runs.reset(view, position, toPosition);
        }
        hasVector = runs.next();
        run = 0;
        jumped = true;
      }
      return false;
    }

    long runStart() {
      return runs.offset() + run * runs.stride();
    }

    long runEnd() {
      return runStart() + runs.length();
    }

    long vectorEnd() {
      return runs.offset() + (runs.count() - 1) * runs.stride() + runs.length();
    }

    boolean isLastRun() {
      return run == runs.count() - 1;
    }

    long stride() {
      return runs.stride();
    }

    long length() {
      return runs.length();
    }

    long positionAt(long offset) {
      return runs.position() + run * runs.length() + (offset - runStart());
    }
  }
}
