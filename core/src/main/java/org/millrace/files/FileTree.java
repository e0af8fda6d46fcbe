package org.millrace.files;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * The files of a cluster for a program that is no rank. No group is formed; nothing is kept at the
 * coordinator but open files and locks, which end with this session.
 *
 * <p>Rules and errors are those of POSIX: calls fail with a {@link
 * org.millrace.error.MillraceException} whose code says which rule.
 *
 * <p>Safe for use by several threads. Closing ends the session, with all that is open.
 */
public interface FileTree extends AutoCloseable {

  /** What {@link #rename} does with a file that has the new name. */
  enum Replacing {
    /** The call fails. */
    NEVER,
    /** It goes, as {@link #remove} would do; a directory only if it is empty. */
    REPLACE,
    /** It gets the old name. */
    EXCHANGE
  }

  /** What {@link #remove} takes away. */
  enum Removing {
    /** Anything but a directory. */
    FILE,
    /** An empty directory. */
    DIRECTORY,
    /** Whichever it is. */
    EITHER
  }

  /** Whether an extended attribute may or must exist that is set. */
  enum Setting {
    /** Either. */
    EITHER,
    /** It must not exist. */
    CREATE,
    /** It must exist. */
    REPLACE
  }

  /** How a file is opened. */
  enum Opening {
    /** For reading. */
    READ,
    /** For writing. */
    WRITE,
    /** It is made if there is none. */
    CREATE,
    /** It is made, and must not exist. */
    EXCLUSIVE,
    /** It is cut to nothing. */
    TRUNCATE
  }

  /** Attributes, in one request. */
  FileStatus stat(FilePath path) throws IOException;

  /**
   * A part of the names in a directory, with their attributes, in one request.
   *
   * @param after the last name of the part before; empty for the first
   * @param most how many, at least 1
   */
  FileListing list(FilePath directory, String after, int most) throws IOException;

  /** Makes a directory. */
  FileStatus makeDirectory(FilePath path, NewFile attributes) throws IOException;

  /** Makes a symbolic link; its target is any text. */
  FileStatus makeLink(FilePath path, String target, NewFile attributes) throws IOException;

  /** Makes a pipe, a socket or a device. */
  FileStatus makeSpecial(FilePath path, FileKind kind, long device, NewFile attributes)
      throws IOException;

  /** The target of a symbolic link. */
  String readLink(FilePath path) throws IOException;

  /** Gives another name to what is no directory. */
  FileStatus link(FilePath existing, FilePath name) throws IOException;

  /**
   * Takes a name away. The bytes of a file go with its last name, or later, when it is not open any
   * more.
   */
  void remove(FilePath path, Removing what) throws IOException;

  /** Changes a name, in one step. */
  void rename(FilePath from, FilePath to, Replacing replacing) throws IOException;

  /** Changes attributes, in one step. */
  FileStatus change(FilePath path, FileChange change) throws IOException;

  /** The names of the extended attributes. */
  List<String> attributes(FilePath path) throws IOException;

  /** An extended attribute; NO_ATTRIBUTE if there is none. */
  byte[] attribute(FilePath path, String name) throws IOException;

  /** Sets an extended attribute of at most 4 KiB. */
  void setAttribute(FilePath path, String name, byte[] value, Setting setting) throws IOException;

  /** Removes an extended attribute. */
  void removeAttribute(FilePath path, String name) throws IOException;

  /** Opens a file. A handle that was opened stays what it is when permissions change. */
  FileHandle open(FilePath path, Set<Opening> how, NewFile attributes) throws IOException;

  /**
   * Asks for delegations: files that are opened from now on may be {@link FileHandle#isDelegated}.
   * Called at most once.
   */
  default void delegateTo(DelegationHolder holder) {}

  /** Where the bytes of a file lie; IS_DIRECTORY or INVALID for what has none. */
  Striping striping(FilePath path) throws IOException;

  /** Room on the disks. */
  FileSpace space() throws IOException;

  /**
   * Whether the session is over and all calls fail from now on, as after an end of the cluster in
   * order: another tree is needed, and handles of this one are of no use.
   */
  boolean isOver();

  @Override
  void close() throws IOException;
}
