package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.ReturningSessions;
import org.millrace.message.Troubles;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.wire.Secret;

/**
 * Keeps names, layouts, opens, shared pointers, synchronizing calls and locks. It never touches
 * file data.
 *
 * <p>It is a state machine: requests come in some order, each changes the state and may answer some
 * of those that wait. One lock owns all state but the values of shared pointers, which move without
 * it. The tree of names alone outlives the coordinator, in a journal on its disk; answers that rest
 * on names are given when the journal is durable. Groups, opens, pointers and locks end with the
 * coordinator.
 *
 * <p>All methods may be called from any thread; none of them waits for the disk. Closing fails all
 * waiting requests with CLOSED and leaves the disk open.
 */
public final class Coordinator implements Endpoint, AutoCloseable {

  private static final int LOCK_SPINS = 64;
  private static final CoordinatorReply.Done DONE = new CoordinatorReply.Done();

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();
  private final Groups groups;
  private final Pointers pointers;
  private final Names tree; // its content is guarded by lock
  private final Journal journal;
  private final Removals removals;
  private final Timers timers;
  private final Meetings meetings;
  private final Locks locks;
  private final ByteLocks bytes;
  private final Revocations revocations;
  private final Delegations delegations;
  private final FlushRounds flushes;
  private final WaitDeclarations declarations;
  private final Transactions transactions;
  private final Assemblies assemblies;
  private final Regroups regroups;
  private final GroupRequests members;
  private final Life life;
  private final Recalls recalls;
  private final NameRequests names;
  private final SessionFiles sessions;
  private final FileRequests files;
  private final Leftovers leftovers;
  private final NodeRegistry nodes;
  private final AdminRequests administration;
  private final StatusReport report;
  private final RecentCalls calls;
  private final CopyRequests copies;
  private final NodeRequests drained;

  // guarded by lock
  private boolean closed;

  /**
   * Recovers what {@code disk} holds, or begins on an empty one.
   *
   * @throws MillraceException CORRUPT if the journal is damaged elsewhere than at its torn end; or
   *     the disk's error
   */
  public Coordinator(Env env, Disk disk, CoordinatorOptions options) throws IOException {
    this(env, disk, options, _ -> StrandPresence.SOME_MISSING);
  }

  /**
   * As {@link #Coordinator(Env, Disk, CoordinatorOptions)}, with a probe that says whether all
   * strands of a file exist: then the file counts as confirmed, whatever the journal has lost. What
   * cannot be seen stays as it is, and the next open of the file creates its strands.
   */
  public Coordinator(Env env, Disk disk, CoordinatorOptions options, StrandProbe strandsExist)
      throws IOException {
    this(env, disk, options, strandsExist, Quotas.DEFAULT);
  }

  /** As above, over a log that may be kept by several coordinators together. */
  public Coordinator(Env env, ChangeLog log, CoordinatorOptions options, StrandProbe strandsExist)
      throws IOException {
    this(env, new Store(log, new Health(env)), options, strandsExist, Quotas.DEFAULT);
  }

  Coordinator(
      Env env, Disk disk, CoordinatorOptions options, StrandProbe strandsExist, Quotas bounds)
      throws IOException {
    this(env, Store.on(env, disk, options.compactBytes()), options, strandsExist, bounds);
  }

  /**
   * Where names become durable.
   *
   * @param log the log
   * @param health what is wrong with it, and with this coordinator
   */
  record Store(ChangeLog log, Health health) {

    private static Store on(Env env, Disk disk, long compactBytes) {
      Health health = new Health(env);
      return new Store(new JournalFile(env, disk, compactBytes, health.troubles()), health);
    }
  }

