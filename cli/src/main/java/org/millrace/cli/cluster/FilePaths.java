package org.millrace.cli.cluster;

import java.io.IOException;
import java.util.Optional;
import org.millrace.cli.terminal.Shown;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.FileEntry;

/** Paths of a cluster's files as people type them, and what they name. Stateless. */
public final class FilePaths {

  private FilePaths() {}

  /** As the cluster wants it: a slash in front and one behind are a matter of taste. */
  public static String of(String typed) {
    return typed.replaceFirst("^(\\./|/)+", "").replaceFirst("/+$", "").replaceFirst("^\\.$", "");
  }

  /** The name itself, without the way to it. */
  public static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** A name in a directory. */
  public static String in(String directory, String name) {
    return directory.isEmpty() ? name : directory + "/" + name;
  }

  /** Another name beside {@code path}. */
  public static String beside(String path, String name) {
    return path.substring(0, path.lastIndexOf('/') + 1) + name;
  }

  /** What {@code path} names, if anything. */
  public static Optional<FileEntry> find(FileNames names, String path) throws IOException {
    try {
      return Optional.of(names.stat(path));
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
  }

  /** Whether {@code path} names a directory. */
  public static boolean isDirectory(FileNames names, String path) throws IOException {
    return path.isEmpty() || find(names, path).filter(FileEntry::isDirectory).isPresent();
  }

  /** Fails if the path names a directory. */
  public static FileEntry requireFile(FileNames names, String path, String hint)
      throws IOException {
    FileEntry entry = names.stat(path);
    if (entry.isDirectory()) {
      throw new MillraceException(ErrorCode.WRONG_KIND, shown(path) + " is a directory" + hint);
    }
    return entry;
  }

  /** For messages. */
  public static String shown(String path) {
    return path.isEmpty() ? "/" : Shown.text(path);
  }
}
