package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.millrace.Cluster;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.array.GlobalArray;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.array.zarr.ZarrMetadata;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;

/**
 * An array that has another name until it is whole, and gets its own in one step. Immutable; sent
 * to executors.
 *
 * @param place of the array
 * @param staged where it is until it is whole
 * @param facts what it becomes
 * @param chunk sizes of a Zarr array's chunks; empty for a {@code .npy} file
 * @param replacing whether an array that is there is replaced
 */
record StagedArray(
    ArrayPlace place, ArrayPlace staged, ArrayFacts facts, List<Long> chunk, boolean replacing)
    implements Serializable {

  private static final int PAGE = 1000;

  /**
   * What rows of a schema become.
   *
   * @param id no other write has it
   */
  static StagedArray of(ArrayOutput output, String keys, StructType rows, String id) {
    Shape shape = new Shape(output.shape(), Order.ROW_MAJOR);
    ValueType values = ArrayFacts.valuesOf(rows, shape.dimensions());
    ArrayPlace place = new ArrayPlace(output.cluster(), keys, output.path());
    ArrayFacts facts = new ArrayFacts(shape.dims(), false, values, 0);
    return new StagedArray(place, place, facts, output.chunk(), output.replacing()).named(id);
  }

  /** The same under another name until it is whole. */
  StagedArray named(String id) {
    String path = place.path() + "." + id + (place.isNpy() ? ".npy" : "");
    return new StagedArray(place, place.withPath(path), facts, chunk, replacing);
  }

  /** Makes the array under its other name. Collective. */
  GlobalArray create(Rank rank) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    if (place.isNpy()) {
      return GlobalArray.create(rank, staged.path(), facts.shape(), facts.type(), options);
    }
    long[] sizes = chunk.stream().mapToLong(Long::longValue).toArray();
    return SharedZarr.create(
        rank, staged.path(), ZarrMetadata.shared(facts.shape(), facts.type(), sizes), options);
  }

  /** Refuses to begin if there is an array that is not to be replaced. */
  void checkAbsent(FileTree files) throws IOException {
    if (!replacing && isThere(files, place.path())) {
      throw new MillraceException(
          ErrorCode.NAME_EXISTS, place.path() + " is there; mode overwrite replaces it");
    }
  }

  private static boolean isThere(FileTree files, String path) throws IOException {
    try {
      files.stat(FilePath.of(path));
      return true;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME) {
        return false;
      }
      throw e;
    }
  }

  /** Gives the array its name. One that was there is gone then; others never see a part of any. */
  void publish() throws IOException {
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      boolean exchanging = replacing && isThere(files, place.path());
      files.rename(
          FilePath.of(staged.path()),
          FilePath.of(place.path()),
          exchanging ? Replacing.EXCHANGE : Replacing.NEVER);
      if (exchanging) {
        remove(files, staged.path());
      }
    }
  }

  /** Removes what there is under the other name. */
  void discard() throws IOException {
    try (Cluster cluster = place.connect();
        FileTree files = cluster.files()) {
      remove(files, staged.path());
    }
  }

  private static void remove(FileTree files, String path) throws IOException {
    try {
      if (files.stat(FilePath.of(path).notFollowing()).kind() == FileKind.DIRECTORY) {
        for (String name : names(files, path)) {
          remove(files, path + "/" + name);
        }
      }
      files.remove(FilePath.of(path), Removing.EITHER);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NO_SUCH_NAME) {
        throw e;
      }
    }
  }

  private static List<String> names(FileTree files, String path) throws IOException {
    List<String> all = new ArrayList<>();
    FileListing page;
    do {
      page = files.list(FilePath.of(path), all.isEmpty() ? "" : all.getLast(), PAGE);
      page.entries().forEach(entry -> all.add(entry.name()));
    } while (page.more() && !page.entries().isEmpty());
    return all;
  }
}
