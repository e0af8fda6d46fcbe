package org.millrace.heritage.testing;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.millrace.cluster.ClusterTopology;
import org.millrace.env.Env;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.WatchedTopology;

/**
 * A cluster in which one rank is late now and then when it speaks to the coordinator, and a node is
 * slow now and then, in virtual time. So others wait in the middle of calls, and what was begun is
 * still under way when the next call comes. Nothing is lost, and what one thread says arrives in
 * order: the thread itself is held up.
 */
final class LateTopology implements ClusterTopology {

  private static final long LATE_NANOS = 300_000_000L;
  private static final long SLOW_NANOS = 50_000_000L;
  private static final int ONE_IN = 6;

  private final Env env;
  private final RandomGenerator random;
  private final int lateRank;
  private final WatchedTopology watched;

  /**
   * A topology.
   *
   * @param onePlace whether the ranks know that they share memory
   */
  LateTopology(Env env, int ranks, boolean onePlace) {
    this.env = env;
    this.random = env.random("late");
    this.lateRank = random.nextInt(ranks);
    this.watched = new WatchedTopology(env, onePlace, Way::new);
  }

  @Override
  public Env coordinator() {
    return env;
  }

  @Override
  public Env node(int number) {
    return env;
  }

  @Override
  public Env rank(int number) {
    return env;
  }

  @Override
  public boolean isOnePlace() {
    return watched.isOnePlace();
  }

  @Override
  public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
    return watched.link(from, to, peer, endpoint);
  }

  private void maybe(long nanos) {
    if (random.nextInt(ONE_IN) == 0) {
      sleep(env, nanos);
    }
  }

  /** Lets virtual time pass. */
  static void sleep(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One link. Requests tell what it leads to, and joining the group which rank it belongs to. */
  private final class Way extends WatchedTopology.Passing {

    private int rank = NOBODY;

    Way(Endpoint behind) {
      super(behind);
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      if (request instanceof NodeRequest) {
        maybe(SLOW_NANOS);
      } else if (request instanceof CoordinatorRequest asked) {
        if (rank == NOBODY && asked instanceof CoordinatorRequest.Join join) {
          rank = join.rank();
        } else if (rank == lateRank) {
          maybe(LATE_NANOS);
        }
      }
      super.onRequest(from, request, payload, replyTo);
    }

    @Override
    public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
        throws IOException {
      maybe(SLOW_NANOS);
      return super.onGet(from, key, offset, into, at, length);
    }

    @Override
    public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
        throws IOException {
      maybe(SLOW_NANOS);
      super.onPut(from, key, offset, source, at, length);
    }
  }
}
