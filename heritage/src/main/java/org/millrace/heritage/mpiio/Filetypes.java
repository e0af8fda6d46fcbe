package org.millrace.heritage.mpiio;

import java.util.Arrays;
import org.millrace.access.Order;

/**
 * Filetypes of the first proposals of MPI-IO, named after the messages that an access through them
 * is like. A file is rows of one extent, and the filetype says what a rank has of each row:
 *
 * <pre>
 *   broadcast, reduce   every rank the same part
 *   scatter (gather)    rank r the r-th of equal parts
 *   vector scatter      rank r its own part, of its own length
 * </pre>
 *
 * <p>Reading through them broadcasts or scatters, writing reduces or gathers. What ranks write to
 * the same part by a collective call is not added up: it ends as if they had written in the order
 * of their numbers, so the last rank's stays.
 *
 * <p>Wrong arguments throw {@link MpiArgumentException}. Stateless.
 */
public final class Filetypes {

  private Filetypes() {}

  /** All ranks read the same {@code old} at the begin of each row of {@code extent} bytes. */
  public static Datatype broadcast(long extent, Datatype old) {
    if (extent < old.getTrueLb() + old.getTrueExtent()) {
      throw new MpiArgumentException(
          ErrorClass.ARG, "a row of %s bytes is shorter than %s".formatted(extent, old));
    }
    return Datatype.createResized(old, 0, extent);
  }

  /** All ranks write the same {@code old} at the begin of each row of {@code extent} bytes. */
  public static Datatype reduce(long extent, Datatype old) {
    return broadcast(extent, old);
  }

  /**
   * Rows of {@code count} of {@code old} for each rank, in the order of ranks.
   *
   * @param size how many ranks
   * @param rank which of them this is for
   */
  public static Datatype scatter(int size, int rank, long count, Datatype old) {
    checkRank(size, rank);
    long[] counts = new long[size];
    Arrays.fill(counts, count);
    return scatterv(rank, counts, old);
  }

  /**
   * Rows in which rank r has {@code counts[r]} of {@code old}, one rank's behind the other's.
   *
   * @param rank which of them this is for
   */
  public static Datatype scatterv(int rank, long[] counts, Datatype old) {
    long[] displacements = new long[counts.length];
    long end = 0;
    for (int r = 0; r < counts.length; r++) {
      displacements[r] = end;
      checkNotNegative("count", counts[r]);
      end = sum(end, counts[r]);
    }
    return scatterv(rank, counts, displacements, end, old);
  }

  /**
   * Rows of {@code rowLength} of {@code old}, in which rank r has {@code counts[r]} from {@code
   * displacements[r]} on.
   *
   * @param rank which of them this is for
   */
  public static Datatype scatterv(
      int rank, long[] counts, long[] displacements, long rowLength, Datatype old) {
    checkRank(counts.length, rank);
    if (displacements.length != counts.length) {
      throw new MpiArgumentException(
          ErrorClass.ARG,
          "%s counts, %s displacements".formatted(counts.length, displacements.length));
    }
    for (int r = 0; r < counts.length; r++) {
      checkNotNegative("count", counts[r]);
      checkNotNegative("displacement", displacements[r]);
      if (sum(displacements[r], counts[r]) > rowLength) {
        throw new MpiArgumentException(
            ErrorClass.ARG,
            "rank %s has %s from %s on of a row of %s"
                .formatted(r, counts[r], displacements[r], rowLength));
      }
    }
    return counts[rank] == 0
        ? Datatype.createContiguous(0, old)
        : Datatype.createSubarray(
            new long[] {rowLength},
            new long[] {counts[rank]},
            new long[] {displacements[rank]},
            Order.ROW_MAJOR,
            old);
  }

  private static long sum(long a, long b) {
    if (a + b < 0) {
      throw new MpiArgumentException(ErrorClass.COUNT, a + " and " + b + " exceed 2^63-1");
    }
    return a + b;
  }

  private static void checkRank(int size, int rank) {
    if (rank < 0 || rank >= size) {
      throw new MpiArgumentException(ErrorClass.ARG, "rank %s of %s".formatted(rank, size));
    }
  }

  private static void checkNotNegative(String what, long value) {
    if (value < 0) {
      throw new MpiArgumentException(
          what.equals("count") ? ErrorClass.COUNT : ErrorClass.ARG,
          what + " " + value + " is negative");
    }
  }
}
