package org.millrace.files;

import java.util.List;

/**
 * A part of the names in a directory, in the order of their UTF-8 bytes.
 *
 * @param entries the names
 * @param more whether there are names behind the last of them
 */
public record FileListing(List<Entry> entries, boolean more) {

  /** Keeps a copy. */
  public FileListing {
    entries = List.copyOf(entries);
  }

  /**
   * A name in a directory.
   *
   * @param name the name alone
   * @param status what it stands for
   */
  public record Entry(String name, FileStatus status) {}
}
