package org.millrace.plan.collective;

import java.util.Optional;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.Domains;
import org.millrace.plan.Strategy;

/**
 * How a collective request is carried out. A value: the same on every rank, made without I/O, and
 * of a size that does not grow with the number of runs.
 *
 * <p>Writes of several ranks to the same byte end as if the ranks had written one after the other
 * in the order of their numbers. Plans whose ranks write on their own say how they see to that; the
 * others apply the ranks' pieces in this order anyhow.
 */
public sealed interface Plan {

  /** What it carries out. */
  Request request();

  /** Its kind. */
  Strategy strategy();

  /** Each rank moves each of its runs by itself. */
  record Direct(Request request, WriteOrder order) implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.DIRECT;
    }
  }

  /**
   * Each rank sends lists of runs to the nodes, each list covering so many bytes of the file; see
   * {@link SieveWindow}.
   */
  record Sieved(Request request, long sieveBytes, WriteOrder order) implements Plan {
    @Override
    public Strategy strategy() {
      return Strategy.SIEVED;
    }
  }

  /**
   * Aggregators transfer their file domains, chunk by chunk, and hand the pieces to the ranks.
   * Writing goes the other way round.
   */
  sealed interface Exchanging extends Plan {

    /** Who owns which part of the file. */
    Domains domains();

    /** The file access descriptor, if the ranks want parts of an array. */
    Optional<AccessDescriptor> descriptor();

    /** Bytes of each buffer of an aggregator. */
    long chunkBytes();

    /** Buffers of an aggregator: chunks that are under way at once. */
    int depth();

    /** Which gaps are transferred along. */
    Gaps gaps();
  }

  /** Each aggregator transfers all of its domain, as far as the request's span goes. */
  record TwoPhase(Request request, Domains domains, long chunkBytes, int depth)
      implements Exchanging {
    @Override
    public Strategy strategy() {
      return Strategy.TWO_PHASE;
    }

    @Override
    public Optional<AccessDescriptor> descriptor() {
      return Optional.empty();
    }

    @Override
    public Gaps gaps() {
      return Gaps.ALL;
    }
  }

  /** Each aggregator transfers what is wanted of its domain, and gaps that are cheap. */
  record ExtendedTwoPhase(
      Request request,
      Domains domains,
      Optional<AccessDescriptor> descriptor,
      long chunkBytes,
      int depth,
      Gaps gaps)
      implements Exchanging {
    @Override
    public Strategy strategy() {
      return Strategy.EXTENDED_TWO_PHASE;
    }
  }

  /**
   * The nodes of these strands serve all ranks, with {@code depth} buffers ahead of the disk.
   *
   * @param strands those that hold something wanted, ascending
   * @param sparse whether the ranks want every byte of the request's span once, and each speaks
   *     only to the strands that have something of its own; else each speaks to all
   */
  record DiskDirected(Request request, java.util.List<Integer> strands, int depth, boolean sparse)
      implements Plan {

    /** Keeps a copy of the list, unless it cannot change. */
    public DiskDirected {
      strands = strands instanceof FirstStrands ? strands : java.util.List.copyOf(strands);
    }

    @Override
    public Strategy strategy() {
      return Strategy.DISK_DIRECTED;
    }
  }
}
