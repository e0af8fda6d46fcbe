package org.millrace.heritage.mpiio;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;

/**
 * What a datatype is, computed when it is built. Immutable.
 *
 * @param pattern the bytes, in the order of the type map
 * @param lb lower bound
 * @param ub upper bound
 * @param bounded whether the bounds were set explicitly, here or in a part
 * @param alignment the width of the widest number
 * @param signature the elements
 * @param ordered whether no element has a smaller displacement than the one before
 * @param firstAt displacement of the first element in the order of the type map
 * @param lastAt displacement of the last one
 */
record Composition(
    Pattern pattern,
    long lb,
    long ub,
    boolean bounded,
    int alignment,
    Signature signature,
    boolean ordered,
    long firstAt,
    long lastAt) {

  /**
   * One element.
   *
   * @param unit the width of its numbers, of which a complex one has two; as far as it is aligned
   */
  static Composition basic(int width, int unit) {
    Pattern run = Pattern.run(width);
    return new Composition(
        run, 0, width, false, unit, new Signature.Basic(width, unit), true, 0, 0);
  }

  /** The same with explicit bounds. */
  Composition bounded(long newLb, long newUb) {
    return new Composition(
        pattern, newLb, newUb, true, alignment, signature, ordered, firstAt, lastAt);
  }

  /** The pieces, one after the other. */
  static Composition of(List<Piece> given) {
    List<Piece> pieces = given.stream().filter(piece -> piece.count() > 0).toList();
    Pattern pattern = pattern(pieces);
    Signature[] signatures = new Signature[pieces.size()];
    int alignment = 1;
    boolean bounded = false;
    long lb = Long.MAX_VALUE;
    long ub = Long.MIN_VALUE;
    for (int i = 0; i < signatures.length; i++) {
      Piece piece = pieces.get(i);
      Composition parts = piece.type().parts();
      signatures[i] = Signature.repeat(piece.count(), parts.signature);
      alignment = Math.max(alignment, parts.alignment);
      if (parts.bounded) { // only explicit bounds count as soon as there are any
        bounded = true;
        lb = Math.min(lb, Math.addExact(piece.lowest(), parts.lb));
        ub = Math.max(ub, Math.addExact(piece.highest(), parts.ub));
      }
    }
    if (!bounded) {
      lb = pattern.first();
      ub = lb + Math.ceilDiv(pattern.end() - lb, alignment) * alignment;
    }
    List<Piece> filled = pieces.stream().filter(piece -> piece.type().getSize() > 0).toList();
    long firstAt = 0;
    long lastAt = 0;
    if (!filled.isEmpty()) {
      firstAt = filled.getFirst().displacement() + filled.getFirst().type().parts().firstAt;
      lastAt = filled.getLast().last() + filled.getLast().type().parts().lastAt;
    }
    return new Composition(
        pattern,
        lb,
        ub,
        bounded,
        alignment,
        Signature.chain(signatures),
        isOrdered(filled),
        firstAt,
        lastAt);
  }

  /** Elements of an array, in its order: {@code selected} is made of {@code old}'s pattern. */
  static Composition array(Pattern selected, Datatype old) {
    Composition parts = old.parts();
    long size = parts.pattern.size();
    long count = size == 0 ? 0 : selected.size() / size;
    boolean ordered =
        parts.ordered && (count < 2 || parts.lastAt <= parts.firstAt + old.getExtent());
    return new Composition(
        selected,
        0,
        0,
        false,
        parts.alignment,
        Signature.repeat(count, parts.signature),
        ordered,
        selected.first() - parts.pattern.first() + parts.firstAt,
        selected.end() - parts.pattern.end() + parts.lastAt);
  }

  private static Pattern pattern(List<Piece> pieces) {
    if (pieces.stream().allMatch(piece -> isPlain(piece.type()))) {
      long[] offsets = pieces.stream().mapToLong(Piece::displacement).toArray();
      long[] lengths =
          pieces.stream()
              .mapToLong(piece -> Math.multiplyExact(piece.count(), piece.type().getSize()))
              .toArray();
      if (pieces.stream().allMatch(piece -> piece.strideBytes() == piece.type().getSize())) {
        return Pattern.indexed(offsets, lengths);
      }
    }
    List<Placed> placed = new ArrayList<>(pieces.size());
    for (Piece piece : pieces) {
      Pattern one = piece.type().pattern();
      placed.add(
          new Placed(piece.displacement(), Pattern.loop(piece.count(), piece.strideBytes(), one)));
    }
    return Pattern.sequence(placed);
  }

  /** Whether the type is a run of bytes from its origin on. */
  private static boolean isPlain(Datatype type) {
    return type.pattern().isContiguous() && type.pattern().first() == 0;
  }

  private static boolean isOrdered(List<Piece> filled) {
    long before = Long.MIN_VALUE;
    for (Piece piece : filled) {
      Composition parts = piece.type().parts();
      boolean within =
          piece.count() == 1
              || (piece.strideBytes() >= 0 && parts.lastAt - parts.firstAt <= piece.strideBytes());
      long first = piece.displacement() + parts.firstAt;
      if (!parts.ordered || !within || first < before) {
        return false;
      }
      before = piece.last() + parts.lastAt;
    }
    return true;
  }
}
