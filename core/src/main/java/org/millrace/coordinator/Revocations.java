package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.env.Env;
import org.millrace.protocol.Revocation;

/**
 * Capabilities that were revoked before they expired, and which nodes know them. A node gets each
 * of them once, and all of them again when it registers again, since it may have forgotten them. If
 * there are too many, the oldest are forgotten and are valid again until they expire.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Revocations {

  /** How many a node is sent at a time. */
  static final int MAX_AT_A_TIME = 1024;

  private static final int MAX = 1 << 18;

  // constant after construction
  private final Env env;
  private final CapabilityIssuer issuer;

  // guarded by the coordinator's lock
  private final TreeMap<Long, Revocation> bySequence = new TreeMap<>();
  private final Map<Integer, Long> sentTo = new HashMap<>(); // by node: the last it was told
  private long nextSequence = 1;

  Revocations(Env env, CapabilityIssuer issuer) {
    this.env = env;
    this.issuer = issuer;
  }

  /** Revokes all capabilities of this open. */
  void revoke(Open open) {
    long now = env.wallMillis();
    while (!bySequence.isEmpty()
        && (bySequence.size() >= MAX || bySequence.firstEntry().getValue().untilMillis() <= now)) {
      bySequence.pollFirstEntry();
    }
    bySequence.put(nextSequence++, new Revocation(open.number(), issuer.untilMillis()));
  }

  /** A node begins anew. */
  void onRegistered(int node) {
    sentTo.remove(node);
  }

  /** Revocations that a node does not know yet. */
  List<Revocation> of(int node) {
    List<Revocation> fresh = new ArrayList<>();
    long last = sentTo.getOrDefault(node, 0L);
    for (Map.Entry<Long, Revocation> each : bySequence.tailMap(last, false).entrySet()) {
      if (fresh.size() == MAX_AT_A_TIME) {
        break;
      }
      fresh.add(each.getValue());
      last = each.getKey();
    }
    sentTo.put(node, last);
    return fresh;
  }
}
