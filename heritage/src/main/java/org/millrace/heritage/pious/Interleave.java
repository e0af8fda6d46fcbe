package org.millrace.heritage.pious;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/**
 * Views over segments, as views of the plain file. Stateless.
 *
 * <p>Byte g of an interleave with block size b over n segments is byte (k / n) * b + g mod b of
 * segment k mod n, with k = g / b. Byte o of segment s is where the layout puts byte o of strand s,
 * whose own interleave is by stripe units of u bytes. Where b and u differ the two do not agree:
 *
 * <pre>
 *   n = 2, u = 4, b = 2      plain file   0 0 0 0 1 1 1 1 | 0 0 0 0 1 1 1 1     segment of each byte
 *                            position     0 1 4 5 2 3 6 7 | 8 9 . . . . . .     in the view
 * </pre>
 *
 * Both repeat after lcm(b, u) bytes of each segment, which is what a tile holds.
 */
final class Interleave {

  private Interleave() {}

  /** The bytes of one segment. */
  static View segment(Layout layout, int segment) {
    long unit = layout.stripeUnitBytes();
    return new View(segment * unit, Pattern.run(unit), layout.roundBytes());
  }

  /** The blocks of all segments in turn. */
  static View blocks(Layout layout, long block) {
    long unit = layout.stripeUnitBytes();
    if (block == unit) {
      return View.WHOLE;
    }
    long common = Math.multiplyExact(block / gcd(block, unit), unit);
    long extent = Math.multiplyExact(common, (long) layout.strands());
    Pattern tile;
    if (unit % block == 0) { // the k-th blocks of all units, then the next ones
      tile = Pattern.loop(unit / block, block, onAllSegments(layout, Pattern.run(block)));
    } else {
      List<Placed> turns = new ArrayList<>();
      for (long from = 0; from < common; from += block) {
        turns.add(new Placed(0, onAllSegments(layout, ofFirstSegment(layout, from, from + block))));
      }
      tile = Pattern.sequence(turns);
    }
    return new View(0, tile, extent);
  }

  private static Pattern onAllSegments(Layout layout, Pattern ofFirst) {
    return Pattern.loop(layout.strands(), layout.stripeUnitBytes(), ofFirst);
  }

  /** Where a range of segment 0 lies in the plain file. */
  private static Pattern ofFirstSegment(Layout layout, long from, long to) {
    long unit = layout.stripeUnitBytes();
    List<Placed> runs = new ArrayList<>();
    for (long at = from; at < to; at = Math.min(to, (at / unit + 1) * unit)) {
      long end = Math.min(to, (at / unit + 1) * unit);
      runs.add(new Placed(layout.fileOffset(0, at), Pattern.run(end - at)));
    }
    return Pattern.sequence(runs);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
