package org.millrace.client;

import org.jspecify.annotations.Nullable;
import org.millrace.client.assembly.Participant;
import org.millrace.client.assembly.Participants;
import org.millrace.env.Env;
import org.millrace.transfer.TransferSettings;

/** Makes sessions; {@link Participants} finds it by its name. Safe for use by several threads. */
final class SessionMaker implements Participants {

  private final @Nullable LocalMeetings localMeetings;

  SessionMaker(boolean oneJvm) {
    this.localMeetings = oneJvm ? new LocalMeetings() : null;
  }

  @Override
  public Participant make(
      Env env, Limits limits, TransferSettings transfers, int number, Links links) {
    return new Session(env, limits, transfers, number, links, localMeetings);
  }
}
