package org.millrace.files;

/**
 * What there is to know of a file or directory. Times are nanoseconds since 1970, by the cluster's
 * clock.
 *
 * @param id its number, never given to another one
 * @param kind what it is
 * @param permissions the twelve mode bits, as in chmod
 * @param owner the name of its owner; a number if the owner has no name
 * @param group the name of its group, as with the owner; empty if it has none
 * @param links how many names it has; of a directory: 2 and one for each directory in it
 * @param size of a file: its bytes; of a link: those of its target
 * @param times when it was used and changed
 * @param device the number of a device
 */
public record FileStatus(
    long id,
    FileKind kind,
    int permissions,
    String owner,
    String group,
    long links,
    long size,
    Times times,
    long device) {

  /**
   * When a file was used and changed.
   *
   * @param accessed read last; kept up loosely, as with {@code relatime}
   * @param modified its bytes, or its names, were changed last
   * @param changed anything of it was changed last
   * @param created made
   */
  public record Times(long accessed, long modified, long changed, long created) {}
}
