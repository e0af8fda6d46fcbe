package org.millrace.node;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * The disk-directed calls of a node: gathers their parts and has each call carried out by the
 * thread that brings its last part. All senders of a call are answered together, with the same
 * outcome.
 *
 * <pre>
 *             part                      last part             work ended
 *   unknown --------&gt; gathering ----------------&gt; running ----------&gt; forgotten
 *                         |  withdrawn, sender gone, parts that differ      ^
 *                         '-------------------------------------------------'
 * </pre>
 *
 * <p>Safe for use by several threads. Closing fails the calls that are not complete.
 */
final class DirectCalls {

  /** Numbers of calls are their senders' own: those of another user never meet them. */
  private record Key(String user, StrandId strand, CollectiveId collective) {}

  private static final NodeReply DONE = new NodeReply.Done();

  // constant after construction
  private final Env env;
  private final String name;
  private final OpenStrands strands;
  private final int workers;
  private final Tally tally;
  private final Scratches scratches = new Scratches();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Key, DirectCall> calls = new LinkedHashMap<>();
  private boolean closed;

  DirectCalls(Env env, String name, OpenStrands strands, int workers, Tally tally) {
    this.env = env;
    this.name = name;
    this.strands = strands;
    this.workers = workers;
    this.tally = tally;
  }

  /** Takes a part; if it is the last one, does the work of the whole call. */
  void onPart(DirectPart part) {
    NodeRequest.Direct request = part.request();
    Key key = new Key(part.from().user(), request.strand(), request.collective());
    DirectCall call;
    MillraceException refused;
    boolean forgotten = false;
    lock.lock();
    try {
      call = calls.computeIfAbsent(key, unknown -> new DirectCall());
      if (call.isRunning()) {
        refused = error(ErrorCode.MIXED_CALL, "has all its parts already", key);
      } else {
        refused = closed ? error(ErrorCode.CLOSED, "came to a closed node", key) : call.add(part);
        forgotten = refused != null;
        if (forgotten) {
          calls.remove(key);
        } else if (!call.isComplete()) {
          return;
        } else {
          call.setRunning();
        }
      }
    } finally {
      lock.unlock();
    }
    if (refused == null) {
      run(key, call);
      return;
    }
    MillraceException named = named(refused);
    part.replyTo().fail(named);
    if (forgotten) {
      call.answer(named);
    }
  }

  private void run(Key key, DirectCall call) {
    MillraceException failure = call.failure();
    try {
      if (failure == null) {
        long began = tally.begin();
        tally.end(began, new DirectJob(env, name, strands, scratches, call.parts()).run(workers));
      }
    } catch (IOException e) {
      failure = MillraceException.wrap(ErrorCode.DISK, e);
    } catch (RuntimeException | Error e) { // whatever it was, nobody must wait for ever
      failure = new MillraceException(ErrorCode.INVALID, String.valueOf(e.getMessage()), e);
    }
    lock.lock();
    try {
      calls.remove(key);
    } finally {
      lock.unlock();
    }
    call.answer(failure == null ? null : named(failure));
  }

  /** Only who has a part in the call takes it back; to all others it is as if it were not there. */
  void onWithdraw(Peer from, NodeRequest.WithdrawDirect request, ReplyTo replyTo) {
    Key key = new Key(from.user(), request.strand(), request.collective());
    DirectCall call;
    lock.lock();
    try {
      call = calls.get(key);
      if (call != null && !call.isFrom(from.session())) {
        call = null;
      } else if (call != null && call.isRunning()) {
        call.addWithdrawal(replyTo);
        return;
      } else {
        calls.remove(key);
      }
    } finally {
      lock.unlock();
    }
    if (call != null) {
      call.answer(named(error(ErrorCode.DEADLINE, "was withdrawn, parts were missing", key)));
    }
    replyTo.reply(DONE);
  }

  /** Fails the calls that wait for other parts beside those of a sender that is gone. */
  void onGone(long session, String why) {
    failGathering(
        call -> call.isFrom(session),
        ErrorCode.RANK_FAILED,
        "lost the rank of session " + session + ": " + why);
  }

  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    failGathering(call -> true, ErrorCode.CLOSED, "was not complete when the node was closed");
  }

  private void failGathering(Predicate<DirectCall> which, ErrorCode code, String what) {
    Map<Key, DirectCall> failed = new LinkedHashMap<>();
    lock.lock();
    try {
      calls.forEach(
          (key, call) -> {
            if (!call.isRunning() && which.test(call)) {
              failed.put(key, call);
            }
          });
      calls.keySet().removeAll(failed.keySet());
    } finally {
      lock.unlock();
    }
    failed.forEach((key, call) -> call.answer(named(error(code, what, key))));
  }

  private static MillraceException error(ErrorCode code, String what, Key key) {
    return MillraceException.of(
        code, "disk-directed call %s of %s %s".formatted(key.collective, key.strand, what));
  }

  private MillraceException named(MillraceException e) {
    MillraceException named = MillraceException.of(e.code(), name + ": " + e.getMessage());
    named.initCause(e);
    return named;
  }
}
