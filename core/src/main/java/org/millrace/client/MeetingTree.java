package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.GatheredParts;
import org.millrace.protocol.RankRequest;

/**
 * Where a participant combines its own meeting requests with those of the ranks below it in the
 * trees of its groups, so that the coordinator gets each call from a few ranks only. All other
 * requests of other ranks are passed on to another endpoint. Decision 0045 describes the protocol.
 *
 * <p>Safe for use by several threads: one lock, not held while anything is sent. Closing lets all
 * who wait come to the coordinator.
 */
final class MeetingTree implements Endpoint {

  /** How many calls are remembered at which a rank never arrived. */
  private static final int MAX_REMEMBERED = 1024;

  // constant after construction
  private final Env env;
  private final Endpoint rest;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<CollectiveId, TreeCall> calls = new LinkedHashMap<>();
  private boolean closed;

  /**
   * No rank has arrived.
   *
   * @param rest takes all that is no part of a meeting
   */
  MeetingTree(Env env, Endpoint rest) {
    this.env = env;
    this.rest = rest;
  }

  Env env() {
    return env;
  }

  /** Guards all calls. */
  ReentrantLock lock() {
    return lock;
  }

  /** The rank itself comes to a meeting; does not wait. */
  TreeCall arrive(CollectiveId id, TreeShape place, GatheredParts own, TreeCall.Ways ways) {
    long waitUntilNanos = env.deadlineAfter(DeclaredWait.DECLARE_AFTER_NANOS);
    TreeCall call;
    TreeCall.Joined joined;
    lock.lock();
    try {
      call = call(id);
      call.addOwn(place, own, ways, waitUntilNanos);
      joined = call.takeJoined();
    } finally {
      lock.unlock();
    }
    if (joined != null) {
      call.send(joined);
    }
    return call;
  }

  /** The rank itself comes to a meeting in another way: those below do so, too. */
  void passBy(CollectiveId id, TreeShape place) {
    TreeCall call;
    lock.lock();
    try {
      call = call(id);
      call.passBy(place);
    } finally {
      lock.unlock();
    }
    call.fallBack();
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    if (request instanceof RankRequest.Arrive(CollectiveId id, GatheredParts gathered)) {
      onArrive(id, gathered, replyTo);
    } else {
      rest.onRequest(from, request, payload, replyTo);
    }
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return rest.onGet(from, key, offset, into, at, length);
  }

  private void onArrive(CollectiveId id, GatheredParts gathered, ReplyTo replyTo) {
    boolean taken = false;
    TreeCall call = null;
    TreeCall.Joined joined = null;
    lock.lock();
    try {
      if (!closed && (calls.containsKey(id) || hasRoom())) {
        call = call(id);
        taken = call.addBelow(gathered, replyTo);
        joined = call.takeJoined();
        onChanged(id, call);
      }
    } finally {
      lock.unlock();
    }
    if (!taken) {
      replyTo.fail(notByTree(id));
    }
    if (call != null && joined != null) {
      call.send(joined);
    }
  }

  /** Replies that a rank has to go to the coordinator directly. */
  MillraceException notByTree(CollectiveId id) {
    return new MillraceException(ErrorCode.CLOSED, "not by way of this rank: " + id);
  }

  /** Forgets a call that is over for all at and below this place. Called with the lock held. */
  void onChanged(CollectiveId id, TreeCall call) {
    if (call.isSpent()) {
      calls.remove(id, call);
    } else if (call.isForgettable()) {
      calls.replace(id, call, call.tombstone());
    }
  }

  private TreeCall call(CollectiveId id) {
    return calls.computeIfAbsent(id, _ -> new TreeCall(this, id));
  }

  /**
   * Makes room for one more call that the rank itself has not come to, by forgetting the oldest in
   * which nobody waits: who yet comes to that waits for a moment.
   */
  private boolean hasRoom() {
    if (calls.size() < MAX_REMEMBERED) {
      return true;
    }
    Iterator<TreeCall> oldest = calls.values().iterator();
    while (oldest.hasNext()) {
      if (oldest.next().isForgettable()) {
        oldest.remove();
        return true;
      }
    }
    return false;
  }

  /** How many calls are remembered. For tests. */
  int remembered() {
    lock.lock();
    try {
      return calls.size();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    List<TreeCall> those = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      those.addAll(calls.values());
      calls.clear();
    } finally {
      lock.unlock();
    }
    those.forEach(TreeCall::fallBack);
  }
}
