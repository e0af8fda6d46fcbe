package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * This process's membership of a group of coordinators that keep one log together. At any time at
 * most one of them leads and has an {@link Office}; the others follow.
 *
 * <p>Safe for use by several threads. Closing leaves office, if it has one, and the group goes on
 * without this member.
 */
public interface ReplicatedLog extends AutoCloseable {

  /**
   * One term of leading: the log, from where all before have left it, and the right to answer.
   *
   * @param log to replay and append to
   * @param lease over when another may lead
   */
  record Office(ChangeLog log, Lease lease) {}

  /**
   * Waits until this member leads, has all that was ever appended, and no earlier leader can answer
   * any more. The office before must have been left: its coordinator abandoned.
   *
   * @return empty when this is closed, or has failed for good and left the group
   */
  Optional<Office> awaitOffice() throws IOException;

  /**
   * What a leader knows of a member.
   *
   * @param number of the member
   * @param role "leader", "follower" or "silent"
   * @param silentMillis for how long nothing was heard of it
   */
  record MemberState(int number, String role, long silentMillis) {}

  /**
   * Lets another member lead, if one can: this one cannot make use of its office. Nothing happens
   * if it does not lead.
   */
  void resign();

  /** How the members are; empty if this one does not lead. */
  List<MemberState> members();

  @Override
  void close() throws IOException;
}
