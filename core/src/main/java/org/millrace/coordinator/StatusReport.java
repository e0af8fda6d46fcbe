package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.millrace.env.Env;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Status;

/**
 * Reports the coordinator's status: groups, their open files, waiting ranks, held locks. Only the
 * superuser sees the names of other users' files, locks and jobs, the addresses of their ranks, and
 * why ranks left; for others these texts are empty.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class StatusReport {

  // constant after construction
  private final Env env;
  private final long startNanos;
  private final Names names;
  private final NameRules rules;
  private final Groups groups;
  private final SessionGroups alone;
  private final Pointers pointers;
  private final Locks locks;
  private final Assemblies assemblies;
  private final NodeRegistry nodes;

  StatusReport(
      Env env,
      Names names,
      NameRules rules,
      Groups groups,
      SessionGroups alone,
      Pointers pointers,
      Locks locks,
      Assemblies assemblies,
      NodeRegistry nodes) {
    this.env = env;
    this.startNanos = env.nanoTime();
    this.names = names;
    this.rules = rules;
    this.groups = groups;
    this.alone = alone;
    this.pointers = pointers;
    this.locks = locks;
    this.assemblies = assemblies;
    this.nodes = nodes;
  }

  /** All waits, with their start on the coordinator's clock. */
  List<CoordinatorReply.Wait> waits(Peer viewer) {
    return waits(viewer, 0);
  }

  private List<CoordinatorReply.Wait> waits(Peer viewer, long now) {
    List<CoordinatorReply.Wait> all = new ArrayList<>();
    for (Actor actor : groups.actors()) {
      for (WaitingRequest waiting : actor.waits) {
        GroupMember member = waiting.member();
        boolean seen = !(waiting instanceof LockRequest) || sees(viewer, member.group);
        List<String> blockers =
            waiting.waitsFor().stream().map(GroupMember::shortName).distinct().sorted().toList();
        long since = now == 0 ? waiting.sinceNanos() : now - waiting.sinceNanos();
        all.add(
            new CoordinatorReply.Wait(
                member.group.id, member.rank, seen ? waiting.call() : "lock", since, blockers));
      }
    }
    return all;
  }

  /** Whether somebody sees the files, jobs and addresses of a group. */
  boolean sees(Peer viewer, Group group) {
    return sees(viewer, group.founder.user());
  }

  private boolean sees(Peer viewer, String user) {
    return viewer.user().equals(user) || rules.isSuperuser(User.of(viewer));
  }

  Status status(Peer viewer) {
    long now = env.nanoTime();
    List<Status.OfGroup> all = new ArrayList<>(assemblies.describe(user -> sees(viewer, user)));
    List<Status.OfOpen> opens = new ArrayList<>();
    Set<Long> sessions = new HashSet<>(assemblies.sessions());
    sessions.addAll(nodes.sessions());
    for (Group group : groups.all()) {
      boolean seen = sees(viewer, group);
      all.add(
          new Status.OfGroup(
              group.id,
              group.size,
              group.founder.user(),
              seen ? group.job : "",
              members(group, seen)));
      for (Open open : group.opens.values()) {
        opens.add(describe(open, seen));
      }
    }
    for (Group group : alone.all()) {
      boolean seen = sees(viewer, group);
      group.opens.values().forEach(open -> opens.add(describe(open, seen)));
      sessions.add(group.founder.session());
    }
    groups.actors().forEach(actor -> addSession(actor, sessions));
    return new Status(
        (now - startNanos) / 1_000_000,
        sessions.size(),
        List.copyOf(all),
        List.copyOf(opens),
        waits(viewer, now),
        locks(viewer, now));
  }

  private static void addSession(Actor actor, Set<Long> sessions) {
    if (!actor.members.isEmpty()) {
      sessions.add(actor.peer.session());
    }
  }

  private static List<Status.OfMember> members(Group group, boolean seen) {
    List<Status.OfMember> members = new ArrayList<>();
    for (GroupMember member : group.joinedMembers()) {
      String reason = member.leftBecause;
      String left = reason == null ? "" : reason.isEmpty() ? "well" : seen ? reason : "badly";
      members.add(new Status.OfMember(member.rank, seen ? member.actor.inbox : "", left));
    }
    return members;
  }

  private Status.OfOpen describe(Open open, boolean seen) {
    OpenFlags flags = open.flags();
    String how =
        (flags.read() ? "r" : "") + (flags.write() ? "w" : "") + (flags.append() ? " append" : "");
    return new Status.OfOpen(
        open.number(),
        open.group().id,
        seen ? names.byId(open.file()).map(NameEntry::path).orElse("") : "",
        how,
        pointers.peek(open.pointer()),
        pointers.peek(open.endPointer()),
        seen ? Map.copyOf(open.notes()) : Map.of());
  }

  private List<Status.OfLock> locks(Peer viewer, long now) {
    List<Status.OfLock> all = new ArrayList<>();
    for (LockRequest lock : locks.held()) {
      GroupMember holder = lock.member();
      all.add(
          new Status.OfLock(
              sees(viewer, holder.group) ? lock.call() : "",
              holder.shortName(),
              now - lock.sinceNanos()));
    }
    return all;
  }
}
