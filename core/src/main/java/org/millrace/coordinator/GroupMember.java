package org.millrace.coordinator;

import org.jspecify.annotations.Nullable;

/** A rank's place in one group. Guarded by the coordinator's lock. */
final class GroupMember {

  // constant after construction
  final Group group;
  final int rank;
  final Actor actor;

  // guarded by the coordinator's lock; null while it is there
  @Nullable String leftBecause;

  GroupMember(Group group, int rank, Actor actor) {
    this.group = group;
    this.rank = rank;
    this.actor = actor;
  }

  boolean hasLeft() {
    return leftBecause != null;
  }

  /** As "group/rank". */
  String shortName() {
    return group.id + "/" + rank;
  }

  @Override
  public String toString() {
    return "rank " + rank + " of group " + group.id;
  }
}
