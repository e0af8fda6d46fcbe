package org.millrace.client;

import java.io.IOException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.transfer.OtherRanks;

/**
 * The other ranks of a group, for a transfer that waits for them at a node. Immutable.
 *
 * @param rank the rank that waits
 */
record GroupWait(Rank rank) implements OtherRanks {

  @Override
  public void beginWait() {
    rank.session().operations().beginMeeting();
  }

  @Override
  public void endWait() {
    rank.session().operations().endMeeting();
  }

  @Override
  public long deadline() {
    return rank.session().meetingDeadline();
  }

  @Override
  public boolean isSomebodyGone() throws IOException {
    var question = new CoordinatorRequest.AskMembers(rank.group());
    return !((CoordinatorReply.Members) rank.session().ask(question)).gone().isEmpty();
  }
}
