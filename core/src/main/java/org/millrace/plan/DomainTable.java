package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Extent;

/**
 * What each rank wants of one aggregator's file domain: PASSION's file domain access table.
 * Immutable.
 *
 * <p>Making it takes O(ranks * depth) for each block of the domain, of which there is one unless
 * domains are block-cyclic.
 *
 * @param aggregator whose domain
 * @param rows one for each rank
 * @param covering the smallest extent that holds everything wanted of the domain; of block-cyclic
 *     domains it may hold parts of others
 */
public record DomainTable(int aggregator, List<Row> rows, Extent covering) {

  /** Keeps a copy of the list. */
  public DomainTable {
    rows = List.copyOf(rows);
  }

  /**
   * One rank's part.
   *
   * @param rank whose
   * @param extent the smallest that holds it; without bytes if the rank wants nothing here
   * @param bytes how many it wants
   */
  public record Row(int rank, Extent extent, long bytes) {

    /** Whether the rank wants nothing here. */
    public boolean isEmpty() {
      return bytes == 0;
    }
  }

  /** The table of an aggregator. */
  public static DomainTable of(Request request, Domains domains, int aggregator) {
    PieceFinder finder = new PieceFinder(request, true);
    List<Row> rows = new ArrayList<>();
    long low = Long.MAX_VALUE;
    long high = 0;
    for (int rank = 0; rank < request.ranks(); rank++) {
      Row row = row(finder, request, domains, aggregator, rank);
      rows.add(row);
      if (!row.isEmpty()) {
        low = Math.min(low, row.extent.offset());
        high = Math.max(high, row.extent.end());
      }
    }
    return new DomainTable(aggregator, rows, low < high ? Extent.between(low, high) : nothing());
  }

  private static Row row(
      PieceFinder finder, Request request, Domains domains, int aggregator, int rank) {
    Extent span = request.accesses().get(rank).span();
    long bytes = 0;
    long low = Long.MAX_VALUE;
    long high = 0;
    for (long block = aggregator;
        block < domains.blocks() && domains.block(block).offset() < span.end();
        block += domains.aggregators()) {
      Extent part = domains.block(block).intersect(span);
      Extent trimmed = finder.trim(rank, part);
      if (!trimmed.isEmpty()) {
        bytes += finder.piece(rank, part).bytes();
        low = Math.min(low, trimmed.offset());
        high = trimmed.end();
      }
    }
    return new Row(rank, bytes == 0 ? nothing() : Extent.between(low, high), bytes);
  }

  private static Extent nothing() {
    return new Extent(0, 0);
  }

  /** How many bytes of the domain are wanted, each counted as often as it is wanted. */
  public long bytes() {
    return rows.stream().mapToLong(Row::bytes).sum();
  }
}
