package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.message.Peer;

/**
 * One thread of control: a rank of a formed group, together with what its session is in other
 * groups. Guarded by the coordinator's lock.
 */
final class Actor {

  // constant after construction
  final Peer peer;

  // guarded by the coordinator's lock
  String inbox = ""; // where it listens, if it came with a job
  final List<Member> members = new ArrayList<>();
  final List<Waiting> waits = new ArrayList<>();

  Actor(Peer peer) {
    this.peer = peer;
  }

  /**
   * The one request in which this actor is stuck, if it can do nothing else until that is answered.
   */
  Optional<Waiting> stuckIn() {
    return waits.size() == 1 && waits.getFirst().alone()
        ? Optional.of(waits.getFirst())
        : Optional.empty();
  }
}
