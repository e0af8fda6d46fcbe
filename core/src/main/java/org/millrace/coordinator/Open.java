package org.millrace.coordinator;

import java.util.Set;
import org.millrace.protocol.OpenFlags;

/**
 * A file that a group has open.
 *
 * @param number of this open, and of its channel
 * @param group the group that has it open
 * @param file the file's id
 * @param flags how it was opened
 * @param channel its synchronizing calls
 * @param pointer key of its shared pointer
 * @param endPointer key of its shared end-of-file pointer
 * @param letGoBy ranks that have closed it on their own since the group can no longer meet
 */
record Open(
    long number,
    Group group,
    long file,
    OpenFlags flags,
    MeetingChannel channel,
    long pointer,
    long endPointer,
    Set<Integer> letGoBy) {

  /**
   * Whether all remaining members of its group have closed it one by one, since they cannot meet.
   */
  boolean isLetGo() {
    return !letGoBy.isEmpty()
        && group.joinedMembers().stream()
            .allMatch(member -> member.hasLeft() || letGoBy.contains(member.rank));
  }
}
