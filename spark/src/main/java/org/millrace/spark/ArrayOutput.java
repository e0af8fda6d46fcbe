package org.millrace.spark;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * An array that rows become. Immutable.
 *
 * @param cluster the cluster of daemons: the coordinator's address, or its directory
 * @param path of the array in it: a {@code .npy} file, or the directory of a Zarr array
 * @param shape the size of each dimension
 * @param chunk of a Zarr array: elements along each dimension; empty for a {@code .npy} file
 * @param replacing whether an array that is there is replaced, in one step; else it must not exist
 */
public record ArrayOutput(
    String cluster, String path, List<Long> shape, List<Long> chunk, boolean replacing)
    implements Serializable {

  /** Checks that what is needed is there. */
  public ArrayOutput {
    shape = List.copyOf(shape);
    chunk = List.copyOf(chunk);
    if (path.endsWith(".npy") != chunk.isEmpty()) {
      throw new IllegalArgumentException(
          "%s with chunks %s: a .npy file has none, a Zarr array needs them and has another name"
              .formatted(path, chunk));
    }
    if (!chunk.isEmpty() && chunk.size() != shape.size()) {
      throw new IllegalArgumentException(
          "chunks %s of an array of shape %s".formatted(chunk, shape));
    }
  }

  /** A {@code .npy} file that must not exist. */
  public static ArrayOutput npy(String cluster, String path, long... shape) {
    return new ArrayOutput(cluster, path, list(shape), List.of(), false);
  }

  /** A Zarr array in one shard, in a directory that must not exist. */
  public static ArrayOutput zarr(String cluster, String path, long[] shape, long[] chunk) {
    return new ArrayOutput(cluster, path, list(shape), list(chunk), false);
  }

  /** The same, replacing what is there. */
  public ArrayOutput withReplacing() {
    return new ArrayOutput(cluster, path, shape, chunk, true);
  }

  private static List<Long> list(long[] sizes) {
    return Arrays.stream(sizes).boxed().toList();
  }
}
