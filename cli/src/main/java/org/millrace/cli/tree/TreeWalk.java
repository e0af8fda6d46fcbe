package org.millrace.cli.tree;

import java.io.IOException;
import java.util.List;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;

/**
 * Visits a path and all that is below it, a directory before what is in it, names in their order.
 * Links are not followed. Attributes come with the names, so a directory takes a few requests
 * however many files it has. Stateless.
 */
public final class TreeWalk {

  /** How many names are asked for at a time. */
  private static final int PAGE = 1000;

  /** Hears of what is found. */
  public interface Visitor {

    /**
     * Visits one.
     *
     * @param depth 0 for the path that the walk began at
     * @return whether to go on below it, if it is a directory
     */
    boolean visit(String path, FileStatus status, int depth) throws IOException;

    /** All below a directory has been visited. */
    default void left(String path, FileStatus status, int depth) throws IOException {}
  }

  private TreeWalk() {}

  /** What a path names, without following a link. */
  public static FileStatus stat(FileTree tree, String path) throws IOException {
    return tree.stat(FilePath.of(path).notFollowing());
  }

  /** Visits {@code path} and all below it. */
  public static void from(FileTree tree, String path, Visitor visitor) throws IOException {
    visit(tree, path, stat(tree, path), 0, visitor);
  }

  private static void visit(
      FileTree tree, String path, FileStatus status, int depth, Visitor visitor)
      throws IOException {
    boolean below = visitor.visit(path, status, depth);
    if (status.kind() != FileKind.DIRECTORY) {
      return;
    }
    String after = "";
    boolean more = below;
    while (more) {
      FileListing part = tree.list(FilePath.of(path), after, PAGE);
      List<FileListing.Entry> entries = part.entries();
      for (FileListing.Entry one : entries) {
        visit(tree, FilePaths.in(path, one.name()), one.status(), depth + 1, visitor);
      }
      more = part.more() && !entries.isEmpty();
      after = entries.isEmpty() ? after : entries.getLast().name();
    }
    visitor.left(path, status, depth);
  }
}
