package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.RankRequest;

/**
 * The memory of each collective call in which a participant takes part: pieces of other ranks
 * arrive here. All other requests of other ranks are passed on to another endpoint.
 *
 * <p>Safe for use by several threads: one lock guards what is open; pieces are copied on their
 * senders' threads, outside of it.
 */
public final class ReceiveBuffers implements Endpoint {

  /** A receive buffer and how many threads are using it. Guarded by the lock. */
  private static final class Open {
    final ReceiveBuffer receiveBuffer;
    int touching;

    Open(ReceiveBuffer receiveBuffer) {
      this.receiveBuffer = receiveBuffer;
    }
  }

  // constant after construction
  private final Endpoint rest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal untouched;

  // guarded by lock
  private final Map<CollectiveId, Open> open = new HashMap<>();

  /**
   * None open.
   *
   * @param rest takes all that is no piece of a collective call
   */
  public ReceiveBuffers(Env env, Endpoint rest) {
    this.rest = rest;
    this.untouched = env.signal(lock);
  }

  /** From now on others may touch the memory. */
  public void open(CollectiveId collective, ReceiveBuffer receiveBuffer) {
    lock.lock();
    try {
      open.put(collective, new Open(receiveBuffer));
    } finally {
      lock.unlock();
    }
  }

  /** Stops all access to the memory. Waits for pending copies. */
  public void close(CollectiveId collective) {
    lock.lock();
    try {
      Open one = open.remove(collective);
      while (one != null && one.touching > 0) {
        untouched.await(Env.NEVER); // ends: a copy does not wait
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Open enter(CollectiveId collective) {
    lock.lock();
    try {
      Open one = open.get(collective);
      if (one != null) {
        one.touching++;
      }
      return one;
    } finally {
      lock.unlock();
    }
  }

  private void leave(Open one) {
    lock.lock();
    try {
      if (--one.touching == 0) {
        untouched.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    switch (request) {
      case RankRequest.Place place ->
          land(place.collective(), replyTo, at -> at.move(place.piece(), payload, false));
      case RankRequest.Fetch fetch ->
          land(fetch.collective(), replyTo, at -> at.move(fetch.piece(), payload, true));
      case RankRequest.Want want ->
          land(want.collective(), replyTo, at -> at.want(want.rank(), want.access()));
      default -> rest.onRequest(from, request, payload, replyTo);
    }
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return rest.onGet(from, key, offset, into, at, length);
  }

  private interface Touch {
    void run(ReceiveBuffer receiveBuffer);
  }

  private void land(CollectiveId collective, ReplyTo replyTo, Touch touch) {
    Open one = enter(collective);
    if (one == null) {
      replyTo.fail(
          new MillraceException(
              ErrorCode.RANK_FAILED, "the rank is not in the collective call " + collective));
      return;
    }
    try {
      touch.run(one.receiveBuffer);
    } catch (RuntimeException e) { // its memory was closed meanwhile, for instance
      replyTo.fail(new MillraceException(ErrorCode.INVALID, "the rank's memory failed: " + e, e));
      return;
    } finally {
      leave(one);
    }
    replyTo.reply(new RankRequest.Taken());
  }
}
