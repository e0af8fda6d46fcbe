package org.millrace.testing;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.cluster.ClusterTopology;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Lent;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;

/**
 * A cluster of one environment in which a test stands before every endpoint.
 *
 * @param env of all its parts
 * @param isOnePlace whether the ranks know that they share memory
 * @param front what stands before an endpoint; the endpoint itself if nothing does
 */
public record WatchedTopology(Env env, boolean isOnePlace, UnaryOperator<Endpoint> front)
    implements ClusterTopology {

  /** Told of each request; what it throws is the answer. */
  public interface Watch {
    /** Sees a request before it is handled. */
    void request(Peer from, Message request) throws MillraceException;
  }

  /** A request that is to be lost on its way: nobody ever answers it. */
  public static final class Lost extends MillraceException {
    private static final long serialVersionUID = 1;

    /** Thrown by a {@link Watch}. */
    public Lost() {
      super(ErrorCode.UNKNOWN, "lost on its way");
    }
  }

  /** Ranks that do not know that they share memory, and something before every endpoint. */
  public WatchedTopology(Env env, UnaryOperator<Endpoint> front) {
    this(env, false, front);
  }

  /** A topology of which every request is seen before it is handled. */
  public static WatchedTopology of(Env env, Watch watch) {
    return new WatchedTopology(env, behind -> new Watching(behind, watch));
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
  public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
    return Links.local(env, peer, front.apply(endpoint));
  }

  /** Passes everything on; tests override what they watch. */
  public abstract static class Passing implements Endpoint {

    private final Endpoint behind;

    /** Stands before an endpoint. */
    protected Passing(Endpoint behind) {
      this.behind = behind;
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      behind.onRequest(from, request, payload, replyTo);
    }

    @Override
    public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
        throws IOException {
      return behind.onGet(from, key, offset, into, at, length);
    }

    @Override
    public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
        throws IOException {
      behind.onPut(from, key, offset, source, at, length);
    }

    @Override
    public @Nullable Lent onLend(Peer from, long key, BlockSpans blocks, boolean write) {
      return behind.onLend(from, key, blocks, write);
    }

    @Override
    public boolean isReady(long key, long offset, long length) {
      return behind.isReady(key, offset, length);
    }

    @Override
    public boolean isReady(Message request) {
      return behind.isReady(request);
    }

    @Override
    public long onAdvance(Peer from, long key, long delta, long floor, long limit)
        throws IOException {
      return behind.onAdvance(from, key, delta, floor, limit);
    }

    @Override
    public void onHint(Peer from, long key, long offset, long length) {
      behind.onHint(from, key, offset, length);
    }

    @Override
    public void onSessionEnd(Peer from, String why) {
      behind.onSessionEnd(from, why);
    }

    @Override
    public boolean isSettled() {
      return behind.isSettled();
    }
  }

  private static final class Watching extends Passing {

    private final Watch watch;

    Watching(Endpoint behind, Watch watch) {
      super(behind);
      this.watch = watch;
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      try {
        watch.request(from, request);
      } catch (Lost _) {
        return;
      } catch (MillraceException e) {
        replyTo.fail(e);
        return;
      }
      super.onRequest(from, request, payload, replyTo);
    }
  }
}
