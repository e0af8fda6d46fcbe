package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Names of transaction logs: files in a directory that is not listed. The name contains the state
 * of the transaction and its files, so that renaming the log commits the transaction.
 *
 * <pre>
 *   .transactions/p.UNIQUE               pending: ignored
 *   .transactions/c.ID.ID.UNIQUE         committed, and perhaps not yet applied to these files
 *   .transactions/d.UNIQUE               done: ignored
 * </pre>
 *
 * Stateless.
 */
public final class TransactionLogs {

  /** Where they are. */
  public static final String DIRECTORY = ".transactions";

  /** How many files a transaction can change: as many ids as fit into a name. */
  public static final int MAX_FILES = 8;

  private static final String PENDING = "p.";
  private static final String COMMITTED = "c.";
  private static final String DONE = "d.";
  private static final int RADIX = 36;

  private TransactionLogs() {}

  /** The path of a log that is being written. */
  public static String pending(String unique) {
    return DIRECTORY + "/" + PENDING + unique;
  }

  /** The path of a log that counts. */
  public static String committed(String unique, List<Long> files) {
    if (files.isEmpty() || files.size() > MAX_FILES) {
      throw new IllegalArgumentException(
          "a transaction of " + files.size() + " files, must be 1 to " + MAX_FILES);
    }
    StringJoiner name = new StringJoiner(".", DIRECTORY + "/" + COMMITTED, "." + unique);
    files.forEach(file -> name.add(Long.toString(file, RADIX)));
    return name.toString();
  }

  /** The path that the log of a committed transaction gets when it is no longer needed. */
  public static String done(String committed) {
    return DIRECTORY + "/" + DONE + committed.substring(committed.lastIndexOf('.') + 1);
  }

  /** Whether a name in the directory is that of a pending log. */
  public static boolean isPending(String name) {
    return name.startsWith(PENDING);
  }

  /** Whether a name in the directory is that of a log that is no longer needed. */
  public static boolean isDone(String name) {
    return name.startsWith(DONE);
  }

  /** Whether a name in the directory is that of a log that may have to be applied. */
  public static boolean isCommitted(String name) {
    return name.startsWith(COMMITTED) && !files(name).isEmpty();
  }

  /** The files that a committed log of this name in the directory concerns; else none. */
  public static List<Long> files(String name) {
    if (!name.startsWith(COMMITTED)) {
      return List.of();
    }
    String[] parts = name.substring(COMMITTED.length()).split("\\.", -1);
    List<Long> files = new ArrayList<>();
    for (int i = 0; i < parts.length - 1; i++) {
      try {
        files.add(Long.parseLong(parts[i], RADIX));
      } catch (NumberFormatException e) {
        return List.of(); // no name that we gave
      }
    }
    return files;
  }
}
