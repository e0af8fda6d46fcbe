package org.millrace.sim.hunt;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;
import org.millrace.env.Env;

/**
 * A model of the possible contents of one file, cell by cell, from the calls and their results. A
 * cell has a history of writes; a read is explained if each of its cells holds one of the writes
 * that may be the last:
 *
 * <ul>
 *   <li>A write that was begun may be there, as long as no other write is known to have come after
 *       it: begun after this one was known to be done, and known to be done before the read was
 *       begun.
 *   <li>A write that failed, or of which nobody knows, may happen at any later time, and of any of
 *       its bytes.
 *   <li>So may one that all ranks made together, if it was not made durable before the node of the
 *       cell crashed: a write-back in the middle of the call stores what has come by then.
 *   <li>But one that was made under a lock, by a rank that the coordinator has given up, happens no
 *       more once another has the lock: who writes the same under a lock since comes after it.
 *   <li>A write that comes after another hides it only if it lasts: where the node of the cell has
 *       crashed since, it must have been made durable by a flush that was begun after it was known
 *       to be done, and before the crash; or by a flush of the same open file, which must fail if
 *       the node has lost something in between.
 *   <li>A node that has crashed may have taken a write until it is back, if the rank writes into
 *       its memory and does not know yet: that write is lost, too.
 *   <li>Of a file with copies the same holds, where any node may be the one that had taken the
 *       write: what was flushed survives all that happens to nodes, and what was not may also be
 *       lost where an owner was cut off and replaced.
 * </ul>
 *
 * <p>For threads of the world's environment.
 */
final class FileModel {

  private record Flush(long open, long began, long ended) {}

  // constant after construction
  private final Oracle oracle;
  private final int copies;
  private final List<List<Write>> cells = new ArrayList<>();

  private final List<Flush> flushes = new ArrayList<>();
  private final Map<Integer, byte[]> mixed = new HashMap<>(); // cells of several writes, by id
  private LongToIntFunction nodeOfCell = _ -> 0;
  private LongToIntFunction strandOfCell = _ -> 0;
  private String name;
  private long maxCells; // that a cut may have left

  FileModel(Oracle oracle, String name, int most, int copies) {
    this.oracle = oracle;
    this.name = name;
    this.copies = copies;
    Write nothing = new Write(Write.NOTHING, 0, 0);
    nothing.ended = 0;
    for (int i = 0; i < most; i++) {
      List<Write> history = new ArrayList<>(2);
      history.add(nothing);
      cells.add(history);
    }
  }

  String name() {
    return name;
  }

  void name(String newName) {
    name = newName;
  }

  /** On how many nodes each of its strands is. */
  int copies() {
    return copies;
  }

  int most() {
    return cells.size();
  }

  /** Where its cells are. */
  void placed(LongToIntFunction newNodeOfCell, LongToIntFunction newStrandOfCell) {
    nodeOfCell = newNodeOfCell;
    strandOfCell = newStrandOfCell;
  }

  /** A write to some cells begins. */
  Write begin(long open, long[] which) {
    Write write = new Write(oracle.nextId(), open, oracle.tick());
    for (long cell : which) {
      history(cell).add(write);
    }
    return write;
  }

  /** A cut to so many cells begins. */
  Write beginCut(long open, long left) {
    Write cut = new Write(Write.NOTHING, open, oracle.tick());
    for (long cell = left; cell < cells.size(); cell++) {
      history(cell).add(cut);
    }
    maxCells = Math.max(maxCells, left);
    return cut;
  }

  /** A write is known to be done; of one that several ranks make the first word counts. */
  void end(Write write) {
    if (write.ended == Env.NEVER) {
      write.ended = oracle.tick();
    }
  }

  /** Ranks that made writes under locks have been given up: what is not done is done no more. */
  void lost(Predicate<String> gone) {
    long now = oracle.tick();
    for (List<Write> history : cells) {
      for (Write write : history) {
        if (write.lost == Env.NEVER && !write.lockedBy.isEmpty() && gone.test(write.lockedBy)) {
          write.lost = now;
        }
      }
    }
  }