  private Coordinator(
      Env env, Store store, CoordinatorOptions options, StrandProbe strandsExist, Quotas bounds)
      throws IOException {
    tree = new Names(options.superuser(), options.rootPermissions());
    // with a secret nodes and clients may be in processes of their own, and outlive this one
    journal = new Journal(env, store, tree, lock, strandsExist, options.secret().isPresent());
    start(journal);
    life = Life.begun(tree, journal.before(), options);
    pointers = pointers(env, options, life);
    groups = new Groups(bounds, life.firstNumber());
    Opens opens = new Opens(pointers, bounds, life);
    NameRules rules = new NameRules(tree, options.superuser(), bounds, opens::hasAlone);
    WaitGraph graph = new WaitGraph();
    CapabilityIssuer issuer = new CapabilityIssuer(env, options, life);
    removals = new Removals(tree, journal);
    timers = new Timers(env, lock);
    transactions = new Transactions(tree, opens);
    NameClock clock = new NameClock(env);
    FileOpener opener = new FileOpener(tree, rules, clock, journal, options, transactions, opens);
    revocations = new Revocations(env, issuer);
    Fences fences = new Fences(env, issuer, tree, options, life);
    locks = new Locks(env, groups, graph, bounds, transactions, fences, timers, life);
    declarations = new WaitDeclarations(env, groups, graph);
    SessionGroups alone = new SessionGroups();
    bytes = new ByteLocks(alone, bounds, fences, timers);
    delegations = new Delegations(opens, timers, this::takeAway);
    var held =
        new Recalls.State(
            groups,
            rules,
            opens,
            pointers,
            locks,
            bytes,
            declarations,
            issuer,
            fences,
            journal,
            alone,
            delegations);
    recalls = new Recalls(env, life, held, timers);
    leftovers = new Leftovers(tree, opens, removals, transactions, recalls, clock);
    MeetingEffects effects =
        new MeetingEffects(
            groups, opens, pointers, opener, journal, leftovers, issuer, revocations, delegations);
    meetings = new Meetings(env, groups, graph, effects);
    flushes = new FlushRounds(groups);
    assemblies = new Assemblies(env, groups, timers, bounds);
    regroups = new Regroups(env, groups, graph, meetings, timers);
    members = GroupRequests.of(held, meetings, flushes, regroups, effects, tree, rules);
    names = new NameRequests(tree, rules, journal, leftovers);
    sessions = new SessionFiles(alone, tree, opener, journal, leftovers, issuer, delegations);
    files = new FileRequests(rules, sessions, bytes);
    NodeRoster roster = new NodeRoster(options, tree);
    nodes = new NodeRegistry(env, roster, life);
    copies = new CopyRequests(options, tree, rules, journal, nodes, timers);
    drained = drained(options, roster, rules, fences, opens);
    administration = administration(options, rules, opens, effects, revocations, fences);
    calls = new RecentCalls(env);
    report = new StatusReport(env, tree, rules, groups, alone, pointers, locks, assemblies, nodes);
    begin();
  }

  private NodeRequests drained(
      CoordinatorOptions options, NodeRoster roster, NameRules rules, Fences fences, Opens opens) {
    return new NodeRequests(
        options,
        roster,
        tree,
        rules,
        journal,
        nodes,
        fences,
        opens,
        recalls,
        removals,
        new DrainedFiles(roster, tree));
  }

  private AdminRequests administration(
      CoordinatorOptions options,
      NameRules rules,
      Opens opens,
      MeetingEffects effects,
      Revocations revocations,
      Fences fences) {
    return new AdminRequests(
        options,
        tree,
        rules,
        opens,
        effects,
        meetings,
        journal,
        removals,
        revocations,
        fences,
        nodes,
        copies,
        drained);
  }

  /** Closes what a session has open that keeps bytes which others are about to change. */
  private void takeAway(Open open) {
    revocations.revoke(open);
    leftovers.close(open);
  }

  private void begin() {
    lock.lock();
    try {
      removals.recover();
      recalls.start();
      leftovers.start();
      copies.start();
    } finally {
      lock.unlock();
    }
  }

  private void start(Journal one) throws IOException {
    lock.lock();
    try {
      one.start();
    } finally {
      lock.unlock();
    }
  }

  /** Clients may remember keys of a coordinator before: none of them may come again. */
  private static Pointers pointers(Env env, CoordinatorOptions options, Life life) {
    return options.secret().isEmpty() && options.pointerCells().byteSize() == 0
        ? new Pointers()
        : new Pointers(
            options.pointerCells(), env.random("shared pointers").nextLong(1L << 40), life);
  }

  /** Lets sessions of this coordinator come back to the next one, and those of the last to this. */
  public ReturningSessions returning(Secret secret) {
    ReturningSessions made =
        new ReturningSessions(secret, life.firstNumber(), life.graceNanos() > 0);
    lock.lock();
    try {
      recalls.admit(made);
    } finally {
      lock.unlock();
    }
    return made;
  }

  /**
   * From now on says of itself how it is, in the settings of the cluster and to a log.
   *
   * @param disk whose room is watched
   */
  public void watch(Disk disk, Consumer<String> log) {
    journal.health().troubles().tell(log);
    journal.health().watch(disk);
  }

  /** Notes that its process refused a session. */
  public void onRefused(String why) {
    journal.health().troubles().add(Troubles.Kind.REFUSED, why);
  }

  /** What is known of the strands of a file. */
  public enum StrandPresence {
    /** All exist. */
    ALL,
    /** Some do not. */
    SOME_MISSING,
    /** They cannot all be seen from here. */
    UNKNOWN
  }

