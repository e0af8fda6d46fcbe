package org.millrace.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.NewFile;

/**
 * Directories of a cluster, as Hadoop asks about them. Safe for use by several threads: holds no
 * state.
 *
 * @param tree the files
 */
record Names(FileTree tree) {

  private static final int PAGE = 1000;

  /** Where a qualified path is. */
  static FilePath inTree(Path path) {
    return FilePath.of(path.toUri().getPath().substring(1));
  }

  /**
   * All names in a directory; one that is a dangling link, or goes meanwhile, is not among them.
   */
  List<FileListing.Entry> list(Path directory) throws IOException {
    List<FileListing.Entry> all = new ArrayList<>();
    FileListing page;
    String after = "";
    do {
      page = tree.list(inTree(directory), after, PAGE);
      for (FileListing.Entry entry : page.entries()) {
        if (entry.status().kind() == FileKind.LINK) {
          addTarget(directory, entry.name(), all);
        } else {
          all.add(entry);
        }
        after = entry.name();
      }
    } while (page.more());
    return all;
  }

  private void addTarget(Path directory, String name, List<FileListing.Entry> all)
      throws IOException {
    try {
      String path = inTree(directory).path();
      FileStatus target = tree.stat(FilePath.of(path.isEmpty() ? name : path + "/" + name));
      all.add(new FileListing.Entry(name, target));
    } catch (MillraceException e) {
      boolean dangling =
          switch (e.code()) {
            case NO_SUCH_NAME, NOT_A_DIRECTORY, LOOP -> true;
            default -> false;
          };
      if (!dangling) {
        throw e;
      }
    }
  }

  /** Makes a directory and those above it, where they are missing. */
  void makeAll(Path directory, NewFile attributes) throws IOException {
    try {
      tree.makeDirectory(inTree(directory), attributes);
    } catch (MillraceException e) {
      Path parent = directory.getParent();
      if (e.code() == ErrorCode.NAME_EXISTS && isDirectory(directory)) {
        return;
      }
      if (e.code() != ErrorCode.NO_SUCH_NAME || parent == null) {
        throw e;
      }
      makeAll(parent, attributes);
      makeAll(directory, attributes);
    }
  }

  private boolean isDirectory(Path path) throws IOException {
    return path.isRoot() || tree.stat(inTree(path)).kind() == FileKind.DIRECTORY;
  }

  /**
   * Removes a file, or a directory with all that is in it.
   *
   * @return whether it was there
   */
  boolean remove(Path path, boolean recursive) throws IOException {
    try {
      if (path.isRoot()) {
        return removeRoot(path, recursive);
      }
      remove(inTree(path).path(), recursive);
      return true;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME || e.code() == ErrorCode.NOT_A_DIRECTORY) {
        return false;
      }
      throw e;
    }
  }

  /** The root stays, and a program that wants all below it gone is taken to be wrong. */
  private boolean removeRoot(Path root, boolean recursive) throws IOException {
    boolean empty = tree.list(inTree(root), "", 1).entries().isEmpty();
    if (!empty && !recursive) {
      throw new MillraceException(ErrorCode.NOT_EMPTY, "the root is not empty");
    }
    return empty;
  }

  private void remove(String path, boolean recursive) throws IOException {
    FilePath here = FilePath.of(path).notFollowing();
    try {
      tree.remove(here, Removing.EITHER);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NOT_EMPTY || !recursive) {
        throw e;
      }
      removeAllIn(path);
      remove(path, true); // somebody may have added names
    }
  }

  private void removeAllIn(String path) throws IOException {
    FileListing page;
    do {
      page = tree.list(FilePath.of(path).notFollowing(), "", PAGE);
      for (FileListing.Entry entry : page.entries()) {
        try {
          remove(path + "/" + entry.name(), true);
        } catch (MillraceException e) {
          if (e.code() != ErrorCode.NO_SUCH_NAME) {
            throw e;
          } // somebody else was quicker
        }
      }
    } while (page.more());
  }
}
