package org.millrace.heritage.vesta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.client.Agreement;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A logical partition: which basic striping units (BSUs) of a file are one subfile, and in which
 * order.
 *
 * <pre>
 *              cells                     Vgs = 2, Vi = 2, Hgs = 1, Hi = 2: four subfiles
 *           0   1   2   3
 *   BSUs  | 0 | 1 | 0 | 1 |              subfile 0 has its BSUs in this order:
 *         | 0 | 1 | 0 | 1 |
 *         | 2 | 3 | 2 | 3 |                | 0 |   | 2 |
 *         | 2 | 3 | 2 | 3 |                | 1 |   | 3 |
 *         | 0 | 1 | 0 | 1 |
 *         | 0 | 1 | 0 | 1 |                | 4 |   | 6 |
 *           ...                            | 5 |   | 7 |
 * </pre>
 *
 * Records go first down a vertical group, then along the cells of a horizontal group, then to the
 * subfile's next horizontal group, then to its next vertical group; so with Vgs above 1 a subfile
 * does not ascend in the file. Partition numbers go first along the horizontal groups.
 *
 * <p>The text does not say what happens if the cells are not a multiple of Hgs * Hi. Here the last
 * group is cut where the cells end, and a subfile that has no cell at all is empty: so every BSU is
 * in exactly one subfile, whatever the numbers.
 *
 * <p>Immutable; safe for any number of threads.
 *
 * @param vgs vertical group size: BSUs of one cell that follow each other in a subfile
 * @param vi vertical interleave: how many subfiles take turns down a cell
 * @param hgs horizontal group size: neighbouring cells that belong to a subfile
 * @param hi horizontal interleave: how many subfiles take turns along the cells
 * @param number which of the vi * hi subfiles
 */
public record Partition(long vgs, long vi, long hgs, long hi, long number) {

  /** Checks that sizes are positive and that there is such a subfile. */
  public Partition {
    if (vgs < 1 || vi < 1 || hgs < 1 || hi < 1) {
      throw new IllegalArgumentException(
          "Vgs %s, Vi %s, Hgs %s, Hi %s: each must be at least 1".formatted(vgs, vi, hgs, hi));
    }
    if (number < 0 || number >= Math.multiplyExact(vi, hi)) {
      throw new IllegalArgumentException(
          "partition %s of %s * %s subfiles".formatted(number, vi, hi));
    }
  }

  /** One subfile that is the whole file in the order of its plain bytes. */
  public static Partition whole(int cells) {
    return new Partition(1, 1, cells, 1, 0);
  }

  /** Another subfile of the same scheme. */
  public Partition number(long other) {
    return new Partition(vgs, vi, hgs, hi, other);
  }

  /** How many subfiles the scheme has. */
  public long subfiles() {
    return vi * hi;
  }

  /** Whether another partition divides files in the same way. */
  public boolean sameScheme(Partition other) {
    return number(0).equals(other.number(0));
  }

  /** All processes' partitions, by rank, on every process. Synchronizing. */
  public static List<Partition> allGather(Rank group, Partition mine) throws IOException {
    ByteBuffer said = ByteBuffer.allocate(5 * Long.BYTES);
    said.putLong(mine.vgs).putLong(mine.vi).putLong(mine.hgs).putLong(mine.hi);
    List<Partition> all = new ArrayList<>();
    for (byte[] one : group.allGather(said.putLong(mine.number).array())) {
      ByteBuffer in = ByteBuffer.wrap(one);
      all.add(new Partition(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong()));
    }
    return all;
  }

  /** What is wrong if each process is to have a subfile of its own of one scheme; else empty. */
  public static Optional<String> overlap(List<Partition> byRank) {
    for (int r = 1; r < byRank.size(); r++) {
      Partition next = byRank.get(r);
      int same = byRank.subList(0, r).indexOf(next);
      if (same >= 0) {
        return Optional.of("processes %s and %s both open %s".formatted(same, r, next));
      }
      if (!next.sameScheme(byRank.getFirst())) {
        return Optional.of(
            "process %s opens %s, another scheme than process 0's %s"
                .formatted(r, next, byRank.getFirst()));
      }
    }
    return Optional.empty();
  }

  /** What is wrong if all processes are to share one subfile; else empty. */
  public static Optional<String> difference(List<Partition> byRank) {
    return byRank.stream().distinct().count() == 1
        ? Optional.empty()
        : Optional.of("processes that must share one subfile open " + byRank);
  }