  /** A flush was begun, and is known to be done now. */
  void flushed(long open, long began) {
    flushes.add(new Flush(open, began, oracle.tick()));
  }

  private List<Write> history(long cell) {
    if (cell >= cells.size()) {
      throw new IllegalStateException("cell " + cell + " of " + cells.size() + " of " + name);
    }
    return cells.get((int) cell);
  }

  /**
   * A read was begun, and has returned what is in memory, cell by cell, and nothing beyond {@code
   * got} of them, because the file ends there. Returns the writes that were read.
   */
  List<Write> read(long began, long[] which, MemorySegment memory, long got, String who) {
    List<Write> seen = new ArrayList<>();
    for (int i = 0; i < got; i++) {
      seen.add(explain(began, which[i], memory, i, who));
    }
    if (got < which.length) {
      checkMayEnd(began, which[(int) got], who + " read short");
    }
    return seen;
  }

  private Write explain(long began, long cell, MemorySegment memory, int at, String who) {
    Write best = null;
    boolean rot = oracle.mayHideRot(nodeOf(cell));
    for (Write write : history(cell)) {
      boolean same =
          isContent(write, cell, memory, at)
              || (rot && Content.matchesButOneBit(memory, at, write.id, cell));
      if (same && isAllowed(write, cell, began)) {
        best = write;
      }
    }
    if (best == null && isMixed(began, cell, memory, at)) {
      best = new Write(oracle.nextId(), 0, began);
      mixed.put(best.id, Content.copy(memory, at));
    }
    if (best == null) {
      throw new Violation(
          "%s read cell %s of %s (node %s), which %s; allowed: %s; history: %s; losses of the node: %s"
              .formatted(
                  who,
                  cell,
                  name,
                  nodeOfCell.applyAsInt(cell),
                  Content.describe(memory, at),
                  allowed(cell, began),
                  history(cell),
                  oracle.losses(nodeOf(cell))));
    }
    return best;
  }

  private boolean isContent(Write write, long cell, MemorySegment memory, int at) {
    byte[] known = mixed.get(write.id);
    return known == null
        ? Content.matches(memory, at, write.id, cell)
        : Arrays.equals(known, Content.copy(memory, at));
  }

  /**
   * Whether some bytes of a write may be there, and others not: it was not known to be done, or its
   * pieces were stored one by one and the node has lost the rest in a crash.
   */
  private boolean mayBePartial(Write write, long cell, long readBegan) {
    return write.ended == Env.NEVER || (write.inPieces && !lasts(write, nodeOf(cell), readBegan));
  }

  private boolean isMixed(long began, long cell, MemorySegment memory, int at) {
    List<Write> candidates = allowed(cell, began);
    if (candidates.stream().noneMatch(write -> mayBePartial(write, cell, began))) {
      return false;
    }
    byte[] found = Content.copy(memory, at);
    for (int i = 0; i < found.length; i++) {
      int place = i;
      if (candidates.stream().noneMatch(w -> byteOf(w, cell, place) == found[place])) {
        return false;
      }
    }
    return true;
  }

  private byte byteOf(Write write, long cell, int place) {
    byte[] known = mixed.get(write.id);
    return known == null ? Content.byteOf(write.id, cell, place) : known[place];
  }

  private List<Write> allowed(long cell, long began) {
    return history(cell).stream().filter(write -> isAllowed(write, cell, began)).toList();
  }

