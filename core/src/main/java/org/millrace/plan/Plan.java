package org.millrace.plan;

/**
 * How a collective request is carried out. A value: the same on every rank, made without I/O, and
 * of a size that does not grow with the number of runs.
 *
 * <p>Writes of several ranks to the same byte end as if the ranks had written one after the other
 * in the order of their numbers. Plans whose ranks write on their own say whether they must take
 * turns for that; the others apply the ranks' pieces in this order anyhow.
 */
public sealed interface Plan {

  /** What it carries out. */
  Request request();

  /** Its kind. */
  Strategy strategy();

  /** Each rank moves each of its runs by itself. */
  record Direct(Request request, boolean inTurns) implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.DIRECT;
    }
  }

  /**
   * Each rank sends lists of runs to the nodes, each list covering at most so many bytes of the
   * file.
   */
  record Sieved(Request request, long sieveBytes, boolean inTurns) implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.SIEVED;
    }
  }

  /**
   * Rounds of at most {@code domains.aggregators() * chunkBytes}: each aggregator reads its part of
   * the round whole, then all pieces are handed out. Writing goes the other way round.
   */
  record TwoPhase(Request request, Domains domains, long chunkBytes) implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.TWO_PHASE;
    }
  }

  /**
   * Each aggregator goes through what is wanted of its domain, chunk by chunk, with {@code depth}
   * chunks under way.
   */
  record ExtendedTwoPhase(Request request, Domains domains, long chunkBytes, int depth)
      implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.EXTENDED_TWO_PHASE;
    }
  }

  /**
   * The nodes of these strands serve all ranks, with {@code depth} buffers ahead of the disk.
   *
   * @param strands those that hold something wanted, ascending
   */
  record DiskDirected(Request request, java.util.List<Integer> strands, int depth) implements Plan {

    /** Keeps a copy of the list. */
    public DiskDirected {
      strands = java.util.List.copyOf(strands);
    }

    @Override
    public Strategy strategy() {
      return Strategy.DISK_DIRECTED;
    }
  }
}
