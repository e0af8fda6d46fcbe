package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.Recalled;

/**
 * Ranks that meet, and the files that they have open together. Guarded by the coordinator's lock.
 */
final class Group {

  /** The number of what is no group. */
  static final long NONE = 0;

  // constant after construction
  final long id;
  final int size;
  final Peer founder;
  final long root;
  final MeetingChannel channel = new MeetingChannel(0);

  // guarded by the coordinator's lock
  private final TreeMap<Integer, GroupMember> members =
      new TreeMap<>(); // by rank; many may never come
  final Map<Long, Open> opens = new TreeMap<>();
  String job = ""; // what it was assembled as
  boolean founderGone;
  final Set<Long> unheard = new HashSet<>(); // sessions that were not told that they are in it
  private int left;
  private @Nullable GroupMember firstLeft;
  final Map<CallId, Recalled.Told> recalled = new HashMap<>(); // outcomes before a restart
  final Map<CallId, Map<Integer, CoordinatorReply.Split>> recalledSplits =
      new HashMap<>(); // what ranks did not hear, by rank
  final Map<Integer, CoordinatorReply.Regrouped> recalledRegroups = new HashMap<>(); // the same
  final Set<CallId> repeated = new HashSet<>(); // calls before a restart that were not answered
  private final Set<GroupMember> revokers = new LinkedHashSet<>();

  /**
   * An empty group.
   *
   * @param root the formed group that this one was made from by splitting or regrouping, at once or
   *     in steps; itself if it was formed
   */
  Group(long id, int size, Peer founder, long root) {
    this.id = id;
    this.size = size;
    this.founder = founder;
    this.root = root;
  }

  /** What a session has open that is in no group, as the only rank of none. */
  static Group ofSession(Peer peer) {
    Group made = new Group(NONE, 1, peer, NONE);
    made.join(0, new Actor(peer));
    return made;
  }

  /** Whether it is {@link #ofSession}. */
  boolean isSession() {
    return id == NONE;
  }

  /** A synchronizing call of the group. */
  record CallId(long channel, long sequence) {}

  /** Whether this group was formed by request, rather than by a split. */
  boolean isFormed() {
    return root == id;
  }

  /**
   * Whether ranks will repeat a call on the group's own channel that nobody heard the end of. Not
   * if a rank has left: then it fails.
   */
  boolean awaits(long sequence) {
    CallId call = new CallId(channel.number, sequence);
    return repeated.contains(call) && !recalled.containsKey(call) && firstLeft().isEmpty();
  }

  Optional<GroupMember> member(int rank) {
    return Optional.ofNullable(members.get(rank));
  }

  GroupMember join(int rank, Actor actor) {
    GroupMember member = new GroupMember(this, rank, actor);
    members.put(rank, member);
    actor.members.add(member);
    return member;
  }

  void leave(GroupMember member, String reason) {
    member.leftBecause = reason;
    member.actor.members.remove(member);
    left++;
    if (firstLeft == null) {
      firstLeft = member;
    }
  }

  /** The member that left first, if any. */
  Optional<GroupMember> firstLeft() {
    return Optional.ofNullable(firstLeft);
  }

  /** A member has requested a regroup: this group has no more meetings. */
  void revoke(GroupMember member) {
    revokers.add(member);
  }

  /** The member that requested a regroup first, if any. */
  Optional<GroupMember> firstRevoker() {
    return revokers.stream().findFirst();
  }

  boolean hasRevoked(GroupMember member) {
    return revokers.contains(member);
  }

  /** Whether it has no members and will get none. */
  boolean isOver() {
    return left == members.size() && (members.size() == size || founderGone);
  }

  /** How many ranks are in it or may still come. */
  int remaining() {
    return (founderGone ? members.size() : size) - left;
  }

  List<GroupMember> joinedMembers() {
    return List.copyOf(members.values());
  }

  /** The group's own channel and those of its open files. */
  List<MeetingChannel> channels() {
    List<MeetingChannel> all = new ArrayList<>(1 + opens.size());
    all.add(channel);
    opens.values().forEach(open -> all.add(open.channel()));
    return all;
  }
}
