package org.millrace.array.zarr;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.millrace.client.Rank;
import org.millrace.files.FileTree;

/**
 * Where Zarr keeps its keys: files below a directory. A value is replaced in one step.
 *
 * <p>One of a {@link Rank} belongs to the rank's thread, one of a {@link FileTree} may be used by
 * several threads. Closing it closes neither rank nor tree.
 */
public interface ZarrStore extends AutoCloseable {

  /** The files below a directory, for a rank by itself. */
  static ZarrStore of(Rank rank, String directory) throws IOException {
    return new RankStore(rank.alone(), directory);
  }

  /** The files below a directory, for a program that is no rank. */
  static ZarrStore of(FileTree tree, String directory) {
    return new TreeStore(tree, directory);
  }

  /** All of a value, if there is one. */
  Optional<byte[]> read(String key) throws IOException;

  /** Bytes of a value; fewer where it ends before, none if there is no value. */
  byte[] read(String key, long from, int length) throws IOException;

  /** How long a value is, if there is one. */
  OptionalLong size(String key) throws IOException;

  /** Sets a value, durably. Directories are made as needed. */
  void write(String key, byte[] value) throws IOException;

  /** Removes a value, if there is one. */
  void remove(String key) throws IOException;

  /** The names of the directories in a directory, sorted; none if there is no such directory. */
  List<String> directories(String directory) throws IOException;

  /** What lies below a directory of this one. Closing it closes this one. */
  default ZarrStore below(String directory) {
    return new StoreBelow(this, directory);
  }

  /** For messages: where a key is. */
  String path(String key);

  @Override
  void close() throws IOException;
}
