package org.millrace.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;

/**
 * Gives a path another file, in one step: bytes go to a file of another name in the same directory,
 * which gets the name when it is whole. Who reads the old file keeps it.
 *
 * <p>Safe for use by several threads.
 */
final class Replacement {

  private static final String UNFINISHED = ".millrace-put-";
  private static final int RANDOM_BYTES = 12;
  private static final int MOST_LINKS = 40;
  private static final int NEW_PERMISSIONS = 0644;
  private static final int PRIVATE = 0600;
  private static final int PERMISSIONS = 0777;

  private final Env env;
  private final FileTree tree;

  Replacement(Env env, FileTree tree) {
    this.env = env;
    this.tree = tree;
  }

  /** Writes the bytes of a new file. */
  interface Source {
    void write(FileHandle to) throws IOException;
  }

  /**
   * What came of it.
   *
   * @param status of the file
   * @param isNew whether there was none before
   */
  record Result(FileStatus status, boolean isNew) {}

  /** Whether a name is that of a file that is being written, or was when its writer died. */
  static boolean isUnfinished(String name) {
    return name.startsWith(UNFINISHED);
  }

  /**
   * Replaces or makes a file.
   *
   * @param force whether its bytes are durable before it has the name
   */
  Result replace(List<String> names, Conditions conditions, boolean force, Source source)
      throws IOException {
    if (names.isEmpty()) {
      throw new MillraceException(ErrorCode.IS_DIRECTORY, "the root is a directory");
    }
    String path = followed(Target.text(names));
    Optional<FileStatus> before = status(FilePath.of(path));
    conditions.checkWrite(before);
    if (before.isPresent() && before.get().kind() != FileKind.FILE) {
      throw new MillraceException(ErrorCode.IS_DIRECTORY, "/" + path + " is no file");
    }
    FilePath fresh = FilePath.of(parent(path) + UNFINISHED + random());
    boolean done = false;
    FileHandle to =
        tree.open(
            fresh, Set.of(Opening.WRITE, Opening.CREATE, Opening.EXCLUSIVE), NewFile.with(PRIVATE));
    try (to) {
      source.write(to);
      int permissions = before.map(FileStatus::permissions).orElse(NEW_PERMISSIONS) & PERMISSIONS;
      tree.change(fresh, FileChange.NONE.withPermissions(permissions));
      if (force) {
        to.force(true);
      }
      boolean isNew = take(fresh, FilePath.of(path), conditions);
      done = true;
      return new Result(to.status(), isNew);
    } catch (IOException e) {
      if (!done) {
        discard(fresh, e);
      }
      throw e;
    }
  }

  private void discard(FilePath fresh, IOException failure) {
    try {
      tree.remove(fresh, Removing.FILE);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Gives the name to the new file, if conditions still hold; true if there was none. */
  private boolean take(FilePath fresh, FilePath path, Conditions conditions) throws IOException {
    while (true) {
      Optional<Locked> found = Locked.at(tree, path);
      if (found.isPresent()) {
        try (Locked old = found.get()) {
          conditions.checkWrite(Optional.of(old.status()));
          tree.rename(fresh, path, Replacing.REPLACE);
          return false;
        }
      }
      conditions.checkWrite(status(path));
      try {
        tree.rename(fresh, path, Replacing.NEVER);
        return true;
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.NAME_EXISTS
            || status(path).filter(now -> now.kind() != FileKind.FILE).isPresent()) {
          throw e;
        } // else somebody was faster
      }
    }
  }

  /** What is at a path, if anything. */
  Optional<FileStatus> status(FilePath path) throws IOException {
    try {
      return Optional.of(tree.stat(path));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The path without symbolic links at its end: they stay, and what they lead to is replaced. */
  private String followed(String path) throws IOException {
    String at = path;
    for (int links = 0; links < MOST_LINKS; links++) {
      Optional<FileStatus> status = status(FilePath.of(at).notFollowing());
      if (status.isEmpty() || status.get().kind() != FileKind.LINK) {
        return at;
      }
      String to = tree.readLink(FilePath.of(at).notFollowing());
      at = to.startsWith("/") ? to.substring(1) : parent(at) + to;
    }
    throw new MillraceException(ErrorCode.LOOP, "too many symbolic links at /" + path);
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/') + 1);
  }

  private String random() {
    return HexFormat.of().formatHex(env.secretBytes(RANDOM_BYTES));
  }

  /** The names above a path, the highest first. */
  static List<List<String>> above(List<String> names) {
    List<List<String>> all = new ArrayList<>();
    for (int i = 1; i < names.size(); i++) {
      all.add(names.subList(0, i));
    }
    return all;
  }
}
