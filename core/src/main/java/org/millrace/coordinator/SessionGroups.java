package org.millrace.coordinator;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;

/**
 * Files that sessions have open without being in a group. Each such session is a group of one rank
 * that nobody else knows, for as long as it has something open. Guarded by the coordinator's lock.
 */
final class SessionGroups {

  // guarded by the coordinator's lock
  private final Map<Long, Group> bySession = new HashMap<>();
  private final Set<Long> ended = new HashSet<>(); // while requests wait for others to come back

  /** What a session has open; made if there is nothing yet. */
  Group of(Peer peer) {
    return bySession.computeIfAbsent(peer.session(), _ -> Group.ofSession(peer));
  }

  /** What a session has open, if anything. */
  Optional<Group> find(Peer peer) {
    return Optional.ofNullable(bySession.get(peer.session()));
  }

  Collection<Group> all() {
    return Collections.unmodifiableCollection(bySession.values());
  }

  /** Forgets a session that has nothing open any more. */
  void forgetEmpty(Peer peer) {
    Group group = bySession.get(peer.session());
    if (group != null && group.opens.isEmpty()) {
      bySession.remove(peer.session());
    }
  }

  /** Remembers that a session has ended of which a request may wait. */
  void end(Peer peer) {
    ended.add(peer.session());
  }

  /** Whether a session has ended, as far as it was to be remembered. */
  boolean hasEnded(Peer peer) {
    return ended.contains(peer.session());
  }

  /** No request waits any more. */
  void forgetEnded() {
    ended.clear();
  }

  /** An open file of a session. */
  Open require(Peer peer, long number) throws MillraceException {
    Group group = bySession.get(peer.session());
    Open open = group == null ? null : group.opens.get(number);
    if (open == null) {
      throw new MillraceException(
          ErrorCode.CLOSED, "session " + peer.session() + " has no open file " + number);
    }
    return open;
  }
}
