package org.millrace.coordinator;

import java.util.List;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorRequest;

/**
 * The waits that ranks declare: at most one for each number of a rank. Guarded by the coordinator's
 * lock.
 */
final class WaitDeclarations {

  /** How many a rank may have: as many threads of it as may well wait for messages. */
  private static final int MAX = 1 << 10;

  private static final int MAX_CALL_CHARS = 1 << 10;

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final WaitGraph graph;

  WaitDeclarations(Env env, Groups groups, WaitGraph graph) {
    this.env = env;
    this.groups = groups;
    this.graph = graph;
  }

  void onDeclare(Peer from, CoordinatorRequest.Declare declare, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, declare.group(), declare.rank());
    Quotas.checkLength(declare.call(), MAX_CALL_CHARS, "the name of a call");
    long since = end(member, declare.number(), env.nanoTime());
    Quotas.check(of(member).size(), MAX, member + "'s list of waits");
    WaitDeclaration declared = new WaitDeclaration(member, declare, since);
    graph.start(declared);
    graph.breakCycle(declared, answers);
  }

  void onUndeclare(Peer from, CoordinatorRequest.Undeclare undeclare) throws MillraceException {
    GroupMember member = groups.requireMember(from, undeclare.group(), undeclare.rank());
    end(member, undeclare.number(), 0);
  }

  /** Forgets what a member that has just left declared. */
  void onLeft(GroupMember member) {
    of(member).forEach(graph::end);
  }

  /** Ends a wait, if there is one; returns since when it was, or {@code otherwise}. */
  private long end(GroupMember member, long number, long otherwise) {
    for (WaitDeclaration one : of(member)) {
      if (one.declare().number() == number) {
        graph.end(one);
        return one.sinceNanos();
      }
    }
    return otherwise;
  }

  private static List<WaitDeclaration> of(GroupMember member) {
    return member.actor.waits.stream()
        .filter(wait -> wait instanceof WaitDeclaration && wait.member() == member)
        .map(WaitDeclaration.class::cast)
        .toList();
  }
}