  /** Says whether all strands of a file exist. */
  public interface StrandProbe {
    /** Asked once, while recovering, for each file of which the journal does not know it. */
    StrandPresence saw(FileEntry entry) throws IOException;
  }

  /** The files that have names. */
  public List<FileEntry> files() {
    lock.lock();
    try {
      return tree.files().stream().map(NameEntry::describe).toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Files whose names are durably gone and of which nodes may have strands still, without their
   * names: each once, and nodes that ask are not told of them any more. For code that removes
   * strands in place of the nodes.
   */
  public List<FileEntry> takeDropped() {
    lock.lock();
    try {
      return removals.take();
    } finally {
      lock.unlock();
    }
  }

  /** How often files were looked at because nodes are drained. */
  long drainVisits() {
    lock.lock();
    try {
      return drained.drained().visits();
    } finally {
      lock.unlock();
    }
  }

  /** No file or directory has had this id or a higher one yet. */
  public long nextId() {
    lock.lock();
    try {
      return tree.nextId();
    } finally {
      lock.unlock();
    }
  }

  /** What it says of starts to a node. */
  public Starts starts(int node) {
    lock.lock();
    try {
      return new Starts(journal.runs(), tree.nodeEpoch(node));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Remembers which start of a node this is. Durable before the answer to any later request.
   *
   * @throws MillraceException CORRUPT if there was a later one
   */
  public void remember(int node, long epoch) throws MillraceException {
    lock.lock();
    try {
      administration.remember(node, epoch);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Files that recovery dropped because nobody had said that their strands exist; what there is of
   * them can go.
   */
  public List<FileEntry> forgotten() {
    lock.lock();
    try {
      return journal.forgotten();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    DeferredReplies answers = new DeferredReplies();
    lockSoon();
    try {
      if (closed) {
        throw closedError();
      }
      if (!(request instanceof CoordinatorRequest known)) {
        throw new MillraceException(
            ErrorCode.PROTOCOL,
            "not a request to the coordinator: " + request.getClass().getSimpleName());
      }
      Optional<Message> before = answeredBefore(from, replyTo);
      if (before.isPresent()) {
        journal.whenDurable(CommitCallback.replying(replyTo, before.get()), answers);
      } else if (mustWait(known)) {
        recalls.whenOver(late -> handleLate(from, known, replyTo, late));
      } else {
        handle(from, known, replyTo, answers);
      }
    } catch (MillraceException e) {
      answers.fail(replyTo, e);
    } catch (RuntimeException e) { // a mistake of ours: the sender learns of it
      answers.fail(
          replyTo, new MillraceException(ErrorCode.PROTOCOL, "the coordinator failed: " + e, e));
    } finally {
      lock.unlock();
    }
    answers.send();
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    return pointers.advance(from.session(), key, delta, floor, limit);
  }

  @Override
  public boolean hasPointer(long key) {
    return pointers.has(key);
  }

  @Override
  public long stamp() {
    return pointers.stamp();
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    DeferredReplies answers = new DeferredReplies();
    lock.lock();
    try {
      recalls.onSessionEnd(from);
      journal.forget(from.session());
      transactions.onSessionEnd(from);
      sessions.onSessionEnd(from, answers);
      members.onSessionEnd(from, reason, answers);
      assemblies.onSessionEnd(from);
      assemblies.onLeft(answers);
      if (nodes.onSessionEnd(from, reason)) {
        copies.onNodesChanged();
      }
      leftovers.collect(); // it may have been about to open some
    } finally {
      lock.unlock();
    }
    answers.send();
  }

  /** Idempotent. */
  @Override
  public void close() {
    DeferredReplies answers = new DeferredReplies();
    lock.lock();
    try {
      closed = true;
      for (Group group : groups.all()) {
        for (MeetingChannel channel : group.channels()) {
          meetings.onChannelClosed(channel, "the coordinator is closed", answers);
        }
      }
      flushes.failAll(closedError(), answers);
      locks.failAll(closedError(), answers);
      bytes.failAll(closedError(), answers);
      delegations.failAll(closedError(), answers);
      assemblies.failAll(closedError(), answers);
      regroups.failAll(closedError(), answers);
    } finally {
      lock.unlock();
    }
    answers.send();
    timers.close();
    journal.close();
  }

  /**
   * Ends without a word to anybody, as if this process had been killed: another coordinator goes on
   * with the log, and sessions return to that one. Idempotent.
   */
  public void abandon() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    timers.close();
    journal.abandon();
  }

  private void join(
      Peer from, CoordinatorRequest.Join request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    Group group = groups.join(from, request.group(), request.rank()).group;
    answers.reply(replyTo, new CoordinatorReply.Group(group.id, group.size));
  }

  private void leave(
      Peer from, CoordinatorRequest.Leave request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, request.group(), request.rank());
    members.leave(member, request.why(), answers);
    assemblies.onLeft(answers);
    answers.reply(replyTo, DONE);
  }

  /**
   * Whether a request must wait until all who may have a file open, or bytes of it locked, have
   * come back after a restart.
   */
  private boolean mustWait(CoordinatorRequest request) {
    boolean takesAway =
        request instanceof CoordinatorRequest.Remove
            || request instanceof CoordinatorRequest.Rename rename && rename.replace()
            || request instanceof CoordinatorRequest.Reset
            || request instanceof CoordinatorRequest.OfBytes.LockBytes;
    return takesAway && recalls.isOpen();
  }

  /** What a request was answered that has changed names before the coordinator was restarted. */
  private Optional<Message> answeredBefore(Peer from, ReplyTo replyTo) {
    return life.isAfter(from.session())
        ? tree.answers()
            .find(from.session(), replyTo.request())
            .flatMap(kept -> files.again(from, kept))
        : Optional.empty();
  }

  private void handleLate(
      Peer from, CoordinatorRequest request, ReplyTo replyTo, DeferredReplies answers) {
    try {
      handle(from, request, replyTo, answers);
    } catch (MillraceException e) {
      answers.fail(replyTo, e);
    }
  }

  private void handle(
      Peer from, CoordinatorRequest request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    switch (request) {
      case CoordinatorRequest.Recall r -> recalls.onRecall(from, r, replyTo, answers);
      case CoordinatorRequest.Meet r -> meetings.onMeet(from, r, replyTo, answers);
      case CoordinatorRequest.MeetCombined r -> meetings.onMeetCombined(from, r, replyTo, answers);
      case CoordinatorRequest.Note r -> meetings.onNote(from, r.meet(), replyTo, answers);
      case CoordinatorRequest.ShareFlush r -> flushes.onShare(from, r, replyTo, answers);
      case CoordinatorRequest.Flushed r -> flushes.onFlushed(from, r, replyTo, answers);
      case CoordinatorRequest.Lock r -> locks.onLock(from, r, replyTo, answers);
      case CoordinatorRequest.MakeDirectory r -> names.makeDirectory(from, r, replyTo, answers);
      case CoordinatorRequest.ListNames r -> names.list(from, r, replyTo, answers);
      case CoordinatorRequest.Stat r -> names.stat(from, r, replyTo, answers);
      case CoordinatorRequest.Locate r -> names.locate(from, r, replyTo, answers);
      case CoordinatorRequest.Rename r -> names.rename(from, r, replyTo, answers);
      case CoordinatorRequest.Remove r -> names.remove(from, r, replyTo, answers);
      case CoordinatorRequest.Unlink r -> names.unlink(from, r, replyTo, answers);
      case CoordinatorRequest.SetPermissions r -> names.setPermissions(from, r, replyTo, answers);
      case CoordinatorRequest.SetGroup r -> names.setGroup(from, r, replyTo, answers);
      case CoordinatorRequest.Confirm r -> names.confirm(from, r, replyTo, answers);
      case CoordinatorRequest.AskOpens r -> names.opens(from, groups, r, replyTo, answers);
      case CoordinatorRequest.Describe r -> members.describe(from, r, replyTo, answers);
      case CoordinatorRequest.AskFiles _ -> names.files(from, replyTo, answers);
      case CoordinatorRequest.OfBytes r -> bytes.on(from, r, replyTo, answers);
      case CoordinatorRequest.OfFile r -> files.handle(from, r, replyTo, answers);
      case CoordinatorRequest.Form r -> form(from, r, replyTo, answers);
      case CoordinatorRequest.Join r -> join(from, r, replyTo, answers);
      case CoordinatorRequest.Leave r -> leave(from, r, replyTo, answers);
      case CoordinatorRequest.Withdraw _,
          CoordinatorRequest.Unlock _,
          CoordinatorRequest.CancelLock _,
          CoordinatorRequest.Declare _,
          CoordinatorRequest.Undeclare _,
          CoordinatorRequest.ReportCalls _ -> {
        declare(from, request, answers);
        answers.reply(replyTo, DONE);
      }
      case CoordinatorRequest.PointerSet r -> setPointer(from, r, replyTo, answers);
      case CoordinatorRequest.PointerAt r ->
          answers.reply(
              replyTo, new CoordinatorReply.Value(pointers.at(from.session(), r.pointer())));
      case CoordinatorRequest.AskMembers r ->
          answers.reply(replyTo, new CoordinatorReply.Members(members.gone(from, r.group())));
      case CoordinatorRequest.Renew r ->
          answers.reply(
              replyTo, new CoordinatorReply.Granted(members.renew(from, r.group(), r.open())));
      case CoordinatorRequest.Assemble r -> assemblies.onAssemble(from, r, replyTo, answers);
      case CoordinatorRequest.Regroup r -> regroups.onRegroup(from, r, replyTo, answers);
      case CoordinatorRequest.Register r -> {
        administration.register(from, r, replyTo, answers);
        copies.onNodesChanged();
      }
      case CoordinatorRequest.AskCopies r -> copies.ask(r, replyTo, answers);
      case CoordinatorRequest.LeaveCopies r -> copies.leave(from, r, replyTo, answers);
      case CoordinatorRequest.JoinCopies r -> copies.join(from, r, drained, replyTo, answers);
      case CoordinatorRequest.DropCopy r -> copies.drop(from, r, drained, replyTo, answers);
      case CoordinatorRequest.AskNodes _ -> drained.holdings(replyTo, answers);
      case CoordinatorRequest.ChangeNode r -> drained.change(from, r, replyTo, answers);
      case CoordinatorRequest.AskLost r -> drained.lost(from, r, replyTo, answers);
      case CoordinatorRequest.AskDuties r -> drained.duties(from, r, replyTo, answers);
      case CoordinatorRequest.MoveStrand r -> drained.move(from, r, replyTo, answers);
      case CoordinatorRequest.AskRebuilds r -> copies.rebuilds(from, r, replyTo, answers);
      case CoordinatorRequest.SetCopies r -> copies.setCopies(from, r, replyTo, answers);
      case CoordinatorRequest.Heartbeat r -> {
        administration.heartbeat(from, r, replyTo, answers);
        locks.onFenced(answers);
        bytes.onFenced(answers);
        recalls.onFenced(answers);
      }
      case CoordinatorRequest.AskCluster _ -> administration.askCluster(from, replyTo, answers);
      case CoordinatorRequest.Reset r -> administration.reset(from, r, replyTo, answers);
      case CoordinatorRequest.Shutdown _ -> administration.shutdown(from, replyTo, answers);
      case CoordinatorRequest.AskStatus _,
          CoordinatorRequest.AskWaits _,
          CoordinatorRequest.AskCalls _ ->
          answers.reply(replyTo, report(from, request));
    }
  }

  private void setPointer(
      Peer from, CoordinatorRequest.PointerSet request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    pointers.set(from.session(), request.pointer(), request.value());
    answers.reply(replyTo, new CoordinatorReply.Moved(request.value(), pointers.stamp()));
  }

  private CoordinatorReply report(Peer from, CoordinatorRequest request) {
    return switch (request) {
      case CoordinatorRequest.AskWaits _ -> new CoordinatorReply.Waits(report.waits(from));
      case CoordinatorRequest.AskCalls _ -> calls.told(group -> report.sees(from, group));
      default -> new CoordinatorReply.Doing(report.status(from));
    };
  }

  private void form(
      Peer from, CoordinatorRequest.Form request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    Group group = groups.form(from, request.size());
    answers.reply(replyTo, new CoordinatorReply.Group(group.id, group.size));
  }

  /** The requests whose answer says nothing: what is declared, told, or given up. */
  private void declare(Peer from, CoordinatorRequest request, DeferredReplies answers)
      throws MillraceException {
    switch (request) {
      case CoordinatorRequest.Withdraw r -> meetings.onWithdraw(from, r, answers);
      case CoordinatorRequest.Unlock r -> locks.onUnlock(from, r, answers);
      case CoordinatorRequest.CancelLock r -> locks.onCancel(from, r, answers);
      case CoordinatorRequest.Declare r -> declarations.onDeclare(from, r, answers);
      case CoordinatorRequest.Undeclare r -> declarations.onUndeclare(from, r);
      case CoordinatorRequest.ReportCalls r ->
          calls.onReport(groups.requireMember(from, r.group(), r.rank()), r);
      default -> throw new IllegalArgumentException("has an answer: " + request);
    }
  }

  /** The lock is held for less than parking would take. */
  private void lockSoon() {
    for (int i = 0; i < LOCK_SPINS; i++) {
      if (lock.tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    lock.lock();
  }

  private static MillraceException closedError() {
    return new MillraceException(ErrorCode.CLOSED, "the coordinator is closed");
  }
}
