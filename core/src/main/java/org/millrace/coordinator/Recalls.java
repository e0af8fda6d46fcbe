package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.ReturningSessions;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.Assemble;
import org.millrace.protocol.CoordinatorRequest.Declare;
import org.millrace.protocol.CoordinatorRequest.Recall;
import org.millrace.protocol.Recalled;
import org.millrace.protocol.Recalled.RegroupPart;
import org.millrace.protocol.Recalled.SplitPart;

/**
 * Sessions that come back after the coordinator was restarted, and what they bring back: groups,
 * opens, pointers, locks and the outcomes of calls. A group is restored in one step, when all its
 * ranks have said what they know, or when the time for that is over; then those who have not come
 * are lost.
 *
 * <pre>
 *   Recall --all groups of the session whole--> answered
 *          --the grace is over---------------> answered; missing ranks have left
 *   one with a file open for appending waits, too, until nodes have fenced who did not come back
 * </pre>
 *
 * <p>Where sessions still arrive towards the end of the grace, as on a host with many more threads
 * than processors, others are probably late, too: the grace goes on until none has come for half of
 * it, and at most for twice as long.
 *
 * <p>What a session says is believed as far as it concerns its own user: opens are proved by their
 * sealed capabilities, a group's ranks must be of one user. What contradicts what was said before
 * is not restored, and later requests for it fail.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Recalls {

  /** What is restored for sessions that come back. */
  record State(
      Groups groups,
      NameRules rules,
      Opens opens,
      Pointers pointers,
      Locks locks,
      ByteLocks bytes,
      WaitDeclarations declarations,
      CapabilityIssuer issuer,
      Fences fences,
      Journal journal,
      SessionGroups alone,
      Delegations delegations) {}

  /** A session that has come back. */
  private static final class Returned {
    final Peer peer;
    final Recall recall;
    final ReplyTo replyTo;
    final Set<Long> groups = new HashSet<>();
    boolean answered;
    boolean assembled; // the job that it waits in was complete

    Returned(Peer peer, Recall recall, ReplyTo replyTo) {
      this.peer = peer;
      this.recall = recall;
      this.replyTo = replyTo;
    }
  }

  /** What sessions say of one group that is not restored yet. */
  private static final class Claims {
    final long group;
    final String user;
    int size; // 0 while nobody has said it
    final TreeMap<Integer, Returned> members = new TreeMap<>();
    @Nullable Returned founder;
    Recalled.@Nullable Place place; // of any member
    final Map<Group.CallId, Map<Integer, CoordinatorReply.Split>> splits = new HashMap<>();

    Claims(long group, String user) {
      this.group = group;
      this.user = user;
    }

    boolean isWhole() {
      return size > 0 && (members.size() == size || founder != null && size == 1);
    }
  }

  private static final String NOT_BACK = "it did not come back after the coordinator's restart";

  // constant after construction
  private final Env env;
  private final Life life;
  private final State state;
  private final Timers timers;

  // guarded by the coordinator's lock
  private final Map<Long, Returned> sessions = new LinkedHashMap<>();
  private final Map<Long, Claims> claims = new TreeMap<>();
  private final Map<Long, Recalled.Pointer> seen = new HashMap<>(); // where pointers stand, by key
  private final Set<Long> unsure = new HashSet<>();
  private final Map<Long, Long> awaited = new HashMap<>(); // who will open what it made, by file
  private final List<Timers.Action> afterwards = new ArrayList<>();
  private boolean over;
  private long lastNanos; // when the last session came back
  private long latestNanos; // when the grace is over in any case
  private @Nullable ReturningSessions returning;

  Recalls(Env env, Life life, State state, Timers timers) {
    this.env = env;
    this.life = life;
    this.state = state;
    this.timers = timers;
    this.over = life.graceNanos() == 0;
  }

  /** Begins to wait. */
  void start() {
    if (!over) {
      lastNanos = env.nanoTime() - life.graceNanos();
      latestNanos = env.nanoTime() + 2 * life.graceNanos();
      timers.after(life.graceNanos(), this::endOrWait);
    }
  }

  /** The grace is over, unless sessions still arrive. */
  private void endOrWait(DeferredReplies answers) {
    long until = Math.min(latestNanos, lastNanos + life.graceNanos() / 2);
    long left = until - env.nanoTime();
    if (left > 0) {
      timers.after(left, this::endOrWait);
    } else {
      end(answers);
    }
  }

  /** What lets sessions come back; told when none may any more. */
  void admit(ReturningSessions by) {
    returning = by;
    if (over) {
      by.end();
    }
  }

  /** Whether sessions may still come back that hold something nobody knows of. */
  boolean isOpen() {
    return !over;
  }

  /** Does something when it is known who has come back. */
  void whenOver(Timers.Action action) {
    afterwards.add(action);
  }

  void onRecall(Peer from, Recall recall, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    if (!life.isAfter(from.session()) || sessions.containsKey(from.session())) {
      throw new MillraceException(
          ErrorCode.PROTOCOL, "session " + from.session() + " does not come back from before");
    }
    if (over) {
      throw new MillraceException(
          ErrorCode.RESTARTED, "session " + from.session() + " came back too late");
    }
    lastNanos = env.nanoTime();
    Returned session = new Returned(from, recall, replyTo);
    sessions.put(from.session(), session);
    state.journal.forget(new NameChange.Heard(from.session(), replyTo.heard()));
    state.journal.filesMadeBy(from.session()).forEach(file -> awaited.put(file, from.session()));
    for (Recalled.Formed formed : recall.groups()) {
      Claims of = claims(session, formed.group());
      if (of != null && agrees(of, formed.size())) {
        of.size = formed.size();
        of.founder = session;
      }
    }
    for (Recalled.Place place : recall.places()) {
      Claims of = claims(session, place.group());
      if (of != null
          && agrees(of, place.size())
          && place.rank() >= 0
          && place.rank() < place.size()
          && of.members.putIfAbsent(place.rank(), session) == null) {
        of.size = place.size();
        of.place = place;
      }
    }
    recall.pointers().forEach(this::see);
    restoreAlone(session);
    claims.values().forEach(this::addAssembling);
    claims.values().forEach(this::addRegrouping);
    restoreWhole(answers);
  }

  /** Ranks of a job of which others have heard that it is complete are in its group. */
  private void addAssembling(Claims of) {
    Recalled.Place known = of.place;
    if (known == null || known.job().isEmpty()) {
      return;
    }
    for (Returned session : sessions.values()) {
      for (Assemble job : session.recall.assembling()) {
        if (job.job().equals(known.job())
            && job.size() == of.size
            && job.rank() >= 0
            && job.rank() < of.size
            && session.peer.user().equals(of.user)
            && of.members.putIfAbsent(job.rank(), session) == null) {
          session.groups.add(of.group);
          session.assembled = true;
        }
      }
    }
  }

  /** Ranks of a group of which others have heard that it goes on as another are in that one. */
  private void addRegrouping(Claims of) {
    Optional<RegroupPart> heard =
        parts(Recall::regroups).filter(part -> part.made() == of.group).findFirst();
    if (heard.isEmpty() || heard.get().former().size() != of.size) {
      return;
    }
    for (Returned session : sessions.values()) {
      for (RegroupPart part : session.recall.regroups()) {
        int rank = heard.get().former().indexOf(part.rank());
        if (part.made() == RegroupPart.UNANSWERED
            && part.group() == heard.get().group()
            && rank >= 0
            && session.peer.user().equals(of.user)
            && of.members.putIfAbsent(rank, session) == null) {
          session.groups.add(of.group);
        }
      }
    }
  }

  private <T> Stream<T> parts(Function<Recall, List<T>> of) {
    return sessions.values().stream().flatMap(session -> of.apply(session.recall).stream());
  }

  /**
   * Ranks of a group that is whole, and of which some have heard how it was split, are in the
   * groups that it was split into.
   */
  private void addSplit(Claims of) {
    Map<Long, List<SplitPart>> byCall = new TreeMap<>();
    for (Returned session : new LinkedHashSet<>(of.members.values())) {
      session.recall.splits().stream()
          .filter(part -> part.group() == of.group && of.members.get(part.rank()) == session)
          .forEach(
              part -> byCall.computeIfAbsent(part.sequence(), _ -> new ArrayList<>()).add(part));
    }
    byCall.forEach(
        (_, parts) ->
            Splits.found(parts, of.size)
                .ifPresent(told -> told.forEach((part, one) -> addSplit(of, part, one))));
  }

  private void addSplit(Claims parent, SplitPart part, CoordinatorReply.Split told) {
    Returned session = parent.members.get(part.rank());
    if (session == null || part.told() != SplitPart.UNANSWERED) {
      return;
    }
    parent
        .splits
        .computeIfAbsent(new Group.CallId(0, part.sequence()), _ -> new HashMap<>())
        .put(part.rank(), told);
    Claims of = told.rank() < 0 ? null : claims(session, told.group());
    if (of != null
        && agrees(of, told.size())
        && of.members.putIfAbsent(told.rank(), session) == null) {
      of.size = told.size();
      Recalled.Place place = parent.place;
      if (of.place == null && place != null) {
        of.place = new Recalled.Place(told.group(), told.size(), told.rank(), place.root(), "", "");
      }
    }
  }

  /** What is known of a group that a session was in; null if the group is another user's. */
  private @Nullable Claims claims(Returned session, long group) {
    if (!life.isAfter(group)) {
      return null;
    }
    String user = session.peer.user();
    Claims of = claims.computeIfAbsent(group, _ -> new Claims(group, user));
    if (!of.user.equals(user)) {
      return null;
    }
    session.groups.add(group);
    return of;
  }

  private static boolean agrees(Claims of, int size) {
    return size > 0 && size <= Groups.MAX_SIZE && (of.size == 0 || of.size == size);
  }

  /** Of what sessions saw of a pointer the latest counts, and of the latest the furthest. */
  private void see(Recalled.Pointer pointer) {
    if (pointer.stamp() == Recalled.Pointer.UNSURE) {
      unsure.add(pointer.key());
      return;
    }
    Recalled.Pointer known = seen.get(pointer.key());
    if (pointer.value() >= 0
        && (known == null
            || pointer.stamp() > known.stamp()
            || pointer.stamp() == known.stamp() && pointer.value() > known.value())) {
      seen.put(pointer.key(), pointer);
      state.pointers.settle(pointer.key(), pointer.value()); // only ends of files are restored yet
    }
  }

  /** Restores the groups that are whole, and answers sessions all of whose groups are. */
  private void restoreWhole(DeferredReplies answers) {
    Optional<Claims> whole = firstWhole();
    while (whole.isPresent()) { // groups that were split from it may be whole with it
      Claims of = whole.get();
      addSplit(of);
      restore(of);
      claims.remove(of.group);
      sessions.values().forEach(session -> session.groups.remove(of.group));
      whole = firstWhole();
    }
    answerReady(answers);
  }

  private Optional<Claims> firstWhole() {
    return claims.values().stream().filter(Claims::isWhole).findFirst();
  }

  private void answerReady(DeferredReplies answers) {
    for (Returned session : sessions.values()) {
      boolean ready =
          !session.answered
              && session.groups.isEmpty()
              && (over || session.assembled || session.recall.assembling().isEmpty())
              && (state.fences.isSettled() || !takesEnds(session));
      if (ready) {
        session.answered = true;
        for (Declare wait : session.recall.waits()) {
          declare(session, wait, answers);
        }
        answers.reply(session.replyTo, new CoordinatorReply.Recalled(passed(session)));
      }
    }
  }

  private void declare(Returned session, Declare wait, DeferredReplies answers) {
    try {
      state.declarations.onDeclare(session.peer, wait, answers);
    } catch (MillraceException e) {
      // its group is not restored: it will hear that when it asks
    }
  }

  /** Whether a session takes places at the end of a file that others may have taken, too. */
  private boolean takesEnds(Returned session) {
    return session.recall.opens().stream()
        .anyMatch(open -> open.flags().append() && !isFrozen(open.opened().endPointer()));
  }

  private boolean isFrozen(long key) {
    Recalled.Pointer known = seen.get(key);
    return known != null && known.stamp() == Recalled.Pointer.FROZEN;
  }

  /**
   * Pointers that others have moved on, as far as a session knows: if a move of its own was not
   * answered, its place may lie before theirs.
   */
  private List<Long> passed(Returned session) {
    Map<Long, Long> own = new HashMap<>();
    session.recall.pointers().forEach(pointer -> own.put(pointer.key(), pointer.value()));
    List<Long> keys = new ArrayList<>();
    for (Recalled.Opening open : session.recall.opens()) {
      CoordinatorReply.Opened opened = open.opened();
      for (long key : List.of(opened.pointer(), opened.endPointer(), opened.viewEndPointer())) {
        Recalled.Pointer known = seen.get(key);
        if (isFrozen(key) || known != null && known.value() != own.getOrDefault(key, 0L)) {
          keys.add(key);
        }
      }
    }
    return keys;
  }

  /** Nodes may have come further. */
  void onFenced(DeferredReplies answers) {
    if (over && state.fences.isSettled() && !sessions.isEmpty()) {
      answerReady(answers);
      sessions.values().removeIf(session -> session.answered);
    }
  }

  /** A session has ended that may have come back. */
  void onSessionEnd(Peer from) {
    awaited.values().removeIf(session -> session == from.session());
    Returned gone = sessions.remove(from.session());
    if (gone == null) {
      return;
    }
    for (Claims of : claims.values()) {
      of.members.values().removeIf(one -> one == gone);
      of.founder = of.founder == gone ? null : of.founder;
    }
  }

  /** The time to come back is over: who is missing is lost. */
  private void end(DeferredReplies answers) {
    over = true;
    if (returning != null) {
      returning.end();
    }
    for (Claims of : claims.values()) {
      if (of.size > 0 && (!of.members.isEmpty() || of.founder != null)) {
        restore(of);
      }
    }
    claims.clear();
    sessions.values().forEach(session -> session.groups.clear());
    state.journal.forgetOthers(asker -> isHere(asker));
    state.fences.decide(List.copyOf(sessions.keySet()));
    timers.after(Math.max(0, state.fences.overdueNanos() - env.nanoTime()), this::onFenced);
    answerReady(answers);
    for (Timers.Action action : List.copyOf(afterwards)) {
      action.run(answers);
    }
    afterwards.clear();
  }

  /** Whether a session or group may still ask what it was answered before. */
  private boolean isHere(long asker) {
    return asker > 0
        ? !life.isAfter(asker) || sessions.containsKey(asker)
        : state.groups.find(-asker).isPresent();
  }

  /** Who has made a file before the coordinator was restarted, and is about to hear it. */
  Optional<String> makerOf(long file, Answers answers) {
    Long session = awaited.get(file);
    if (session != null) {
      return Optional.of("session " + session);
    }
    for (Map.Entry<Long, Long> made : answers.makersOf(file).entrySet()) {
      if (state
          .groups
          .find(made.getKey())
          .filter(group -> group.awaits(made.getValue()))
          .isPresent()) {
        return Optional.of("group " + made.getKey());
      }
    }
    return Optional.empty();
  }

  /** A file is open that a session has made before. */
  void onOpened(long file) {
    awaited.remove(file);
  }

  private void restore(Claims of) {
    Recalled.Place place = of.place;
    Peer founder = of.founder != null ? of.founder.peer : of.members.firstEntry().getValue().peer;
    long root = place == null ? of.group : place.root();
    Group group = state.groups.restore(of.group, of.size, founder, root);
    if (place != null && (root == of.group || !place.job().isEmpty())) {
      group.job = place.job();
    }
    of.members.forEach(
        (rank, session) -> {
          Actor actor = state.groups.join(group, rank, session.peer).actor;
          Optional<Recalled.Place> own =
              session.recall.places().stream()
                  .filter(seat -> seat.group() == of.group && seat.rank() == rank)
                  .findFirst();
          actor.inbox = own.map(Recalled.Place::inbox).orElse(inbox(session, group, rank));
          if (own.isEmpty()) {
            group.unheard.add(session.peer.session());
          }
        });
    for (int rank = 0; rank < of.size && of.founder == null; rank++) {
      if (!of.members.containsKey(rank)) {
        state.groups.lose(group, rank, NOT_BACK);
      }
    }
    for (Returned session : new HashSet<>(of.members.values())) {
      session.recall.unanswered().stream()
          .filter(call -> call.group() == of.group)
          .forEach(call -> group.repeated.add(new Group.CallId(call.channel(), call.sequence())));
      for (Recalled.Outcome outcome : session.recall.outcomes()) {
        if (outcome.group() == of.group && isSound(outcome.told(), of.size)) {
          group.recalled.putIfAbsent(
              new Group.CallId(outcome.channel(), outcome.sequence()), outcome.told());
        }
      }
    }
    group.recalledSplits.putAll(of.splits);
    of.members.forEach((rank, session) -> restoreRegroup(group, rank, session));
    of.members.forEach((_, session) -> restoreOpens(group, session));
    group.opens.values().forEach(open -> noteClosed(of, open));
    of.members.forEach((rank, session) -> restoreLocks(group, rank, session));
  }

  /** What a rank is told that has not heard as which group its own goes on. */
  private void restoreRegroup(Group group, int rank, Returned session) {
    boolean asks =
        session.recall.regroups().stream()
            .anyMatch(
                part ->
                    part.group() == group.id
                        && part.rank() == rank
                        && part.made() == RegroupPart.UNANSWERED);
    parts(Recall::regroups)
        .filter(part -> asks && part.group() == group.id && part.former().contains(rank))
        .findFirst()
        .ifPresent(
            part ->
                group.recalledRegroups.put(
                    rank,
                    new CoordinatorReply.Regrouped(
                        part.made(), part.former().indexOf(rank), part.former())));
  }

  private static String inbox(Returned session, Group group, int rank) {
    return session.recall.assembling().stream()
        .filter(job -> job.job().equals(group.job) && job.rank() == rank)
        .map(Assemble::inbox)
        .findFirst()
        .or(
            () ->
                session.recall.places().stream()
                    .filter(seat -> seat.root() == group.root)
                    .map(Recalled.Place::inbox)
                    .findFirst())
        .orElse("");
  }

  /** Whether an outcome speaks of no more ranks than there are. */
  private static boolean isSound(Recalled.Told told, int size) {
    return switch (told) {
      case Recalled.Told.Met(CoordinatorReply.Met met) -> met.values().size() <= size;
      case Recalled.Told.Exchanged(CoordinatorReply.Exchanged all) -> all.accesses().size() <= size;
      default -> true;
    };
  }

  private void restoreOpens(Group group, Returned session) {
    for (Recalled.Opening opening : session.recall.opens()) {
      if (opening.group() == group.id && !group.opens.containsKey(opening.opened().open())) {
        restoreOpen(group, session.peer, opening);
      }
    }
  }

  /** Restores what a session had open without a group. */
  private void restoreAlone(Returned session) {
    for (Recalled.Opening opening : session.recall.opens()) {
      if (opening.group() == Group.NONE) {
        Group alone = state.alone.of(session.peer);
        if (!alone.opens.containsKey(opening.opened().open())) {
          restoreOpen(alone, session.peer, opening)
              .filter(_ -> opening.delegated())
              .ifPresent(open -> state.delegations.restore(session.peer, open));
        }
        state.alone.forgetEmpty(session.peer);
      }
    }
    for (Recalled.HeldBytes locked : session.recall.bytes()) {
      try {
        state.bytes.restore(session.peer, locked);
      } catch (MillraceException e) {
        // two cannot have held it: the one that came later has lost it
      }
    }
  }

  /** Restores a file that a group had open, if it did. */
  Optional<Open> restoreOpen(Group group, Peer peer, Recalled.Opening opening) {
    CoordinatorReply.Opened opened = opening.opened();
    Capability proof = opening.capability();
    boolean proved =
        state.issuer.isSealed(proof)
            && proof.open() == opened.open()
            && proof.file() == opened.file()
            && proof.user().equals(peer.user())
            && proof.read() == opening.flags().read()
            && proof.write() == opening.flags().write()
            && life.isAfter(opened.open())
            && !state.opens.hasOtherEnd(opened.file(), opened.endPointer());
    if (!proved) {
      return Optional.empty();
    }
    long[] its = Opens.sessions(group);
    String lost = group.firstLeft().map(member -> member + " did not come back").orElse(null);
    if (opened.pointer() != 0) {
      restorePointer(opened.pointer(), its, lost, state.pointers::restore);
    }
    if (opened.viewEndPointer() != 0) {
      restorePointer(opened.viewEndPointer(), its, lost, state.pointers::restore);
    }
    if (state.opens.of(opened.file()).isEmpty()) {
      // the file's size is below it; other groups may have seen it further on
      restorePointer(opened.endPointer(), new long[0], null, state.pointers::restoreOnHeap);
    }
    // the proof says nothing about removal at the close
    boolean mayRemove = state.rules.mayRemove(User.of(peer), opened.file());
    return Optional.of(state.opens.restore(group, opening, mayRemove));
  }

  /** All members have closed a file that one of them will hear now that it is open. */
  static void closedByAll(Open open) {
    open.group().joinedMembers().forEach(member -> open.letGoBy().add(member.rank));
  }

  /** Where a pointer is restored. */
  private interface Restoring {
    void restore(long key, long[] sessions, long value, @Nullable String lost);
  }

  private void restorePointer(long key, long[] its, @Nullable String lost, Restoring where) {
    Recalled.Pointer known = seen.get(key);
    boolean doubtful = unsure.contains(key) && !isFrozen(key);
    where.restore(
        key,
        its,
        known == null ? 0 : known.value(),
        isFrozen(key) ? null : doubtful ? "it was being set when it was moved" : lost);
  }

  /**
   * Members that do not have a file open that others have, and are not waiting to hear that it is
   * open, have closed it by themselves.
   */
  private static void noteClosed(Claims of, Open open) {
    Optional<Long> opening =
        open.group().recalled.entrySet().stream()
            .filter(
                each ->
                    each.getValue() instanceof Recalled.Told.Opened told
                        && told.opened().open() == open.number())
            .map(each -> each.getKey().sequence())
            .findFirst();
    of.members.forEach(
        (rank, session) -> {
          boolean has =
              session.recall.opens().stream().anyMatch(own -> own.opened().open() == open.number());
          boolean asks =
              session.recall.unanswered().stream()
                  .anyMatch(
                      call ->
                          call.group() == of.group
                              && call.rank() == rank
                              && call.channel() == 0
                              && opening.filter(s -> s == call.sequence()).isPresent());
          if (!has && !asks) {
            open.letGoBy().add(rank);
          }
        });
  }

  private void restoreLocks(Group group, int rank, Returned session) {
    for (Recalled.HeldLock lock : session.recall.locks()) {
      if (lock.lock().group() == group.id && lock.lock().rank() == rank) {
        try {
          state.locks.restore(group.member(rank).orElseThrow(), lock);
        } catch (MillraceException e) {
          // two cannot have held it: the one that came later hears so when it gives it back
        }
      }
    }
  }

  /** Whether a synchronizing call may have moved a pointer before the restart, unheard of. */
  boolean mayHaveMoved(long key, long open, long sequence) {
    Recalled.Pointer known = seen.get(key);
    return known != null
        && known.stamp() == Recalled.Pointer.FROZEN
        && known.open() == open
        && sequence <= known.sequence();
  }
}