  private boolean isAllowed(Write write, long cell, long readBegan) {
    boolean underLock = write.ended == Env.NEVER;
    long end = underLock ? write.lost : write.ended;
    if (end == Env.NEVER) {
      return true;
    }
    for (Write later : history(cell)) {
      if (later.began > end
          && (!underLock || !later.lockedBy.isEmpty())
          && later.ended < readBegan
          && lasts(later, nodeOf(cell), readBegan)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The node whose losses concern a cell: with copies any may be its owner, and others may move.
   */
  private int nodeOf(long cell) {
    return copies > 1 || oracle.mayMove() ? Oracle.ANY : nodeOfCell.applyAsInt(cell);
  }

  private boolean lasts(Write write, int node, long until) {
    for (Oracle.Loss loss : oracle.losses(node)) {
      // a read of a file with copies may meet the crash, and go on at another owner
      boolean before = copies > 1 || loss.from() < until;
      if (loss.to() > write.began && before && !survives(write, loss.from(), until)) {
        return false;
      }
    }
    return true;
  }

  private boolean survives(Write write, long crash, long until) {
    for (Flush flush : flushes) {
      if (flush.began > write.ended
          && flush.ended < until
          && (flush.began < crash || flush.open == write.open)) {
        return true;
      }
    }
    return false;
  }

  /**
   * A call was told that writes to a strand are lost. Throws if none can be: it was written, and
   * all that was written was known to be durable before the only loss that there was.
   *
   * @param loss the only one
   */
  void checkLost(int strand, Oracle.Loss loss, String who) {
    boolean written = false;
    for (int cell = 0; cell < cells.size(); cell++) {
      for (Write write : cells.get(cell)) {
        boolean concerns =
            write.open != 0
                && write.began < loss.to()
                && (strandOfCell.applyAsInt(cell) == strand || isCut(write));
        if (concerns && !isDurable(write, loss.from())) {
          return;
        }
        written |= concerns && !write.isNothing();
      }
    }
    if (written) { // else its copies may not have heard of it since their nodes started
      throw new Violation(
          "%s was told that writes to strand %s of %s are lost, and all were flushed before %s; flushes: %s"
              .formatted(who, strand, name, loss, flushes));
    }
  }

  /** A cut is told to all strands, whatever cells it has. */
  private static boolean isCut(Write write) {
    return write.isNothing();
  }

  private boolean isDurable(Write write, long loss) {
    return flushes.stream().anyMatch(flush -> flush.began > write.ended && flush.ended < loss);
  }

  /** Throws if the file, as it was found, cannot end before a cell. */
  void checkMayEnd(long began, long first, String who) {
    for (long cell = first; cell < cells.size(); cell++) {
      if (allowed(cell, began).stream().noneMatch(Write::isNothing)) {
        throw new Violation(
            "%s: %s seems to end before cell %s, but cell %s (node %s) is written: %s; crashes: %s"
                .formatted(
                    who,
                    name,
                    first,
                    cell,
                    nodeOfCell.applyAsInt(cell),
                    history(cell),
                    oracle.losses(nodeOf(cell))));
      }
    }
  }

  /** Throws if the file cannot have this size. */
  void checkSize(long began, long bytes, String who) {
    if (bytes % Content.CELL != 0 || bytes > (long) cells.size() * Content.CELL) {
      throw new Violation(who + ": " + name + " has " + bytes + " bytes, which no call explains");
    }
    long count = bytes / Content.CELL;
    checkMayEnd(began, count, who + " asked for the size");
    if (count > maxCells && allowed(count - 1, began).stream().allMatch(Write::isNothing)) {
      throw new Violation(
          "%s: %s has %s cells, but no call wrote the last: %s"
              .formatted(who, name, count, history(count - 1)));
    }
  }

  /** Nothing is under way, and this is what was read: from now on it is what is there. */
  void settle(List<Write> seen) {
    for (int cell = 0; cell < cells.size(); cell++) {
      int id = cell < seen.size() ? seen.get(cell).id : Write.NOTHING;
      long now = oracle.tick();
      Write settled = new Write(id, 0, now);
      settled.ended = now;
      List<Write> history = cells.get(cell);
      history.clear();
      history.add(settled);
    }
    flushes.clear();
    maxCells = seen.size();
  }
}
