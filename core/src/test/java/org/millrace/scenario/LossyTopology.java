package org.millrace.scenario;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.RankRequest;
import org.millrace.testing.WatchedTopology;

/**
 * Ranks that are some time away from each other and from the coordinator, in virtual time. What
 * they say about meetings by way of each other may be lost, or fail; everything else arrives, in
 * order.
 */
final class LossyTopology {

  private final Env env;
  private final RandomGenerator random;
  private final double losses;
  private final long maxNanos;

  /** Requests of one rank to the coordinator to meet. */
  final AtomicInteger inPerson = new AtomicInteger();

  /** Requests of one rank for several. */
  final AtomicInteger together = new AtomicInteger();

  /**
   * A topology.
   *
   * @param losses the share of requests between ranks, and of their answers, that are lost or fail
   */
  LossyTopology(Env env, double losses, long maxNanos) {
    this.env = env;
    this.random = env.random("losses");
    this.losses = losses;
    this.maxNanos = maxNanos;
  }

  /** The topology itself. */
  WatchedTopology topology() {
    return new WatchedTopology(env, Way::new);
  }

  /** Lets virtual time pass. */
  static void sleep(Env env, long nanos) {
    try {
      env.sleep(Math.max(0, nanos));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private final class Way extends WatchedTopology.Passing {

    private long lastOut;
    private long lastBack;

    Way(Endpoint behind) {
      super(behind);
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      boolean tree = request instanceof RankRequest.Arrive;
      boolean meets = request instanceof CoordinatorRequest.Meet;
      boolean speaks = request instanceof CoordinatorRequest.MeetCombined;
      if (!tree && !meets && !speaks) {
        super.onRequest(from, request, payload, replyTo);
        return;
      }
      (meets ? inPerson : together).addAndGet(tree ? 0 : 1);
      if (tree && isLost(replyTo)) {
        return;
      }
      lastOut = arrival(lastOut);
      at(lastOut, () -> super.onRequest(from, request, payload, back(replyTo, tree)));
    }

    private boolean isLost(ReplyTo replyTo) {
      if (random.nextDouble() >= losses) {
        return false;
      }
      if (random.nextBoolean()) {
        replyTo.fail(new MillraceException(ErrorCode.UNKNOWN, "the connection was lost"));
      }
      return true;
    }

    private ReplyTo back(ReplyTo replyTo, boolean tree) {
      return new ReplyTo() {
        @Override
        public void reply(Message reply) {
          if (!tree || !isLost(replyTo)) {
            lastBack = arrival(lastBack);
            at(lastBack, () -> replyTo.reply(reply));
          }
        }

        @Override
        public void fail(MillraceException error) {
          lastBack = arrival(lastBack);
          at(lastBack, () -> replyTo.fail(error));
        }
      };
    }

    private long arrival(long last) {
      return Math.max(last + 1, env.nanoTime() + 1 + random.nextLong(maxNanos));
    }

    private void at(long instant, Runnable then) {
      env.start(
          ThreadKind.HELPER,
          "message",
          () -> {
            sleep(env, instant - env.nanoTime());
            then.run();
          });
    }
  }
}
