package org.millrace.node;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
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
 * The disk-directed calls of a node. It collects their parts; the thread that brings the last part
 * of a call carries it out. All senders of a call get the same answer at the same time.
 *
 * <pre>
 *             part                      last part             work ended
 *   unknown --------&gt; gathering ----------------&gt; running ----------&gt; forgotten
 *                         |  withdrawn, sender gone, parts that differ      ^
 *                         '-------------------------------------------------'
 * </pre>
 *
 * Of a call that was withdrawn, or that lost a sender, later parts and rounds fail at once, as
 * {@link AbandonedCalls} remembers.
 *
 * <p>Safe for use by several threads. Closing fails the calls that are not complete.
 */
final class DirectCalls {

  /** Numbers of calls are their senders' own: those of another user never meet them. */
  private record Key(String user, StrandId strand, CollectiveId collective) {

    /** Whether this is the given round of the same call, or a later one. */
    boolean isFrom(Key round) {
      return user.equals(round.user)
          && strand.equals(round.strand)
          && collective.round() >= round.collective.round()
          && collective.inRound(0).equals(round.collective.inRound(0));
    }
  }

  private static final NodeReply DONE = new NodeReply.Done();

  // constant after construction
  private final Env env;
  private final String name;
  private final DirectContext context;
  private final OperationStats stats;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Key, DirectCall> calls = new LinkedHashMap<>();
  private final AbandonedCalls givenUp = new AbandonedCalls();
  private boolean closed;

  DirectCalls(Env env, String name, DirectContext context, OperationStats stats) {
    this.env = env;
    this.name = name;
    this.context = context;
    this.stats = stats;
  }

  /** Takes a part; if it is the last one, does the work of the whole call. */
  void onPart(DirectPart part) {
    NodeRequest.Direct request = part.request();
    Key key = new Key(part.from().user(), request.strand(), request.collective());
    long strandBytes = request.strandBytes() == 0 ? 0 : part.strandBytes();
    DirectCall call;
    DirectJob job = null;
    MillraceException refused;
    boolean forgotten = false;
    lock.lock();
    try {
      call = calls.computeIfAbsent(key, unknown -> new DirectCall());
      if (call.isRunning()) {
        refused = error(ErrorCode.MIXED_CALL, "has all its parts already", key);
      } else {
        refused = add(key, call, part, strandBytes);
        forgotten = refused != null;
        if (forgotten) {
          calls.remove(key);
        } else if (!call.isComplete()) {
          return;
        } else {
          job = new DirectJob(env, name, context, call.parts());
          call.setRunning(job);
        }
      }
    } finally {
      lock.unlock();
    }
    if (job != null) {
      run(key, call, job);
      return;
    }
    MillraceException named = named(Objects.requireNonNull(refused));
    part.replyTo().fail(named);
    if (forgotten) {
      call.answer(named);
    }
  }

  /** Adds a part to a call that is gathering. Null, or why it and the parts before it fail. */
  private @Nullable MillraceException add(
      Key key, DirectCall call, DirectPart part, long strandBytes) {
    if (closed) {
      return error(ErrorCode.CLOSED, "arrived at a closed node", key);
    }
    MillraceException late =
        givenUp.failure(part.from().session(), key.user, key.strand, key.collective);
    return late == null ? call.add(part, strandBytes) : late;
  }

  private void run(Key key, DirectCall call, DirectJob job) {
    MillraceException failure = call.failure();
    try {
      if (failure == null) {
        long began = stats.begin();
        stats.end(began, job.run());
      }
    } catch (IOException e) {
      failure = MillraceException.wrap(ErrorCode.DISK, e);
    } catch (RuntimeException | Error e) { // whatever it was, no sender must wait forever
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

  /**
   * Gives up a round and all later ones; one that runs is stopped. Answers when no payload of the
   * round is touched any more.
   */
  void onWithdraw(Peer from, NodeRequest.WithdrawDirect request, ReplyTo replyTo) {
    Key key = new Key(from.user(), request.strand(), request.collective());
    String what = "was withdrawn, parts were missing";
    Map<Key, DirectCall> failed;
    boolean later;
    lock.lock();
    try {
      givenUp.add(key.user, key.strand, key.collective, ErrorCode.DEADLINE, what);
      failed = takeGathering((other, _) -> other.isFrom(key));
      DirectCall call = calls.get(key);
      later = call != null;
      if (call != null) { // it runs
        call.addWithdrawal(replyTo);
        call.stop(error(ErrorCode.DEADLINE, "was withdrawn while it ran", key));
      }
    } finally {
      lock.unlock();
    }
    answer(failed, ErrorCode.DEADLINE, what);
    if (!later) {
      replyTo.reply(DONE);
    }
  }

  /** Fails the calls that wait for other parts beside those of a sender that is gone. */
  void onSessionEnd(long session, String reason) {
    String what = AbandonedCalls.lost(session, reason);
    Map<Key, DirectCall> failed;
    lock.lock();
    try {
      givenUp.addSession(session, reason);
      failed = takeGathering((_, call) -> call.isFrom(session));
      failed
          .keySet()
          .forEach(
              key ->
                  givenUp.add(key.user, key.strand, key.collective, ErrorCode.RANK_FAILED, what));
    } finally {
      lock.unlock();
    }
    answer(failed, ErrorCode.RANK_FAILED, what);
  }

  void close() {
    Map<Key, DirectCall> failed;
    lock.lock();
    try {
      closed = true;
      failed = takeGathering((_, _) -> true);
    } finally {
      lock.unlock();
    }
    answer(failed, ErrorCode.CLOSED, "was not complete when the node was closed");
  }

  /** Forgets calls that wait for parts; under the lock. */
  private Map<Key, DirectCall> takeGathering(BiPredicate<Key, DirectCall> which) {
    Map<Key, DirectCall> taken = new LinkedHashMap<>();
    calls.forEach(
        (key, call) -> {
          if (!call.isRunning() && which.test(key, call)) {
            taken.put(key, call);
          }
        });
    calls.keySet().removeAll(taken.keySet());
    return taken;
  }

  private void answer(Map<Key, DirectCall> failed, ErrorCode code, String what) {
    failed.forEach((key, call) -> call.answer(named(error(code, what, key))));
  }

  private static MillraceException error(ErrorCode code, String what, Key key) {
    return error(code, what, key.strand, key.collective);
  }

  static MillraceException error(ErrorCode code, String what, StrandId strand, CollectiveId call) {
    return MillraceException.of(
        code, "disk-directed call %s of %s %s".formatted(call, strand, what));
  }

  private MillraceException named(MillraceException e) {
    MillraceException named = MillraceException.of(e.code(), name + ": " + e.getMessage());
    named.initCause(e);
    return named;
  }
}
