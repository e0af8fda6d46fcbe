package org.millrace.sim.hunt;

import java.util.HashMap;
import java.util.Map;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Watches which rank gets an exclusive lock of a file, and informs the world just before the rank
 * continues. For threads of the world's environment.
 */
final class LockWatch extends ForwardingEndpoint {

  private final World world;
  private final Map<Long, CoordinatorRequest.Assemble> came = new HashMap<>(); // by session

  LockWatch(World world, Endpoint coordinator) {
    super(coordinator);
    this.world = world;
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    if (request instanceof CoordinatorRequest.Assemble job && !job.inbox().isEmpty()) {
      came.put(from.session(), job);
    }
    CoordinatorRequest.Assemble who = came.get(from.session());
    boolean locks =
        request instanceof CoordinatorRequest.Lock lock
            && lock.name().startsWith("file ")
            && !lock.shared();
    ReplyTo to = locks && who != null ? new Granting(replyTo, who) : replyTo;
    super.onRequest(from, request, payload, to);
  }

  @Override
  public void onSessionEnd(Peer from, String why) {
    came.remove(from.session());
    super.onSessionEnd(from, why);
  }

  /** Tells the world of a grant. */
  private final class Granting implements ReplyTo {

    private final ReplyTo to;
    private final CoordinatorRequest.Assemble who;

    Granting(ReplyTo to, CoordinatorRequest.Assemble who) {
      this.to = to;
      this.who = who;
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
      world.onLocked(who.job(), who.rank());
      to.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      to.fail(error);
    }
  }
}
