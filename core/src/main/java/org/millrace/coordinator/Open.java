package org.millrace.coordinator;

import java.util.Map;
import java.util.Set;
import org.millrace.protocol.Effect;
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
 * @param endPointer key of the end-of-file pointer that all opens of the file share
 * @param viewEndPointer key of an end-of-file pointer of its own, for views
 * @param notes what ranks say of it for people, by rank
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
    long viewEndPointer,
    Map<Integer, String> notes,
    Set<Integer> letGoBy) {

  /** Whether a rank has closed it, though others have not. */
  boolean isClosedBy(int rank) {
    return letGoBy.contains(rank)
        || channel.meetings().stream()
            .anyMatch(
                meeting ->
                    meeting.has(rank) && meeting.first().meet().effect() instanceof Effect.Close);
  }

  /**
   * Whether all remaining members of its group have closed it one by one, since they cannot meet.
   */
  boolean isLetGo() {
    return !letGoBy.isEmpty()
        && group.joinedMembers().stream()
            .allMatch(member -> member.hasLeft() || letGoBy.contains(member.rank));
  }
}
