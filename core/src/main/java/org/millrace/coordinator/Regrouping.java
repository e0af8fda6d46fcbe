package org.millrace.coordinator;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A group whose living ranks are forming a new one. Guarded by the coordinator's lock. */
final class Regrouping {

  // constant after construction
  final Group group;

  // guarded by the coordinator's lock
  final TreeMap<Integer, RegroupWaiter> arrived = new TreeMap<>();
  Timers.@Nullable Timer timer;

  Regrouping(Group group) {
    this.group = group;
  }

  /** Living members that have not arrived. */
  List<GroupMember> missing() {
    return group.joinedMembers().stream()
        .filter(member -> !member.hasLeft() && !arrived.containsKey(member.rank))
        .toList();
  }
}