  /**
   * The subfile of a file with this structure, as a view of its plain bytes.
   *
   * @throws ArithmeticException if a vertical group reaches beyond the largest file offset
   * @throws IllegalArgumentException if it does, too
   */
  public View view(long bsuBytes, int cells) {
    long row = Math.multiplyExact(bsuBytes, (long) cells);
    long down = number / hi;
    long firstCell = firstCell(cells);
    long turn = turn(cells);
    long left = cells - firstCell;
    long whole = hgs > left ? 0 : (left - hgs) / turn + 1;
    long behind = Math.min(whole * turn, left); // cells that whole groups have used up
    List<Placed> groups = new ArrayList<>();
    groups.add(new Placed(0, wholeGroups(whole, turn, bsuBytes, row)));
    groups.add(new Placed(behind * bsuBytes, group(Math.min(left - behind, hgs), bsuBytes, row)));
    return new View(
        Math.addExact(Math.multiplyExact(Math.multiplyExact(down, vgs), row), firstCell * bsuBytes),
        Pattern.sequence(groups),
        Math.multiplyExact(Math.multiplyExact(vgs, vi), row));
  }

  private Pattern wholeGroups(long count, long turn, long bsuBytes, long row) {
    return count == 0
        ? Pattern.EMPTY
        : Pattern.loop(count, turn * bsuBytes, group(hgs, bsuBytes, row));
  }

  /** The first cell of the first horizontal group, or the number of cells if there is none. */
  private long firstCell(int cells) {
    long across = number % hi;
    return across > cells / hgs ? cells : Math.min(across * hgs, cells);
  }

  /** Cells from one horizontal group to the next; if none follows, as many as there are. */
  private long turn(int cells) {
    return hi > cells / hgs ? cells : hgs * hi;
  }

  /**
   * Where the subfile ends: one past its last byte that lies before the end of its own cell. Cells
   * have ends of their own, so what others write to other cells does not make a subfile longer.
   *
   * @param cellEnds of each cell, in bytes of the cell
   */
  public long end(long bsuBytes, long[] cellEnds) {
    int cells = cellEnds.length;
    int[] own = ownCells(cells);
    long end = 0;
    for (int i = 0; i < own.length; i++) {
      long cellEnd = cellEnds[own[i]];
      long last = lastRow(cellEnd, bsuBytes);
      if (last >= 0) {
        long record = (last / vgs / vi * own.length + i) * vgs + last % vgs;
        boolean isCut = last == (cellEnd - 1) / bsuBytes;
        end = Math.max(end, record * bsuBytes + (isCut ? (cellEnd - 1) % bsuBytes + 1 : bsuBytes));
      }
    }
    return end;
  }

  /** The subfile's cells, in order. */
  private int[] ownCells(int cells) {
    return IntStream.range((int) firstCell(cells), cells)
        .filter(cell -> (cell - firstCell(cells)) % turn(cells) < hgs)
        .toArray();
  }

  /** The last row of a cell that has data and is the subfile's; -1 if there is none. */
  private long lastRow(long cellEnd, long bsuBytes) {
    if (cellEnd == 0) {
      return -1;
    }
    long row = (cellEnd - 1) / bsuBytes;
    long group = row / vgs;
    long behind = Math.floorMod(group - number / hi, vi); // groups back to one of the subfile's
    long own = group - behind;
    return own < 0 ? -1 : behind == 0 ? row : own * vgs + vgs - 1;
  }

  /**
   * Makes the subfile what this process sees of a file that the group has just opened.
   * Synchronizing. If it is too large for a view on any process, all close the file.
   *
   * @return whether it is what this process sees now; the same on all processes
   */
  public boolean trySetView(Rank group, SharedFile file) throws IOException {
    long bsuBytes = file.layout().stripeUnitBytes();
    int cells = file.layout().strands();
    Agreement.Check check = () -> view(bsuBytes, cells).isDisjoint(); // as setView will ask
    if (group.agree(Agreement.on("setView").checking(check)).problem().isPresent()) {
      file.close();
      return false;
    }
    file.setView(view(bsuBytes, cells), cellEnds -> end(bsuBytes, cellEnds));
    return true;
  }

  /** Some cells of a vertical group, each downwards. */
  private Pattern group(long cells, long bsuBytes, long row) {
    return Pattern.loop(cells, bsuBytes, Pattern.loop(vgs, row, Pattern.run(bsuBytes)));
  }
}
