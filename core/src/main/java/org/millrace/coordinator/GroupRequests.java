package org.millrace.coordinator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FilePath;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Requests to join and leave groups, and queries about groups outside meetings. Guarded by the
 * coordinator's lock.
 */
record GroupRequests(
    Groups groups,
    Meetings meetings,
    Locks locks,
    ByteLocks bytes,
    FlushRounds flushes,
    WaitDeclarations declarations,
    Regroups regroups,
    MeetingEffects effects,
    CapabilityIssuer issuer,
    Fences fences,
    Names names,
    NameRules rules,
    Journal journal,
    SessionGroups sessions) {

  /** With what sessions that come back restore, too. */
  static GroupRequests of(
      Recalls.State held,
      Meetings meetings,
      FlushRounds flushes,
      Regroups regroups,
      MeetingEffects effects,
      Names names,
      NameRules rules) {
    return new GroupRequests(
        held.groups(),
        meetings,
        held.locks(),
        held.bytes(),
        flushes,
        held.declarations(),
        regroups,
        effects,
        held.issuer(),
        held.fences(),
        names,
        rules,
        held.journal(),
        held.alone());
  }

  /**
   * A rank that leaves a group that was formed has ended, and leaves all groups made from it, too.
   * It says so itself, after its last operation.
   */
  void leave(GroupMember member, String reason, DeferredReplies answers) {
    leave(member, reason, Optional.empty(), answers);
  }

  private void leave(
      GroupMember member,
      String reason,
      Optional<Fences.Barrier> barrier,
      DeferredReplies answers) {
    for (GroupMember place : List.copyOf(member.actor.members)) {
      if (place != member && place.group.root != member.group.id) {
        continue;
      }
      place.group.leave(place, reason);
      declarations.onLeft(place);
      meetings.onLeft(place, answers);
      flushes.onLeft(place, answers);
      locks.onLeft(place, barrier, answers);
      regroups.onLeft(place, answers);
      dropIfOver(place.group);
    }
  }

  /** Everything that a session was ends with it. */
  void onSessionEnd(Peer from, String reason, DeferredReplies answers) {
    Optional<Fences.Barrier> barrier = fence(from);
    for (GroupMember member : groups.of(from)) {
      if (!member.hasLeft()) {
        leave(member, reason, barrier, answers);
      }
    }
    bytes.onSessionEnd(from, barrier, answers);
    for (Group group : List.copyOf(groups.all())) {
      if (group.founder.session() == from.session()) {
        group.founderGone = true;
        dropIfOver(group);
      }
    }
  }

  /**
   * What nodes must have done before the locks of a session that is lost are others': nothing if it
   * holds none.
   */
  private Optional<Fences.Barrier> fence(Peer from) {
    List<LockRequest> held = fences.areNeeded() ? locks.exclusiveOf(from.session()) : List.of();
    Set<Long> files = new TreeSet<>();
    if (fences.areNeeded()) {
      files.addAll(bytes.exclusiveOf(from.session()));
    }
    if (held.isEmpty() && files.isEmpty()) {
      return Optional.empty();
    }
    held.forEach(lock -> lock.name().file().ifPresent(files::add));
    for (GroupMember member : groups.of(from)) {
      for (Open open : member.group.opens.values()) {
        if (open.flags().write()) {
          files.add(open.file());
        }
      }
    }
    return fences.begin(from.session(), files);
  }

  private void dropIfOver(Group group) {
    if (group.isOver()) {
      effects.abandon(group);
      groups.drop(group);
      journal.forget(Answers.ofGroup(group.id));
    }
  }

  /**
   * Why each member that has left, or will come no more because it regroups, did so, by rank. Only
   * for the group's own user and the superuser.
   */
  Map<Integer, String> gone(Peer from, long groupId) throws MillraceException {
    Group group = groups.require(groupId, 0);
    if (!from.user().equals(group.founder.user()) && !rules.isSuperuser(User.of(from))) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user " + from.user() + " may not ask about group " + groupId + " of another user");
    }
    Map<Integer, String> gone = new TreeMap<>();
    for (GroupMember member : group.joinedMembers()) {
      if (member.leftBecause != null) {
        gone.put(member.rank, member.leftBecause.isEmpty() ? "it returned" : member.leftBecause);
      } else if (group.hasRevoked(member)) {
        gone.put(member.rank, "it went to form a new group");
      }
    }
    return gone;
  }

  /** What a rank says of an open file, for people. */
  void describe(
      Peer from, CoordinatorRequest.Describe request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, request.group(), request.rank());
    Quotas.checkLength(request.what(), Quotas.NOTE_CHARS, "a note");
    requireOpen(member.group, request.open()).notes().put(member.rank, request.what());
    answers.reply(replyTo, new CoordinatorReply.Done());
  }

  private static Open requireOpen(Group group, long number) throws MillraceException {
    Open open = group.opens.get(number);
    if (open == null) {
      throw new MillraceException(
          ErrorCode.CLOSED, "group " + group.id + " has no open file " + number);
    }
    return open;
  }

  /**
   * A fresh capability of a file that the sender's group has open, if its user might open it again
   * now.
   */
  Capability renew(Peer from, long groupId, long number) throws MillraceException {
    if (groupId == Group.NONE) {
      return issuer.issue(sessions.require(from, number)); // it stays what it was when opened
    }
    Group group = groups.require(groupId, 0);
    if (groups.of(from).stream().noneMatch(member -> member.group == group)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "session " + from.session() + " is not in group " + groupId + " any more, or never was");
    }
    Open open = requireOpen(group, number);
    NameEntry entry =
        names
            .byId(open.file())
            .orElseThrow(() -> new NoSuchNameException("file " + open.file() + " was removed"));
    User user = User.of(from);
    if (!rules.owns(user, entry)) { // a user that could change the bits need not obey them
      if (!entry.isOrphan()) {
        rules.require(user, FilePath.of(entry.path()));
      }
      if (open.flags().read()) {
        rules.checkAllowed(user, entry, NameEntry.READ, "read");
      }
      if (open.flags().write()) {
        rules.checkAllowed(user, entry, NameEntry.WRITE, "write");
      }
    }
    return issuer.issue(open);
  }
}
