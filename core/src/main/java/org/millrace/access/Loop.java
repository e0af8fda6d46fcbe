package org.millrace.access;

/** A pattern repeated at a constant stride. Immutable. */
public final class Loop extends PatternNode {

  // Constant after construction.
  final long count;
  final long stride;
  final PatternNode body;
  private final int hash;

  Loop(long count, long stride, PatternNode body) {
    super(
        Math.multiplyExact(count, body.size),
        Math.addExact(body.first, Math.min(0, reach(count, stride))),
        Math.addExact(body.end, Math.max(0, reach(count, stride))),
        count * body.runCount,
        body.depth + 1,
        body.ascending && stride >= body.span());
    this.count = count;
    this.stride = stride;
    this.body = body;
    this.hash = (Long.hashCode(count) * 31 + Long.hashCode(stride)) * 31 + body.hashCode();
  }

  private static long reach(long count, long stride) {
    return Math.multiplyExact(count - 1, stride);
  }

  /** How often the body comes; at least twice. */
  public long count() {
    return count;
  }

  /** Bytes from one start of the body to the next; may be 0 or negative. */
  public long stride() {
    return stride;
  }

  /** What is repeated. */
  public Pattern body() {
    return body;
  }

  @Override
  long at(long position) {
    long turn = position / body.size;
    return turn * stride + body.at(position - turn * body.size);
  }

  @Override
  long below(long offset) {
    // Ascending: the stride is at least the body's span, so at most one turn is cut.
    long turn = Math.clamp((offset - body.first) / stride, 0, count - 1);
    long inside = offset - turn * stride;
    long part = inside <= body.first ? 0 : inside >= body.end ? body.size : body.below(inside);
    return turn * body.size + part;
  }

  @Override
  long low(long from, long to) {
    return bound(from, to, true);
  }

  @Override
  long high(long from, long to) {
    return bound(from, to, false);
  }

  /** A cut first turn, whole turns, a cut last turn: the extreme of what there is of the three. */
  private long bound(long from, long to, boolean low) {
    long firstTurn = from / body.size;
    long lastTurn = (to - 1) / body.size;
    long fromInside = from - firstTurn * body.size;
    long toInside = to - lastTurn * body.size;
    if (firstTurn == lastTurn) {
      return firstTurn * stride + part(fromInside, toInside, low);
    }
    long result =
        better(
            firstTurn * stride + part(fromInside, body.size, low),
            lastTurn * stride + part(0, toInside, low),
            low);
    if (lastTurn - firstTurn > 1) {
      long edge = low ? body.first : body.end;
      result = better(result, (firstTurn + 1) * stride + edge, low);
      result = better(result, (lastTurn - 1) * stride + edge, low);
    }
    return result;
  }

  private long part(long from, long to, boolean low) {
    if (from == 0 && to == body.size) {
      return low ? body.first : body.end;
    }
    return low ? body.low(from, to) : body.high(from, to);
  }

  private static long better(long a, long b, boolean low) {
    return low ? Math.min(a, b) : Math.max(a, b);
  }

  @Override
  public boolean isClearlyDisjoint() {
    return Disjoint.nested(this);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Loop that && new Equality().test(this, that));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "loop(" + count + " by " + stride + ", " + body + ")";
  }
}
