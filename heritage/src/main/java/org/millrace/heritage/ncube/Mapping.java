package org.millrace.heritage.ncube;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;

/**
 * Which bytes of a matrix in row-major order belong to which processing element. All four kinds are
 * one scheme: blocks of DX by DY bytes; TW blocks beside each other and P / TW below each other are
 * a template, which has a block for each processing element, numbered along its rows; W templates
 * lie beside each other in the matrix, and without end below each other. If TW does not divide P,
 * the numbering goes on from one row of blocks to the next, round and round.
 *
 * <pre>
 *   SCATTER, P = 4, TW = 2, W = 2         | 0 | 1 | 0 | 1 |
 *                                         | 2 | 3 | 2 | 3 |
 *   each character a block of DX * DY     | 0 | 1 | 0 | 1 |     Dim_x = DX * TW * W
 *                                         | 2 | 3 | 2 | 3 |
 *
 *   COLUMN(DX)          TW = P, W = 1     Dim_x = P * DX        DY does not matter
 *   ROW(DX, DY)         TW = 1, W = 1     Dim_x = DX
 *   BLOCK(DX, DY, TW)   W = 1             Dim_x = DX * TW
 * </pre>
 *
 * A processing element's buffer has its bytes in the order of the stream, which is its own part of
 * the matrix row by row. The text names the figure of the permutation but does not contain it; in
 * ROW, COLUMN and BLOCK there is no other order that keeps rows, in SCATTER one could also think of
 * block after block.
 *
 * <p>Sizes need not be powers of two, and the matrix may be narrower than its templates ({@link
 * #width}): then the last ones are cut.
 *
 * <p>Immutable; safe for any number of threads.
 *
 * @param kind what it was asked for as
 * @param dx bytes in a row of a block
 * @param dy rows of a block
 * @param tw blocks beside each other in a template
 * @param processors P
 * @param dimX bytes in a row of the matrix
 */
public record Mapping(Kind kind, long dx, long dy, long tw, int processors, long dimX) {

  /** The four kinds. */
  public enum Kind {
    /** Groups of whole rows. */
    ROW,
    /** Groups of whole columns. */
    COLUMN,
    /** A block for each processing element. */
    BLOCK,
    /** Many blocks for each. */
    SCATTER
  }

  /** Checks that sizes are positive and that no processing element is twice in a row of blocks. */
  public Mapping {
    if (dx < 1 || dy < 1 || tw < 1 || processors < 1 || dimX < 1) {
      throw new IllegalArgumentException(
          "DX %s, DY %s, TW %s, P %s, Dim_x %s: each must be at least 1"
              .formatted(dx, dy, tw, processors, dimX));
    }
    if (tw > processors) {
      throw new IllegalArgumentException(
          "TW %s is more than the %s processing elements".formatted(tw, processors));
    }
  }

  /** {@code ROW}: rows of {@code dx} bytes, {@code dy} of them at a time. */
  public static Mapping row(long dx, long dy, int processors) {
    return new Mapping(Kind.ROW, dx, dy, 1, processors, dx);
  }

  /** {@code COLUMN}: columns of {@code dx} bytes, one for each processing element. */
  public static Mapping column(long dx, int processors) {
    long dimX = Math.multiplyExact(dx, (long) processors);
    return new Mapping(Kind.COLUMN, dx, 1, processors, processors, dimX);
  }

  /** {@code BLOCK}: {@code tw} blocks of {@code dx} by {@code dy} beside each other. */
  public static Mapping block(long dx, long dy, long tw, int processors) {
    return new Mapping(Kind.BLOCK, dx, dy, tw, processors, Math.multiplyExact(dx, tw));
  }

  /** {@code SCATTER}: {@code w} templates of {@code tw} blocks beside each other. */
  public static Mapping scatter(long dx, long dy, long tw, long w, int processors) {
    if (w < 1) {
      throw new IllegalArgumentException("W " + w + ": must be at least 1");
    }
    long dimX = Math.multiplyExact(Math.multiplyExact(dx, tw), w);
    return new Mapping(Kind.SCATTER, dx, dy, tw, processors, dimX);
  }

  /** The same for a matrix of another width; blocks that stick out are cut. */
  public Mapping width(long bytes) {
    return new Mapping(kind, dx, dy, tw, processors, bytes);
  }

  /** What a processing element sees of the file. */
  public View view(int processor) {
    if (processor < 0 || processor >= processors) {
      throw new IndexOutOfBoundsException("processing element " + processor + " of " + processors);
    }
    long templateX = Math.multiplyExact(dx, tw);
    long blockRow = Math.multiplyExact(dy, dimX);
    int blockRows = processors / gcd((int) tw, processors); // until the numbering begins again
    long extent = Math.multiplyExact(blockRow, blockRows);
    List<Placed> blocks = new ArrayList<>();
    for (int k = 0; k < blockRows; k++) {
      long column = Math.floorMod(processor - k * tw, (long) processors);
      long left = Math.min(column, tw) * dx;
      if (left < Math.min(templateX, dimX)) {
        Pattern row = row(dimX - left, templateX);
        blocks.add(new Placed(k * blockRow + left, Pattern.loop(dy, dimX, row)));
      }
    }
    return new View(0, Pattern.sequence(blocks), extent);
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** One row's bytes of a processing element whose first block has {@code room} before the end. */
  private Pattern row(long room, long templateX) {
    long whole = room < dx ? 0 : (room - dx) / templateX + 1;
    long templates = Math.multiplyExact(whole, templateX);
    long cut = Math.clamp(room - templates, 0, dx);
    return Pattern.sequence(
        List.of(
            new Placed(0, Pattern.loop(whole, templateX, Pattern.run(dx))),
            new Placed(templates, Pattern.run(cut))));
  }
}
