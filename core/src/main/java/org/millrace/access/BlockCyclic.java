package org.millrace.access;

import java.util.List;

/**
 * One dimension of a distribution, seen by the ranks at one coordinate: n indices go to p ranks in
 * turn, k at a time. Every kind of {@link Spread} is this with another k. Immutable.
 */
record BlockCyclic(long n, int p, int coordinate, long k) {

  /** Blocks that are this coordinate's, without a last one that is not full. */
  private long fullBlocks() {
    long blocks = n / k;
    return blocks <= coordinate ? 0 : (blocks - 1 - coordinate) / p + 1;
  }

  /** How many indices of the last, ragged block are this coordinate's. */
  private long ragged() {
    return (n / k) % p == coordinate ? n % k : 0;
  }

  long indices() {
    return fullBlocks() * k + ragged();
  }

  int owner(long index) {
    return (int) (index / k % p);
  }

  /** The place of an index among its owner's. */
  long local(long index) {
    return index / k / p * k + index % k;
  }

  /** The index at a place of this coordinate's. */
  long global(long local) {
    return (local / k * p + coordinate) * k + local % k;
  }

  /** This coordinate's indices. */
  Indices asIndices() {
    long count = indices();
    long period = count > k ? Math.multiplyExact(p, k) : k;
    return new Indices(count == 0 ? 0 : coordinate * k, k, period, count);
  }

  /** This coordinate's indices, each a body, {@code stride} bytes apart. */
  Pattern pattern(long stride, Pattern body) {
    if (indices() == 0) {
      return Pattern.EMPTY;
    }
    long full = fullBlocks();
    long round = full > 1 ? p * k * stride : 0;
    Pattern blocks =
        full == 0
            ? Pattern.EMPTY
            : Pattern.loop(full, round, Pattern.loop(k, stride, body))
                .shifted(coordinate * k * stride);
    if (ragged() == 0) {
      return blocks;
    }
    Pattern tail = Pattern.loop(ragged(), stride, body);
    return Pattern.sequence(List.of(new Placed(0, blocks), new Placed(n / k * k * stride, tail)));
  }
}
