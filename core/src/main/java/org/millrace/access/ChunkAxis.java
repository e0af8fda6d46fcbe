package org.millrace.access;

import java.util.ArrayList;
import java.util.List;

/**
 * Indices of one dimension of an array that is stored in chunks, ordered by chunk. Chunks that hold
 * the same places repeat after {@code period / gcd(period, chunk)} chunks, so the memory grows with
 * that number and not with the number of chunks. Immutable.
 *
 * @param indices which indices
 * @param groups their chunks, ascending
 */
record ChunkAxis(Indices indices, List<Group> groups) {

  /**
   * Chunks that repeat.
   *
   * @param turns how often
   * @param chunkStep chunks from one turn to the next
   * @param numberStep indices from one turn to the next
   * @param phases chunks of the first turn that have any index
   */
  record Group(long turns, long chunkStep, long numberStep, List<Phase> phases) {}

  /**
   * What one chunk has of the indices.
   *
   * @param chunk which chunk
   * @param number the number of its first index
   * @param pieces at most three: the rest of a run, whole runs, the begin of a run
   */
  record Phase(long chunk, long number, List<Piece> pieces) {}

  /**
   * Runs of one length at equal distances.
   *
   * @param inside the first index, counted from the start of the chunk
   * @param number of the first index, counted from the first one in the chunk
   * @param runs how many runs
   * @param length indices in each
   */
  record Piece(long inside, long number, long runs, long length) {}

  /** Divides indices into chunks of a size. */
  static ChunkAxis of(Indices indices, long size) {
    long count = indices.count();
    if (count == 0) {
      return new ChunkAxis(indices, List.of());
    }
    long whole = Math.ceilDiv(indices.first(), size);
    long wholeEnd = (indices.last() + 1) / size;
    long period = indices.period() / gcd(indices.period(), size);
    long turns = wholeEnd <= whole ? 0 : (wholeEnd - whole) / period;
    if (turns < 2) {
      return new ChunkAxis(indices, List.of(once(indices, size, 0, count)));
    }
    long from = indices.below(whole * size);
    long step = period * size / indices.period() * indices.run();
    List<Group> groups = new ArrayList<>();
    groups.add(once(indices, size, 0, from));
    groups.add(new Group(turns, period, step, phases(indices, size, from, from + step)));
    groups.add(once(indices, size, from + turns * step, count));
    return new ChunkAxis(indices, groups);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static Group once(Indices indices, long size, long from, long to) {
    return new Group(1, 0, 0, phases(indices, size, from, to));
  }

  private static List<Phase> phases(Indices indices, long size, long from, long to) {
    List<Phase> phases = new ArrayList<>();
    long number = from;
    while (number < to) {
      long chunk = indices.at(number) / size;
      long next = Math.min(to, indices.below((chunk + 1) * size));
      phases.add(new Phase(chunk, number, pieces(indices, number, next, chunk * size)));
      number = next;
    }
    return phases;
  }

  private static List<Piece> pieces(Indices indices, long from, long to, long base) {
    List<Piece> pieces = new ArrayList<>();
    long run = indices.run();
    long number = from;
    if (number % run != 0) {
      long length = Math.min(run - number % run, to - number);
      pieces.add(new Piece(indices.at(number) - base, 0, 1, length));
      number += length;
    }
    long runs = (to - number) / run;
    if (runs > 0) {
      pieces.add(new Piece(indices.at(number) - base, number - from, runs, run));
      number += runs * run;
    }
    if (number < to) {
      pieces.add(new Piece(indices.at(number) - base, number - from, 1, to - number));
    }
    return pieces;
  }

  /** Chunks that are told apart. */
  long phases() {
    return groups.stream().mapToLong(group -> group.phases().size()).sum();
  }

  /**
   * What indices are worth in bytes, in a file or in memory.
   *
   * @param chunk from one chunk to the next
   * @param inside from one index of a chunk to the next
   * @param number from one number to the next
   */
  record Weights(long chunk, long inside, long number) {

    long at(long chunks, long numbers) {
      return chunks * chunk + numbers * number;
    }
  }

  /** The indices of one chunk, each a body. */
  Pattern inside(Phase phase, Weights weights, Pattern body) {
    long step = weights.inside() + weights.number();
    long turn = indices.period() * weights.inside() + indices.run() * weights.number();
    List<Placed> placed = new ArrayList<>();
    for (Piece piece : phase.pieces()) {
      long at = piece.inside() * weights.inside() + piece.number() * weights.number();
      Pattern run = Pattern.loop(piece.length(), step, body);
      placed.add(new Placed(at, Pattern.loop(piece.runs(), turn, run)));
    }
    return Pattern.sequence(placed);
  }

  /** What a chunk is made of. */
  interface Body {
    Pattern of(Phase phase);
  }

  /** All chunks. */
  Pattern chunks(Weights weights, Body body) {
    List<Placed> all = new ArrayList<>();
    for (Group group : groups) {
      List<Placed> turn = new ArrayList<>();
      for (Phase phase : group.phases()) {
        turn.add(new Placed(weights.at(phase.chunk(), phase.number()), body.of(phase)));
      }
      long stride = weights.at(group.chunkStep(), group.numberStep());
      all.add(new Placed(0, Pattern.loop(group.turns(), stride, Pattern.sequence(turn))));
    }
    return Pattern.sequence(all);
  }
}
