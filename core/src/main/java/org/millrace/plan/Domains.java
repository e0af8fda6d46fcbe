package org.millrace.plan;

import org.millrace.access.Extent;
import org.millrace.access.Geometry;

/**
 * File domains: an extent of the file divided among aggregators in whole units, which are columns
 * if the extent is an array. With block domains each aggregator has one block, as equal as whole
 * units allow; block-cyclic domains are assigned in turn.
 *
 * <pre>
 *   start                                     end
 *   |   agg. 0   |   agg. 1   |   agg. 2   |          by block
 *   | 0 | 1 | 2 | 0 | 1 | 2 | 0 | 1 | 2 | 0 |         block-cyclic, blockUnits each
 * </pre>
 *
 * Immutable.
 *
 * @param start first byte of the first block
 * @param end one past the last byte of all; the last unit may be shorter than the others
 * @param unitBytes what is never divided
 * @param blockUnits units that belong to one aggregator before the next one's turn; 0 for one block
 *     for each
 * @param aggregators how many ranks own a domain
 * @param ranks of the group, over which the aggregators are spread
 */
public record Domains(
    long start, long end, long unitBytes, long blockUnits, int aggregators, int ranks) {

  /** Checks the bounds. */
  public Domains {
    if (start < 0
        || end < start
        || unitBytes < 1
        || blockUnits < 0
        || aggregators < 1
        || aggregators > ranks) {
      throw new IllegalArgumentException(
          "domains from %s to %s, blocks of %s units of %s bytes, %s aggregators of %s ranks"
              .formatted(start, end, blockUnits, unitBytes, aggregators, ranks));
    }
  }

  /**
   * Whole columns of an array: indices of the slowest dimension if it has one for each aggregator,
   * else of the next, so that arrays of few planes still give work to all.
   *
   * @param blockBytes of block-cyclic domains: a block is as many columns as they hold, at least
   *     one; 0 for domains by block
   */
  public static Domains ofColumns(Geometry array, long blockBytes, int aggregators, int ranks) {
    int n = array.shape().dimensions() - 1;
    while (n > 1 && columns(array, n) < aggregators) {
      n--;
    }
    long unit = Math.max(1, array.strideBytes(array.shape().fastest(n)));
    long blockUnits = blockBytes == 0 ? 0 : Math.max(1, blockBytes / unit);
    return new Domains(array.start(), array.end(), unit, blockUnits, aggregators, ranks);
  }

  private static long columns(Geometry array, int n) {
    long unit = array.strideBytes(array.shape().fastest(n));
    return unit == 0 ? 0 : array.bytes() / unit;
  }

  /** The rank that is aggregator number {@code aggregator}: they are spread evenly. */
  public int rankOf(int aggregator) {
    return (int) ((long) aggregator * ranks / aggregators);
  }

  /** The number of the aggregator that this rank is, or -1. */
  public int aggregatorAt(int rank) {
    int guess = (int) (((long) rank * aggregators + ranks - 1) / ranks);
    return guess < aggregators && rankOf(guess) == rank ? guess : -1;
  }

  private long units() {
    return Math.ceilDiv(end - start, unitBytes);
  }

  /** How many blocks there are; some may be empty if they are fewer units than aggregators. */
  public long blocks() {
    return blockUnits == 0 ? aggregators : Math.ceilDiv(units(), blockUnits);
  }

  /** Block number {@code block}, whose owner is aggregator {@code block % aggregators}. */
  public Extent block(long block) {
    return Extent.between(offset(firstUnit(block)), offset(firstUnit(block + 1)));
  }

  /** The first unit of a block. Of equal blocks the first ones take what is left over. */
  private long firstUnit(long block) {
    if (blockUnits > 0) {
      return block >= blocks() ? units() : block * blockUnits;
    }
    long each = units() / aggregators;
    return block * each + Math.min(block, units() % aggregators);
  }

  private long offset(long unit) {
    return unit >= units() ? end : start + unit * unitBytes;
  }

  /** The number of the block that holds a byte of the domains. */
  public long blockOf(long offset) {
    if (offset < start || offset >= end) {
      throw new IndexOutOfBoundsException(
          "byte %s is not in domains from %s to %s".formatted(offset, start, end));
    }
    long unit = (offset - start) / unitBytes;
    if (blockUnits > 0) {
      return unit / blockUnits;
    }
    long each = units() / aggregators;
    long larger = units() % aggregators;
    long inLarger = larger * (each + 1);
    return unit < inLarger ? unit / (each + 1) : larger + (unit - inLarger) / each;
  }

  /** The largest block. */
  public long maxBlockBytes() {
    long units = blockUnits == 0 ? Math.ceilDiv(units(), aggregators) : blockUnits;
    return Math.min(
        end - start, units > (end - start) / unitBytes ? end - start : units * unitBytes);
  }
}
