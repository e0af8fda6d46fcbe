package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.millrace.message.Peer;

/**
 * One thread of control: a rank of a formed group, together with its session's ranks in other
 * groups. Guarded by the coordinator's lock.
 */
final class Actor {

  // constant after construction
  final Peer peer;

  // guarded by the coordinator's lock
  String inbox = ""; // where it listens, if it came with a job
  final List<GroupMember> members = new ArrayList<>();
  final List<WaitingRequest> waits = new ArrayList<>();

  Actor(Peer peer) {
    this.peer = peer;
  }

  /**
   * Whether this actor can do nothing until one of its requests is answered: it vouched for its
   * only one, or it declared that its own thread waits and as many requests are under way as wait
   * here.
   */
  boolean isStuck() {
    List<WaitingRequest> requests = requests();
    if (requests.size() == 1 && requests.getFirst().alone()) {
      return true;
    }
    for (WaitingRequest wait : waits) {
      if (wait instanceof WaitDeclaration declared
          && declared.declare().others() > 0
          && declared.declare().others() == requests.size()) {
        return true;
      }
    }
    return false;
  }

  /** What waits beside declarations. */
  List<WaitingRequest> requests() {
    return waits.stream().filter(wait -> !(wait instanceof WaitDeclaration)).toList();
  }
}
