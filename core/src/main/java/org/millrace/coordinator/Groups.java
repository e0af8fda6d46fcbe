package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;

/** All groups, and which session is which rank. Guarded by the coordinator's lock. */
final class Groups {

  static final int MAX_SIZE = 1 << 20;

  private static final long NOBODY = 0; // no session has this number

  // constant after construction
  private final Quotas bounds;

  // guarded by the coordinator's lock
  private final Map<Long, Integer> formedBy = new HashMap<>(); // by the founder's session
  private final Map<Long, Integer> madeFrom = new HashMap<>(); // by the formed group
  private final Map<Long, Group> byId = new TreeMap<>();
  private final Map<Long, List<GroupMember>> bySession = new HashMap<>(); // members that left, too
  private long nextId;

  /**
   * No group yet.
   *
   * @param firstId the number of the first. Nodes that outlive a coordinator remember calls of its
   *     groups: those of the next must have other numbers
   */
  Groups(Quotas bounds, long firstId) {
    this.bounds = bounds;
    this.nextId = firstId;
  }

  Group form(Peer founder, int size) throws MillraceException {
    checkSize(size);
    checkMayForm(founder);
    return add(founder, size, nextId);
  }

  /** Whether a session may have one more group. */
  void checkMayForm(Peer founder) throws MillraceException {
    int current = formedBy.getOrDefault(founder.session(), 0);
    Quotas.check(current, bounds.groups(), "session " + founder.session() + "'s list of groups");
  }

  /** Whether {@code more} groups may be made from what {@code parent} was made from. */
  void checkMaySplit(Group parent, int more) throws MillraceException {
    int current = madeFrom.getOrDefault(parent.root, 0);
    Quotas.check(
        current + more - 1,
        bounds.splits(),
        "group " + parent.root + "'s list of groups made from it");
  }

  static void checkSize(int size) throws MillraceException {
    if (size < 1 || size > MAX_SIZE) {
      throw new MillraceException(
          ErrorCode.INVALID, "a group of " + size + " ranks: not in 1.." + MAX_SIZE);
    }
  }

  /** A group whose members join at once; it is over when all have left. */
  Group assemble(Peer first, int size) {
    return add(first, size, nextId);
  }

  GroupMember join(Group group, int rank, Peer peer) {
    return join(group, rank, actorFor(peer, group));
  }

  private GroupMember join(Group group, int rank, Actor actor) {
    GroupMember member = group.join(rank, actor);
    bySession.computeIfAbsent(actor.peer.session(), _ -> new ArrayList<>()).add(member);
    return member;
  }

  /** A group of some of the actors of {@code parent}. */
  Group split(Group parent, List<Actor> actors) {
    Group group = add(parent.founder, actors.size(), parent.root);
    for (int rank = 0; rank < actors.size(); rank++) {
      join(group, rank, actors.get(rank));
    }
    return group;
  }

  GroupMember join(Peer peer, long groupId, int rank) throws MillraceException {
    Group group = require(groupId, rank);
    if (!group.isFormed() || group.member(rank).isPresent()) {
      throw new MillraceException(
          ErrorCode.INVALID, "rank " + rank + " of group " + groupId + " is taken");
    }
    if (!group.founder.user().equals(peer.user())) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user " + peer.user() + " may not join group " + groupId + " of " + group.founder.user());
    }
    int places = of(peer).size();
    Quotas.check(places, bounds.places(), "session " + peer.session() + "'s list of ranks");
    return join(group, rank, peer);
  }

  /**
   * One session is one actor, whatever groups it is in, because cycles of waiting may go through
   * several; but a session that is several ranks of one group is as many actors.
   */
  private Actor actorFor(Peer peer, Group group) {
    for (GroupMember place : of(peer)) {
      if (place.actor.members.stream().noneMatch(member -> member.group == group)) {
        return place.actor;
      }
    }
    return new Actor(peer);
  }

  /** The member that the sender says it is. */
  GroupMember requireMember(Peer peer, long groupId, int rank) throws MillraceException {
    Group group = require(groupId, rank);
    Optional<GroupMember> found = group.member(rank);
    if (found.isEmpty() || found.get().actor.peer.session() != peer.session()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "session " + peer.session() + " is not rank " + rank + " of group " + groupId);
    }
    GroupMember member = found.get();
    if (member.hasLeft()) {
      throw new MillraceException(ErrorCode.CLOSED, member + " has left");
    }
    return member;
  }

  Group require(long groupId, int rank) throws MillraceException {
    Group group = byId.get(groupId);
    if (group == null) {
      throw new MillraceException(ErrorCode.CLOSED, "there is no group " + groupId);
    }
    if (rank < 0 || rank >= group.size) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "rank " + rank + " is not in 0.." + (group.size - 1) + " of group " + groupId);
    }
    return group;
  }

  /** The number of the group that is made next. */
  long nextId() {
    return nextId;
  }

  Optional<Group> find(long groupId) {
    return Optional.ofNullable(byId.get(groupId));
  }

  void drop(Group group) {
    if (byId.remove(group.id) != null) {
      count(group, -1);
      for (GroupMember member : group.joinedMembers()) {
        bySession.computeIfPresent(
            member.actor.peer.session(),
            (_, places) -> places.remove(member) && places.isEmpty() ? null : places);
      }
    }
  }

  /** Whether ranks of a group have ended, and fewer than {@code ranks} are left. */
  boolean isTooSmall(long groupId, int ranks) {
    Group group = byId.get(groupId);
    return group == null || group.remaining() < Math.min(group.size, ranks);
  }

  Collection<Group> all() {
    return byId.values();
  }

  /** Places in groups that this session still has, groups in the order of their making. */
  List<GroupMember> of(Peer peer) {
    return bySession.getOrDefault(peer.session(), List.of()).stream()
        .filter(member -> !member.hasLeft())
        .sorted(
            Comparator.comparingLong((GroupMember member) -> member.group.id)
                .thenComparingInt(member -> member.rank))
        .toList();
  }

  /** Everybody, each once, in the order of groups and ranks. */
  Set<Actor> actors() {
    Set<Actor> actors = new LinkedHashSet<>();
    for (Group group : byId.values()) {
      group.joinedMembers().forEach(member -> actors.add(member.actor));
    }
    return actors;
  }

  /** A group that was there when the coordinator was restarted. */
  Group restore(long id, int size, Peer founder, long root) {
    return add(new Group(id, size, founder, root));
  }

  /** A rank that did not come back after the restart. */
  void lose(Group group, int rank, String reason) {
    Peer nobody = new Peer(NOBODY, group.founder.user());
    group.leave(join(group, rank, new Actor(nobody)), reason);
  }

  boolean isThere(Group group) {
    return byId.get(group.id) == group;
  }

  private Group add(Peer founder, int size, long root) {
    return add(new Group(nextId++, size, founder, root));
  }

  private Group add(Group group) {
    byId.put(group.id, group);
    count(group, 1);
    return group;
  }

  private void count(Group group, int change) {
    Map<Long, Integer> counts = group.isFormed() ? formedBy : madeFrom;
    long key = group.isFormed() ? group.founder.session() : group.root;
    counts.merge(key, change, (a, b) -> a + b == 0 ? null : a + b);
  }
}
