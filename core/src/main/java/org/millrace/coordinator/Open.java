package org.millrace.coordinator;

import java.util.Set;
import org.millrace.protocol.OpenFlags;

/**
 * A file that a group has open.
 *
 * @param number of this open, and of its channel
 * @param group who has it open
 * @param file the file's id
 * @param flags how it was opened
 * @param channel its synchronizing calls
 * @param pointer key of its shared pointer
 * @param endPointer key of its shared end-of-file pointer
 * @param letGoBy ranks that have asked to close it since the group cannot meet any more
 */
record Open(
    long number,
    Group group,
    long file,
    OpenFlags flags,
    Channel channel,
    long pointer,
    long endPointer,
    Set<Integer> letGoBy) {

  /** Whether all who are left of its group have asked to close it, and cannot do so together. */
  boolean isLetGo() {
    return !letGoBy.isEmpty()
        && group.joinedMembers().stream()
            .allMatch(member -> member.hasLeft() || letGoBy.contains(member.rank));
  }
}
