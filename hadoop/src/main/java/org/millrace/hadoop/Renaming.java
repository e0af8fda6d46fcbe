package org.millrace.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Replacing;

/**
 * A change of a name by Hadoop's two sets of rules. What changes the name is one request, so
 * everybody sees the old name or the new one, and a name that somebody else makes meanwhile is not
 * lost. Used by one thread.
 *
 * @param tree the files
 * @param from the old name, qualified
 * @param to the new one, qualified
 */
record Renaming(FileTree tree, Path from, Path to) {

  /** As HDFS: false where it cannot be; into a directory that has the new name. */
  boolean inHdfsWay() throws IOException {
    if (from.isRoot()) {
      return false;
    }
    try {
      FileStatus source = tree.stat(Names.inTree(from));
      Path target = isDirectory(to) ? new Path(to, from.getName()) : to;
      if (source.kind() != FileKind.DIRECTORY && target.equals(from)) {
        return true;
      }
      tree.rename(Names.inTree(from).notFollowing(), Names.inTree(target), Replacing.NEVER);
      return true;
    } catch (MillraceException e) {
      return switch (e.code()) {
        case NO_SUCH_NAME, NAME_EXISTS, NOT_A_DIRECTORY, IS_DIRECTORY, NOT_EMPTY, INVALID -> false;
        default -> throw Errors.of(from, e);
      };
    }
  }

  private boolean isDirectory(Path path) throws IOException {
    try {
      return tree.stat(Names.inTree(path)).kind() == FileKind.DIRECTORY;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME || e.code() == ErrorCode.NOT_A_DIRECTORY) {
        return false;
      }
      throw e;
    }
  }

  /**
   * As {@code FileContext}: an exception says why not. A file may take the place of a file and a
   * directory that of an empty one, if asked.
   */
  void withExceptions(boolean overwrite) throws IOException {
    FilePath source = Names.inTree(from).notFollowing();
    FilePath target = Names.inTree(to).notFollowing();
    try {
      tree.stat(source);
    } catch (MillraceException e) {
      throw Errors.of(from, e);
    }
    if (from.equals(to)) {
      throw new FileAlreadyExistsException("the source " + from + " and the destination are one");
    }
    try {
      tree.rename(source, target, overwrite ? Replacing.REPLACE : Replacing.NEVER);
    } catch (MillraceException e) {
      throw switch (e.code()) {
        case NO_SUCH_NAME -> missing(e);
        case IS_DIRECTORY -> new IOException("%s is a directory, %s is not".formatted(to, from), e);
        case NOT_A_DIRECTORY -> notADirectory(e);
        default -> Errors.ofMaking(to, e);
      };
    }
  }

  private static IOException missing(MillraceException e) {
    IOException told = new FileNotFoundException(e.getMessage());
    told.initCause(e);
    return told;
  }

  /** It is either what has the new name or what is above it. */
  private IOException notADirectory(MillraceException e) throws IOException {
    Path parent = to.getParent();
    return parent == null || isDirectory(parent)
        ? new IOException("%s is not a directory, %s is".formatted(to, from), e)
        : Errors.ofMaking(to, e);
  }
}
