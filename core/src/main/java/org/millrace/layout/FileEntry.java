package org.millrace.layout;

import java.util.Optional;

/**
 * The coordinator's knowledge of a name.
 *
 * @param path the name, relative to the root
 * @param id the file's or directory's id
 * @param layout of a file; empty for a directory
 * @param owner who made it
 * @param group whose group bits count for; empty for none
 * @param permissions mode bits, as in chmod
 * @param createdMillis when it was made
 * @param confirmed whether its strands are known to exist
 * @param copies on how many nodes each of its strands is; of a directory: for new files in it, 0 if
 *     the directory above it decides
 * @param missing how many copies of its strands are not in sync now
 */
public record FileEntry(
    String path,
    long id,
    Optional<Layout> layout,
    String owner,
    String group,
    int permissions,
    long createdMillis,
    boolean confirmed,
    int copies,
    int missing) {

  /** Whether this is a directory. */
  public boolean isDirectory() {
    return layout.isEmpty();
  }
}
