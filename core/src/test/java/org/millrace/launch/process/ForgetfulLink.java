package org.millrace.launch.process;

import java.io.IOException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply.Exchanged;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect.Exchange;

/**
 * A rank's link to the coordinator that tells it of the others' requests everything but whether
 * strands are remote: of that it hears only what it said itself, as if nobody had exchanged it.
 */
record ForgetfulLink(Link link) implements PassingLink {

  @Override
  public Pending start(Message request, Payload payload) {
    Pending pending = link.start(request, payload);
    return request instanceof Meet meet && meet.effect() instanceof Exchange own
        ? new Forgetful(pending, own.remote())
        : pending;
  }

  private record Forgetful(Pending pending, boolean remote) implements Pending {

    @Override
    public boolean isDone() {
      return pending.isDone();
    }

    @Override
    public Message await(long deadlineNanos) throws IOException {
      Exchanged all = (Exchanged) pending.await(deadlineNanos);
      return new Exchanged(
          all.accesses(), all.reachable(), remote, all.reach(), all.size(), all.array());
    }

    @Override
    public void abandon() {
      pending.abandon();
    }

    @Override
    public boolean isAnswered() {
      return pending.isAnswered();
    }
  }
}
