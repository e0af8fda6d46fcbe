package org.millrace.scenario;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.Fabric;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;

/** A cluster in one place, of which every request is seen before it is handled. */
record WatchedFabric(Env env, Watch watch) implements Fabric {

  /** Told of each request; what it throws is the answer. */
  interface Watch {
    void request(Peer from, Message request) throws MillraceException;
  }

  /** A request that is to be lost on its way: nobody ever answers it. */
  static final class Lost extends MillraceException {
    private static final long serialVersionUID = 1;

    Lost() {
      super(org.millrace.error.ErrorCode.UNKNOWN, "lost on its way");
    }
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
    return Links.local(env, peer, new Watching(endpoint, watch));
  }

  private record Watching(Endpoint behind, Watch watch) implements Endpoint {

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      try {
        watch.request(from, request);
      } catch (Lost e) {
        return;
      } catch (MillraceException e) {
        replyTo.fail(e);
        return;
      }
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
    public long onAdvance(Peer from, long key, long delta, long floor, long limit)
        throws IOException {
      return behind.onAdvance(from, key, delta, floor, limit);
    }

    @Override
    public void onGone(Peer from, String why) {
      behind.onGone(from, why);
    }
  }
}
