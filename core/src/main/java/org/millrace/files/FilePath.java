package org.millrace.files;

import java.util.Objects;

/**
 * Where a file or directory is: a path below a directory that is known by its id. Names are
 * separated by {@code /}; {@code .} and {@code ..} and empty names are resolved as POSIX does. The
 * empty path is the directory, file or link of that id itself. A path that begins with {@code /}
 * begins at the root, whatever the id.
 *
 * @param from the id of the directory that the path begins at
 * @param path below it
 * @param follow whether a symbolic link at the end of the path is followed; links on the way always
 *     are
 */
public record FilePath(long from, String path, boolean follow) {

  /** The id of the root. */
  public static final long ROOT = 0;

  /** Checks that there is a path. */
  public FilePath {
    Objects.requireNonNull(path, "path");
  }

  /** A path below the root. */
  public static FilePath of(String path) {
    return new FilePath(ROOT, path, true);
  }

  /** A path below a directory. */
  public static FilePath of(long from, String path) {
    return new FilePath(from, path, true);
  }

  /** What has this id. */
  public static FilePath of(long id) {
    return new FilePath(id, "", false);
  }

  /** The same, without following a link at its end. */
  public FilePath notFollowing() {
    return new FilePath(from, path, false);
  }

  /** For messages. */
  @Override
  public String toString() {
    return from == ROOT ? "/" + path : path.isEmpty() ? "file " + from : path + " of " + from;
  }
}
