package org.millrace.layout;

import java.util.List;

/**
 * Where the copies of strands lie, and which files have any. Pure arithmetic; frozen, since files
 * on disk depend on it. {@code docs/copies.md} has golden vectors.
 *
 * <p>The owner's node comes from the file's {@link Layout}. The others lie at distances from it,
 * counted round the nodes, that a hash of the file's id and the strand's number chooses: so the
 * strands that a lost node owned go to all other nodes, and not to its neighbour alone.
 *
 * <p>The id of a file that has copies has the bit {@link #COPIED} set, so that a node knows from
 * the key of a request alone whether it must ask who owns the strand. Files without copies cost
 * nothing.
 */
public final class Copies {

  /** The most copies of a strand. */
  public static final int MAX = 3;

  /** Set in the id of a file that has copies. */
  public static final long COPIED = 1L << 46;

  private Copies() {}

  /** Whether the strands of a file have copies. */
  public static boolean hasCopies(long file) {
    return (file & COPIED) != 0;
  }

  /** The id of a new file, from its number among all files and directories. */
  public static long idOf(long number, int copies) {
    return copies > 1 ? number | COPIED : number;
  }

  /** The number of a file among all files and directories, from its id. */
  public static long numberOf(long id) {
    return id & ~COPIED;
  }

  /** Throws unless there can be so many copies; returns them otherwise. */
  public static int require(int copies) {
    if (copies < 1 || copies > MAX) {
      throw new IllegalArgumentException("%s copies, must be 1 to %s".formatted(copies, MAX));
    }
    return copies;
  }

  /**
   * The nodes of a strand, its owner first.
   *
   * @param owner the node that the layout names
   * @param copies how many there are
   * @param nodes over how many nodes they were dealt; at least as many as copies
   */
  public static List<Integer> nodes(long file, int strand, int owner, int copies, int nodes) {
    require(copies);
    if (copies > nodes || owner < 0 || owner >= nodes) {
      throw new IllegalArgumentException(
          "%s copies on %s nodes, of which %s is the first".formatted(copies, nodes, owner));
    }
    if (copies == 1) {
      return List.of(owner);
    }
    long hash = mix(file * 0x9E3779B97F4A7C15L + strand);
    int second = 1 + below(hash >>> 32, nodes - 1);
    if (copies == 2) {
      return List.of(owner, (owner + second) % nodes);
    }
    int third = 1 + below(hash & 0xffffffffL, nodes - 2);
    third += third >= second ? 1 : 0;
    return List.of(owner, (owner + second) % nodes, (owner + third) % nodes);
  }

  private static int below(long fraction, int bound) {
    return (int) (fraction * bound >>> 32);
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
