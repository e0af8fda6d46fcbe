package org.millrace.protocol;

import java.util.List;
import java.util.Map;

/**
 * The status of a coordinator, for people and tools.
 *
 * @param upMillis for how long it has been running
 * @param sessions how many sessions are in a group, gather for a job, or are a node's
 * @param groups the groups that there are; jobs that still gather have group 0 and as members those
 *     who have come
 * @param opens the open files
 * @param waits which ranks wait for which; here {@code sinceNanos} is how long ago the wait began
 * @param locks the locks that are held
 */
public record Status(
    long upMillis,
    int sessions,
    List<OfGroup> groups,
    List<OfOpen> opens,
    List<CoordinatorReply.Wait> waits,
    List<OfLock> locks) {

  /**
   * A group.
   *
   * @param group its number
   * @param size how many ranks it has
   * @param user whose it is
   * @param job what it was assembled as; empty if it was formed otherwise
   * @param members ranks that have joined
   */
  public record OfGroup(long group, int size, String user, String job, List<OfMember> members) {}

  /**
   * A rank of a group.
   *
   * @param rank its number
   * @param inbox where it listens, empty if it does not
   * @param left why it has left, empty if it has not; "well" if it ended well
   */
  public record OfMember(int rank, String inbox, String left) {}

  /**
   * An open file.
   *
   * @param open number of the open
   * @param group whose
   * @param path the file's name; empty if it has none any more, or if the viewer is neither the
   *     superuser nor the group's user
   * @param how "r", "w" or "rw", and "append"
   * @param pointer where the shared pointer stands
   * @param endPointer where the file's end-of-file pointer stands
   * @param notes what ranks say of it, by rank; empty for viewers as with the path
   */
  public record OfOpen(
      long open,
      long group,
      String path,
      String how,
      long pointer,
      long endPointer,
      Map<Integer, String> notes) {}

  /**
   * A held lock.
   *
   * @param name what is locked, and which range; empty for viewers as in {@link OfOpen}
   * @param holder "group/rank"
   * @param sinceNanos how long ago it was asked for
   */
  public record OfLock(String name, String holder, long sinceNanos) {}
}
