package org.millrace.sim.hunt;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
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

/** Bugs in the handling of requests. Stateless; what they remember belongs to one world. */
final class PlantedRequests {

  private PlantedRequests() {}

  /** Handles some requests, and passes all others on. */
  private abstract static class Handling extends ForwardingEndpoint {

    final Daemon daemon;
    final RandomGenerator random;

    Handling(Daemon daemon, Endpoint real) {
      super(real);
      this.daemon = daemon;
      this.random = daemon.env().random("planted");
    }

    void pass(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      super.onRequest(from, request, payload, replyTo);
    }
  }

  /** Makes the endpoint with the bug. */
  private interface Front {
    Endpoint of(Daemon daemon, Endpoint real);
  }

  /** What becomes of a request before it is handled. */
  private interface Change {
    Message of(Message request);
  }

  /** The answer to a request that is never handled; null to one that is. */
  private interface Answer {
    @Nullable Message to(Message request);
  }

  private static Planted planted(Front front) {
    return new Planted() {
      @Override
      public Endpoint front(Daemon daemon, Endpoint real) {
        return front.of(daemon, real);
      }
    };
  }

  private static Planted changing(Change change) {
    return planted(
        (daemon, real) ->
            new Handling(daemon, real) {
              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
                pass(from, change.of(request), payload, to);
              }
            });
  }

  private static Planted answering(Answer answer) {
    return planted(
        (daemon, real) ->
            new Handling(daemon, real) {
              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
                Message own = answer.to(request);
                if (own != null) {
                  to.reply(own);
                } else {
                  pass(from, request, payload, to);
                }
              }
            });
  }

  /** A restarted coordinator that does not hear where shared pointers stand. */
  static Planted forgottenPointer() {
    return changing(
        request ->
            request instanceof CoordinatorRequest.Recall r
                ? new CoordinatorRequest.Recall(
                    r.groups(),
                    r.places(),
                    r.opens(),
                    List.of(),
                    r.locks(),
                    r.outcomes(),
                    r.unanswered(),
                    r.assembling(),
                    r.waits(),
                    r.splits(),
                    r.regroups())
                : request);
  }

  static Planted earlyAcknowledgement() {
    return planted(
        (daemon, real) ->
            new Handling(daemon, real) {
              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
                if (request instanceof NodeRequest.Flush) {
                  to.reply(new NodeReply.Done());
                  daemon.env().start(ThreadKind.SERVICE, "late", () -> late(from, request));
                } else {
                  pass(from, request, payload, to);
                }
              }

              private void late(Peer from, Message request) {
                World.pause(daemon.env(), 300 * World.MILLI);
                pass(from, request, Payload.NONE, new Nobody());
              }
            });
  }

  /** Every other strand is nobody's: its flush does nothing. */
  static Planted unflushedStrand() {
    return answering(
        request ->
            request instanceof NodeRequest.Flush(StrandId id) && id.strand() % 2 == 1
                ? new NodeReply.Done()
                : null);
  }

  /** Nodes take a call for complete when half of its bytes, or all ranks but one, have come. */
  static Planted directedTooEarly() {
    return changing(
        request ->
            request instanceof NodeRequest.Direct r && r.ranks() > 1
                ? new NodeRequest.Direct(
                    r.strand(),
                    r.collective(),
                    r.write(),
                    Math.min(r.rank(), r.ranks() - 2),
                    r.ranks() - 1,
                    Math.ceilDiv(r.strandBytes(), 2),
                    r.part(),
                    r.parts(),
                    r.depth(),
                    r.layout(),
                    r.access())
                : request);
  }

  static Planted swallowedError() {
    return planted(
        (daemon, real) ->
            new Handling(daemon, real) {
              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
                boolean flush = request instanceof NodeRequest.Flush;
                pass(from, request, payload, flush ? new Cheerful(to) : to);
              }
            });
  }

  static Planted staleSize() {
    return planted(
        (daemon, real) -> {
          Map<StrandId, Long> known = new HashMap<>();
          return new Handling(daemon, real) {
            @Override
            public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
              if (!(request instanceof NodeRequest.Size(StrandId strand))) {
                pass(from, request, payload, to);
                return;
              }
              Long before = known.get(strand);
              if (before != null && random.nextInt(3) == 0) {
                to.reply(new NodeReply.Count(before));
              } else {
                pass(from, request, payload, new Noting(to, size -> known.put(strand, size)));
              }
            }
          };
        });
  }

  static Planted forgottenRename() {
    return answering(
        request ->
            request instanceof CoordinatorRequest.Rename ? new CoordinatorReply.Done() : null);
  }

  /** As a replica that lags behind would answer. */
  static Planted staleName() {
    return planted(
        (daemon, real) -> {
          Map<String, Message> known = new HashMap<>();
          return new Handling(daemon, real) {
            @Override
            public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
              if (!(request instanceof CoordinatorRequest.Stat stat)
                  || !stat.path().startsWith("contended")) {
                pass(from, request, payload, to);
                return;
              }
              Message before = known.get(stat.path());
              if (before != null) {
                to.reply(before);
              } else {
                pass(from, request, payload, new Keeping(to, known, stat.path()));
              }
            }
          };
        });
  }

  static Planted brokenLock() {
    return changing(
        request ->
            request instanceof CoordinatorRequest.Lock lock
                ? new CoordinatorRequest.Lock(
                    lock.group(),
                    lock.rank(),
                    lock.name() + " of " + lock.rank(),
                    lock.from(),
                    lock.to(),
                    lock.shared(),
                    lock.alone(),
                    lock.brief())
                : request);
  }

  static Planted unfencedSession() {
    return changing(
        request ->
            request instanceof CoordinatorRequest.Heartbeat heartbeat
                ? new CoordinatorRequest.Heartbeat(
                    heartbeat.node(), heartbeat.removed(), heartbeat.epoch(), Long.MAX_VALUE)
                : request);
  }

  /** A coordinator that cannot tell a repeated request from a new one. */
  static Planted forgottenAnswers() {
    return planted(
        (daemon, real) ->
            new Handling(daemon, real) {
              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
                pass(from, request, payload, new Unnumbered(to));
              }
            });
  }

  /** Does not say which request of its sender it answers. */
  record Unnumbered(ReplyTo real) implements ReplyTo {

    @Override
    public Moving onMoved(long bytes, long pieces) {
      return real.onMoved(bytes, pieces);
    }

    @Override
    public void release() {
      real.release();
    }

    @Override
    public void reply(Message reply) {
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  /** Takes an answer that nobody wants. */
  private static final class Nobody implements ReplyTo {

    @Override
    public void reply(Message reply) {}

    @Override
    public void fail(MillraceException error) {}
  }

  /** Answers that all is well. */
  private record Cheerful(ReplyTo real) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.reply(new NodeReply.Done());
    }
  }

  /** Keeps an answer. */
  private record Keeping(ReplyTo real, Map<String, Message> known, String path) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      known.put(path, reply);
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  /** Told a size. */
  private interface Sizes {
    void are(long size);
  }

  /** Notes what was answered. */
  private record Noting(ReplyTo real, Sizes sizes) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      if (reply instanceof NodeReply.Count(long bytes)) {
        sizes.are(bytes);
      }
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }
}
