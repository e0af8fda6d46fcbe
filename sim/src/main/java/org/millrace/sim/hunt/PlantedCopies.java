package org.millrace.sim.hunt;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/** Bugs in the handling of copies. Stateless. */
final class PlantedCopies {

  /** Late enough that an owner may be lost in between, and replaced. */
  private static final long LATE_NANOS = 30 * World.SECOND;

  private PlantedCopies() {}

  /** Owners hear at once that a copy has what they sent, which it stores much later. */
  static Planted flushWithoutCopy() {
    return planted(Lazy::new);
  }

  /**
   * New owners have the epoch of those before them: these do not hear that they were replaced,
   * copies take what they send, and ranks do not hear that what they had written is lost.
   */
  static Planted takeoverWithoutEpoch() {
    return planted(Unfenced::new);
  }

  /** No new owner vouches for writes of before, whether all were flushed or not. */
  static Planted needlessLoss() {
    return planted((_, real) -> new Timid(real));
  }

  private interface Front {
    Endpoint of(Daemon daemon, Endpoint real);
  }

  private static Planted planted(Front front) {
    return new Planted() {
      @Override
      public Endpoint front(Daemon daemon, Endpoint real) {
        return front.of(daemon, real);
      }
    };
  }

  private static final class Lazy extends ForwardingEndpoint {

    private final Daemon daemon;

    Lazy(Daemon daemon, Endpoint real) {
      super(real);
      this.daemon = daemon;
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      if (!(request instanceof NodeRequest.CopyWrite || request instanceof NodeRequest.CopyFlush)) {
        super.onRequest(from, request, payload, replyTo);
        return;
      }
      MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(payload.bytes())]);
      payload.copyTo(bytes, 0);
      replyTo.reply(new NodeReply.Done());
      daemon.env().start(ThreadKind.SERVICE, "late", () -> late(from, request, bytes));
    }

    private void late(Peer from, Message request, MemorySegment bytes) {
      World.pause(daemon.env(), LATE_NANOS);
      super.onRequest(from, request, Payload.of(bytes), new Unheard());
    }
  }

  private static final class Timid extends ForwardingEndpoint {

    Timid(Endpoint real) {
      super(real);
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      boolean asked = request instanceof NodeRequest.Vouch;
      super.onRequest(from, request, payload, asked ? new Unvouched(replyTo) : replyTo);
    }
  }

  /** Says that nothing is vouched for. */
  private record Unvouched(ReplyTo real) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      real.reply(new NodeReply.Count(Long.MAX_VALUE));
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  private static final class Unfenced extends ForwardingEndpoint {

    private final Map<StrandId, Long> highest = new HashMap<>();

    Unfenced(Daemon daemon, Endpoint real) {
      super(real);
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      boolean told =
          request instanceof CoordinatorRequest.Heartbeat || request instanceof NodeRequest.Vouch;
      super.onRequest(from, raised(request), payload, told ? new Untold(replyTo) : replyTo);
    }

    private Message raised(Message request) {
      if (!(request instanceof NodeRequest.OfCopy copy)) {
        return request;
      }
      long epoch = highest.merge(copy.strand(), copy.epoch(), Math::max);
      return switch (copy) {
        case NodeRequest.CopyBegin r ->
            new NodeRequest.CopyBegin(r.strand(), epoch, r.since(), r.blockBytes(), r.mark());
        case NodeRequest.CopyWrite r ->
            new NodeRequest.CopyWrite(r.strand(), epoch, r.firstBlock(), r.bytes());
        case NodeRequest.CopyFlush r ->
            new NodeRequest.CopyFlush(r.strand(), epoch, r.end(), r.mark());
        default -> request;
      };
    }
  }

  /** Says to no node that it was lost, and to no rank that its node was. */
  private record Untold(ReplyTo real) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      real.reply(
          switch (reply) {
            case CoordinatorReply.Removals r ->
                new CoordinatorReply.Removals(
                    r.strands(),
                    r.revoked(),
                    r.epoch(),
                    r.fences(),
                    r.nowMillis(),
                    r.returned(),
                    0,
                    r.rebuilds());
            case NodeReply.Count _ -> new NodeReply.Count(0);
            default -> reply;
          });
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  /** Takes an answer that nobody wants. */
  private static final class Unheard implements ReplyTo {

    @Override
    public void reply(Message reply) {}

    @Override
    public void fail(MillraceException error) {}
  }
}
