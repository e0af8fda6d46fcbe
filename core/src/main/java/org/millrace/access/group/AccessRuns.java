package org.millrace.access.group;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import java.util.stream.IntStream;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.View;

/**
 * The requests of the ranks of a group, run-length encoded: a run has equal accesses at equal
 * distances. An access is made when it is used, so the list takes memory for its runs, however many
 * ranks there are.
 *
 * <p>Immutable; safe for use by several threads.
 */
public final class AccessRuns extends AbstractList<Access> implements RandomAccess {

  /**
   * Neighbouring ranks.
   *
   * @param first what the first of them wants
   * @param count how many they are
   * @param step by how much displacements grow from rank to rank
   */
  public record Run(Access first, int count, long step) {

    /** Checks that there are ranks, and that the last of them has a possible access. */
    public Run {
      if (count < 1) {
        throw new IllegalArgumentException(count + " ranks");
      }
      long distance = Math.multiplyExact(step, count - 1L);
      Math.addExact(first.view().displacement(), distance);
      AccessRuns.moved(first, distance);
    }

    /** What the rank at a place of the run wants. */
    public Access get(int place) {
      return AccessRuns.moved(first, step * place);
    }

    /** The same of other ranks, who want it so many bytes further on in the file. */
    public Run moved(long distance) {
      return new Run(AccessRuns.moved(first, distance), count, step);
    }

    /** Whether the other one is this one, moved. */
    public boolean isAlike(Run other) {
      return count == other.count && step == other.step && AccessRuns.isAlike(first, other.first);
    }

    /** The places of the ranks whose spans meet an extent, ascending. */
    public IntStream meeting(Extent within) {
      if (first.isEmpty() || span().intersect(within).isEmpty()) {
        return IntStream.empty();
      }
      if (step == 0) {
        return IntStream.range(0, count);
      }
      Extent one = first.span();
      long behind = within.offset() - one.end(); // by so much they must move, and a byte more
      long before = within.end() - one.offset(); // by less than so much
      long low = step > 0 ? Math.floorDiv(behind, step) + 1 : Math.floorDiv(before, step) + 1;
      long high = step > 0 ? Math.ceilDiv(before, step) : Math.ceilDiv(behind, step);
      return IntStream.range(Math.clamp(low, 0, count), Math.clamp(high, 0, count));
    }

    /** The smallest extent that holds what all of them want; empty if they want nothing. */
    public Extent span() {
      if (first.isEmpty()) {
        return new Extent(0, 0);
      }
      Extent one = first.span();
      Extent last = get(count - 1).span();
      return Extent.between(Math.min(one.offset(), last.offset()), Math.max(one.end(), last.end()));
    }
  }

  // constant after construction
  private final List<Run> runs;
  private final int[] ends; // where each run ends in the list

  /** The list of all ranks of these runs. */
  public AccessRuns(List<Run> runs) {
    this.runs = List.copyOf(runs);
    this.ends = new int[runs.size()];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      end = Math.addExact(end, runs.get(i).count);
      ends[i] = end;
    }
  }

  /** The same accesses as runs. */
  public static AccessRuns of(List<Access> accesses) {
    if (accesses instanceof AccessRuns those) {
      return those;
    }
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < accesses.size(); ) {
      Run run = runFrom(accesses, i);
      runs.add(run);
      i += run.count;
    }
    return new AccessRuns(runs);
  }

  private static Run runFrom(List<Access> accesses, int from) {
    Access first = accesses.get(from);
    int count = 1;
    long step = 0;
    while (from + count < accesses.size() && isAlike(first, accesses.get(from + count))) {
      long next = displacement(accesses, from + count) - displacement(accesses, from + count - 1);
      if (count > 1 && next != step) {
        break;
      }
      step = next;
      count++;
    }
    return new Run(first, count, step);
  }

  private static boolean isAlike(Access one, Access other) {
    return one.from() == other.from()
        && one.to() == other.to()
        && one.view().tileExtent() == other.view().tileExtent()
        && one.view().tile().equals(other.view().tile());
  }

  private static long displacement(List<Access> accesses, int rank) {
    return accesses.get(rank).view().displacement();
  }

  private static Access moved(Access access, long distance) {
    if (distance == 0) {
      return access;
    }
    View view = access.view();
    View there = new View(view.displacement() + distance, view.tile(), view.tileExtent());
    return new Access(there, access.from(), access.to());
  }

  /** The runs, in the order of ranks. */
  public List<Run> runs() {
    return runs;
  }

  /** The ranks whose spans meet an extent, ascending. */
  public IntStream meeting(Extent within) {
    return IntStream.range(0, ends.length)
        .flatMap(
            run -> {
              int before = ends[run] - runs.get(run).count;
              return runs.get(run).meeting(within).map(place -> before + place);
            });
  }

  @Override
  public int size() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  @Override
  public Access get(int index) {
    if (index < 0 || index >= size()) {
      throw new IndexOutOfBoundsException("rank " + index + " of " + size());
    }
    int found = Arrays.binarySearch(ends, index + 1);
    int run = found < 0 ? -found - 1 : found;
    return runs.get(run).get(index - (run == 0 ? 0 : ends[run - 1]));
  }

  @Override
  public boolean equals(Object other) {
    return other == this
        || (other instanceof AccessRuns those && runs.equals(those.runs))
        || super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode(); // that of any list with these accesses
  }
}
