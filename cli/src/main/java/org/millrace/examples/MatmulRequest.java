package org.millrace.examples;

import java.nio.file.Path;

/**
 * What a run of {@link Matmul} shall do. Immutable.
 *
 * @param directory of the cluster that holds the arrays
 * @param ranks how many share the work
 * @param nodes how many hold the arrays
 * @param n rows and columns of A, rows of B and C
 * @param m columns of B and C
 * @param panel columns of A that are in memory at a time, and columns of C at most
 * @param format of the files
 */
public record MatmulRequest(
    Path directory, int ranks, int nodes, int n, int m, int panel, ArrayFormat format) {

  /** Rows and columns of A unless the request says otherwise. */
  public static final int DEFAULT_N = 500;

  /** Columns of a panel unless the request says otherwise. */
  public static final int DEFAULT_PANEL = 100;

  /** Checks the bounds. */
  public MatmulRequest {
    checkPositive(ranks, "ranks");
    checkPositive(nodes, "nodes");
    checkPositive(n, "n");
    checkPositive(m, "m");
    checkPositive(panel, "panel");
  }

  /** With arrays in {@code .npy} files. */
  public MatmulRequest(Path directory, int ranks, int nodes, int n, int m, int panel) {
    this(directory, ranks, nodes, n, m, panel, ArrayFormat.NPY);
  }

  private static void checkPositive(int value, String what) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be at least 1, was " + value);
    }
  }

  /** Panels of A. */
  int panels() {
    return Math.ceilDiv(n, panel);
  }

  /** Columns of C that a rank works on at a time. */
  int chunk() {
    return Math.min(panel, Math.ceilDiv(m, ranks));
  }

  /** How often each rank takes a chunk of C, or none at the end. */
  int rounds() {
    return Math.ceilDiv(m, chunk() * ranks);
  }

  /** Columns of A that each rank fills at a time. */
  int fillWidth() {
    return Math.ceilDiv(Math.min(panel, n), ranks);
  }

  /** Panels that are filled, multiplied and checked in all. */
  int steps() {
    int fills = Math.ceilDiv(n, fillWidth() * ranks);
    return fills + rounds() + rounds() * panels() + rounds();
  }

  /** Bytes of the three arrays. */
  public double arrayBytes() {
    return 8.0 * n * n + 16.0 * n * m;
  }

  /** Bytes of Java's heap that all ranks need together. */
  double heapBytes() {
    double width = Math.min(panel, n);
    return 8.0 * ranks * (n * width + width * chunk() + (double) n * chunk());
  }
}
