package org.millrace.node;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.StrandId;

/**
 * Disk-directed calls that can no longer complete, and senders that have ended. Parts that arrive
 * late, because others overtook them, must fail at once instead of waiting for parts that never
 * arrive. The oldest entries are forgotten.
 *
 * <p>Owned by the lock of {@link DirectCalls}.
 */
final class AbandonedCalls {

  /** So many calls and so many senders are remembered. */
  static final int MAX = 4096;

  /** All rounds of one call of one strand. */
  private record Call(String user, StrandId strand, long group, long channel, long sequence) {

    static Call of(String user, StrandId strand, CollectiveId id) {
      return new Call(user, strand, id.group(), id.channel(), id.sequence());
    }
  }

  /** From which round on, and why. */
  private record Reason(long round, ErrorCode code, String what) {}

  private final Map<Call, Reason> calls = new LinkedHashMap<>();
  private final Map<Long, String> sessions = new LinkedHashMap<>();

  /** This round and all later ones of the same call fail from now on. */
  void add(String user, StrandId strand, CollectiveId from, ErrorCode code, String what) {
    Call call = Call.of(user, strand, from);
    Reason known = calls.get(call);
    if (known == null || known.round > from.round()) {
      calls.put(call, new Reason(from.round(), code, what));
      dropEldest(calls);
    }
  }

  /** A sender has ended: what still comes of it comes to nothing. */
  void addSession(long session, String reason) {
    sessions.put(session, reason);
    dropEldest(sessions);
  }

  /** Why a part must fail, and from now on all others of its call, or null. */
  @Nullable MillraceException failure(long session, String user, StrandId strand, CollectiveId id) {
    String ended = sessions.get(session);
    if (ended != null) { // no other part must wait for it
      add(user, strand, id, ErrorCode.RANK_FAILED, lost(session, ended));
    }
    Reason reason = calls.get(Call.of(user, strand, id));
    return reason == null || reason.round > id.round()
        ? null
        : DirectCalls.error(reason.code, reason.what, strand, id);
  }

  static String lost(long session, String reason) {
    return "lost the rank of session " + session + ": " + reason;
  }

  private static void dropEldest(Map<?, ?> map) {
    if (map.size() > MAX) {
      Iterator<?> eldest = map.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }
}
