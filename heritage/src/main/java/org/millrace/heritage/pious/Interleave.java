package org.millrace.heritage.pious;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/**
 * How a view of PIOUS counts the bytes of segments: those of one segment, or the blocks of all in
 * turn. Immutable.
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
 * The order of the view repeats only after lcm(b, u) bytes of each segment, and no loops over loops
 * say it in fewer than min(b, u) / gcd(b, u) pieces. But nobody has to say it: an access takes
 * consecutive bytes of each segment. So it is described segment by segment. In the file they are
 * units in steps of n * u bytes, in memory blocks in steps of n * b bytes, each time with a cut
 * unit or block at both ends: a few numbers for each segment that is touched, whatever b and u are.
 */
final class Interleave {

  /** A segment's consecutive bytes, from one to before another. */
  record Part(int segment, long from, long to) {}

  /**
   * An access: bytes of the file, and where each of them lies in memory, in the same order.
   *
   * @param file the bytes of the plain file
   * @param memory their places
   */
  record Places(View file, Pattern memory) {}

  // constant after construction
  private final Layout layout;
  private final int segments; // that take turns
  private final int first; // of them
  private final long block;

  private Interleave(Layout layout, int segments, int first, long block) {
    this.layout = layout;
    this.segments = segments;
    this.first = first;
    this.block = block;
  }

  /** The bytes of one segment. */
  static Interleave segment(Layout layout, int segment) {
    return new Interleave(layout, 1, segment, layout.stripeUnitBytes());
  }

  /**
   * The blocks of all segments in turn.
   *
   * @throws IllegalArgumentException if there are not so many bytes in a file
   */
  static Interleave blocks(Layout layout, long block) {
    int all = layout.strands();
    if (block < 1 || block > Long.MAX_VALUE / all) {
      throw new IllegalArgumentException(
          "block size of %s bytes, for %s segments it must be from 1 to %s"
              .formatted(block, all, Long.MAX_VALUE / all));
    }
    return new Interleave(layout, all, 0, block);
  }

  /** Whether positions are offsets of the plain file. */
  boolean isPlain() {
    return segments == layout.strands() && (segments == 1 || block == layout.stripeUnitBytes());
  }

  /** Where in the plain file a position lies. */
  long offsetOf(long position) {
    long turn = position / block;
    int segment = first + (int) (turn % segments);
    return layout.fileOffset(segment, turn / segments * block + position % block);
  }

  /** The position of a byte of a segment. */
  private long positionOf(int segment, long offset) {
    return Math.addExact(
        Math.multiplyExact(offset / block, block * segments),
        (segment - first) * block + offset % block);
  }

  /** How many bytes of a segment lie below a position. */
  private long below(int segment, long position) {
    long round = block * segments;
    long inRound = position % round - (segment - first) * block;
    return position / round * block + Math.clamp(inRound, 0, block);
  }

  /**
   * What of each segment lies in a range of positions; those of which nothing does are left out.
   */
  List<Part> parts(long position, long length) {
    List<Part> parts = new ArrayList<>();
    long turn = position / block;
    long turns = (position + length - 1) / block - turn + 1;
    for (long i = 0; i < Math.min(turns, segments) && length > 0; i++) {
      int segment = first + (int) ((turn + i) % segments);
      parts.add(new Part(segment, below(segment, position), below(segment, position + length)));
    }
    return parts;
  }

  /** One past the last position that a segment has, given where all segments end. */
  long end(long[] ends) {
    long end = 0;
    for (int segment = first; segment < first + segments; segment++) {
      if (ends[segment] > 0) {
        end = Math.max(end, positionOf(segment, ends[segment] - 1) + 1);
      }
    }
    return end;
  }

  /** Where parts of an access that begins at a position lie, in the file and in memory. */
  Places places(List<Part> parts, long position) {
    List<Placed> file = new ArrayList<>();
    List<Placed> memory = new ArrayList<>();
    long unit = layout.stripeUnitBytes();
    for (Part part : parts) {
      long inFile = layout.fileOffset(part.segment, part.from);
      file.add(new Placed(inFile, cut(part, unit, layout.roundBytes())));
      long inMemory = positionOf(part.segment, part.from) - position;
      memory.add(new Placed(inMemory, cut(part, block, block * segments)));
    }
    Pattern bytes = Pattern.sequence(file);
    return new Places(new View(0, bytes, bytes.end() - bytes.first()), Pattern.sequence(memory));
  }

  /** Consecutive bytes that are dealt out in pieces, one in each round; from the first of them. */
  private static Pattern cut(Part part, long piece, long round) {
    long inFirst = part.from % piece;
    long head = Math.min(piece - inFirst, part.to - part.from);
    long whole = (part.to - part.from - head) / piece;
    long tail = part.to - part.from - head - whole * piece;
    return Pattern.sequence(
        List.of(
            new Placed(0, Pattern.run(head)),
            new Placed(round - inFirst, Pattern.loop(whole, round, Pattern.run(piece))),
            new Placed((whole + 1) * round - inFirst, Pattern.run(tail))));
  }
}
