package org.millrace.sim.hunt;

import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Asks the world about each change of a name that is durable whether its answer leaves: a
 * coordinator that is about to die never says it. For threads of the world's environment.
 */
final class NameWatch extends ForwardingEndpoint {

  private final World world;

  NameWatch(World world, Endpoint coordinator) {
    super(coordinator);
    this.world = world;
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    boolean changes =
        switch (request) {
          case CoordinatorRequest.MakeDirectory _,
              CoordinatorRequest.Rename _,
              CoordinatorRequest.Remove _ ->
              true;
          default -> false;
        };
    super.onRequest(from, request, payload, changes ? new Changing(replyTo) : replyTo);
  }

  /** Holds an answer back for ever, if it is to be. */
  private final class Changing implements ReplyTo {

    private final ReplyTo to;

    Changing(ReplyTo to) {
      this.to = to;
    }

    @Override
    public long request() {
      return to.request();
    }

    @Override
    public long heard() {
      return to.heard();
    }

    @Override
    public void reply(Message reply) {
      if (!world.holdsBack()) {
        to.reply(reply);
      }
    }

    @Override
    public void fail(MillraceException error) {
      to.fail(error);
    }
  }
}
