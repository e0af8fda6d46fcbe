package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.KeyTable;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.Troubles;
import org.millrace.message.Troubles.Kind;
import org.millrace.node.Grant.Right;
import org.millrace.protocol.Asking;
import org.millrace.protocol.Capabilities;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Fence;
import org.millrace.protocol.Holder;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.Revocation;
import org.millrace.protocol.StrandId;
import org.millrace.wire.Secret;

/**
 * Checks the requests of other processes to a node. A session may use a file only after it has
 * presented a capability that the coordinator sealed for that file and for the session's own user,
 * and until that expires. Everything else is refused with NOT_PERMITTED, the file and the reason.
 * If a capability has expired, the reason contains the word "expired", so that the client knows
 * that renewing helps.
 *
 * <pre>
 *   right     what it allows
 *   read      get, Gather, Preload, NextData, Sum, Direct and Pin that read; hints
 *   write     put, Scatter, Resize, Extend, Preallocate, Direct and Pin that write
 *   either    Size, Flush, Create, WithdrawDirect, AskStatuses
 * </pre>
 *
 * AskStatuses is also answered to a session that shows a right to ask about just these files, which
 * the coordinator gives with what it says of them.
 *
 * <p>Create makes an empty strand where there is none and touches none that is there, so a reader
 * of a file whose maker died may do it. Hints without the right are ignored. AskReport is open to
 * all. AskSlab is answered to processes of the node's own user on its host, which could map the
 * memory anyhow. Nodes remove strands when the coordinator tells them that the file's name is gone,
 * so nobody else need: the superuser alone may Remove. It may Create any strand, too, set the
 * cache's size and end the process.
 *
 * <p><b>Taking back.</b> A capability is good until it expires, whatever happens to the file's
 * mode, unless the coordinator says that it is {@linkplain #revoke revoked}, as it does when a file
 * is reset. When a file is removed its strands go, and its id is never given again, so what is left
 * of its capabilities opens no file of other users. At worst their holder makes empty strands of
 * the dead file again, which takes its room until a node next compares its strands with the names.
 *
 * <p><b>Fences.</b> Writes pass the gate of the holder in whose name the session writes. When the
 * coordinator has {@linkplain #adopt fenced} a holder, they are refused with RESTARTED, for good;
 * what was let in before is finished, and then the node {@linkplain #heartbeat says so}. Reads and
 * flushes are not concerned.
 *
 * <p>Safe for use by several threads. What is kept is bounded for each session, and forgotten when
 * the session is gone.
 */
public final class Guard implements Endpoint {

  /** How many files a session may have presented capabilities for at a time. */
  public static final int MAX_FILES = 1 << 16;

  /** How many may wait until it is known which epoch of the coordinator is the present one. */
  private static final int MAX_EARLY = 1024;

  private static final NodeReply DONE = new NodeReply.Done();

  /**
   * A session that a newer epoch of the coordinator admitted, of which this node does not know yet.
   */
  private record Early(Peer from, NodeRequest.Present present, ReplyTo replyTo) {}

  // constant after construction
  private final String name;
  private final Endpoint node;
  private final Secret secret;
  private final String superuser;
  private final Runnable onShutdown;
  private final int maxFiles;
  private final LockHolders holders;
  private final ClusterTime time;
  private final Troubles troubles;
  private final KeyTable<Grants> bySession = new KeyTable<>();
  private final ReentrantLock lock = new ReentrantLock(); // nothing is shown while it is revoked

  // guarded by lock
  private final Map<Long, Long> revoked = new HashMap<>(); // until when, by open
  private List<Early> early = new ArrayList<>();

  /**
   * A guard in front of {@code node}.
   *
   * @param name the node's, for messages
   * @param secret the cluster's, with which the coordinator seals
   * @param superuser the user who administers the cluster
   * @param onShutdown ends the process; called after the answer, must return at once
   */
  public Guard(
      Env env, String name, Endpoint node, Secret secret, String superuser, Runnable onShutdown) {
    this(env, name, node, secret, superuser, onShutdown, MAX_FILES);
  }

  Guard(
      Env env,
      String name,
      Endpoint node,
      Secret secret,
      String superuser,
      Runnable onShutdown,
      int maxFiles) {
    this.name = name;
    this.node = node;
    this.secret = secret;
    this.superuser = superuser;
    this.onShutdown = onShutdown;
    this.maxFiles = maxFiles;
    this.holders = new LockHolders(env, name, node::isSettled);
    this.time = node instanceof Node own ? own.time() : new ClusterTime(env);
    this.troubles = new Troubles(env);
  }

  /** What stands in front of the node for sessions of its own process, behind the same fences. */
  public Endpoint own() {
    return new LocalGuard(node, holders);
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    boolean pass;
    WriteGate gate;
    try {
      if (!(request instanceof NodeRequest known)) {
        throw new MillraceException(
            ErrorCode.PROTOCOL, name + " does not serve " + request.getClass().getSimpleName());
      }
      if (known instanceof NodeRequest.Present present) {
        onPresent(from, present, replyTo, true);
        return;
      }
      pass = check(from, known);
      gate = GatedWrites.isWrite(known) ? enter(from) : null;
    } catch (MillraceException e) {
      replyTo.fail(e);
      return;
    }
    if (request instanceof NodeRequest.AskReport) {
      node.onRequest(
          from, request, payload, new ReportWithSessions(replyTo, bySession, this::addTo));
      return;
    }
    if (pass) {
      count(from, Usage.bytesOf(request));
      if (gate == null) {
        node.onRequest(from, request, payload, replyTo);
      } else {
        GatedWrites.request(gate, node, from, request, payload, replyTo);
      }
      return;
    }
    replyTo.reply(DONE);
    if (request instanceof NodeRequest.Shutdown) {
      onShutdown.run();
    }
  }

  /** What it knows beside the sessions. */
  private void addTo(Map<String, Long> counters) {
    troubles.addTo(counters);
    counters.put("clockAheadMillis", clockAheadMillis());
  }

  /** From now on {@code log} is told who was refused what. */
  public void tellRefusals(Consumer<String> log) {
    troubles.tell(log);
  }

  /** The coordinator has just said that this is its date. */
  public void onTime(long millis) {
    time.onTold(millis);
  }

  /** How far this process's date is ahead of the coordinator's. */
  public long clockAheadMillis() {
    return time.aheadMillis();
  }

  /** Whether the node is to see the request; false if it is the guard's own affair. */
  private boolean check(Peer from, NodeRequest request) throws MillraceException {
    switch (request) {
      case NodeRequest.Present _ -> throw new IllegalStateException("handled before");
      case NodeRequest.Shutdown _ -> {
        checkSuperuser(from, "end " + name);
        return false;
      }
      case NodeRequest.SetCacheBytes _ -> checkSuperuser(from, "set the cache's size");
      case NodeRequest.AskReport _ -> {}
      case NodeRequest.Scrub _, NodeRequest.AskScrub _ -> checkSuperuser(from, "scrub");
      case NodeRequest.AskSlab _ -> {} // the node asks the kernel whether the user may map it
      case NodeRequest.Create(StrandId strand, int _) -> {
        if (!isSuperuser(from)) {
          check(from, strand.file(), Right.EITHER);
        }
      }
      case NodeRequest.AskStatuses r -> checkMayAsk(from, r);
      case NodeRequest.Remove(StrandId strand) -> checkSuperuser(from, "remove " + strand);
      case NodeRequest.OfCopy r -> checkSuperuser(from, "write copies of " + r.strand());
      case NodeRequest.WithdrawDirect r -> check(from, r.strand().file(), Right.EITHER);
      case NodeRequest.OfStrand r -> check(from, r.strand().file(), rightFor(r));
    }
    return true;
  }

  /** A session may ask about files that it may use, or that the coordinator has told it of. */
  private void checkMayAsk(Peer from, NodeRequest.AskStatuses request) throws MillraceException {
    Asking asking = request.asking();
    Set<Long> told = asking.seal().isEmpty() ? Set.of() : new HashSet<>(request.files());
    if (!told.isEmpty()) {
      long any = request.files().getFirst();
      if (!Capabilities.isSealed(secret, asking, request.files())) {
        throw refused(from, any, "the right to ask is not sealed by this cluster for these files");
      }
      checkOf(from, any, asking.user(), asking.expiresMillis());
    }
    for (StrandId strand : request.strands()) {
      if (!told.contains(strand.file()) && !isSuperuser(from)) {
        check(from, strand.file(), Right.EITHER);
      }
    }
  }

  private static Right rightFor(NodeRequest.OfStrand request) {
    return switch (request) {
      case NodeRequest.Size _, NodeRequest.Flush _, NodeRequest.Vouch _ -> Right.EITHER;
      default -> GatedWrites.isWrite(request) ? Right.WRITE : Right.READ;
    };
  }

  private void onPresent(Peer from, NodeRequest.Present present, ReplyTo replyTo, boolean mayWait)
      throws MillraceException {
    if (present(from, present.capability(), present.holder())) {
      replyTo.reply(DONE);
      return;
    }
    lock.lock();
    try {
      if (mayWait && early.size() < MAX_EARLY) {
        early.add(new Early(from, present, replyTo)); // the coordinator was just restarted, or ...
        return;
      }
    } finally {
      lock.unlock();
    }
    throw holders.refused(from); // ... will say that this holder is of an earlier epoch
  }

  /** Whether a right is its shower's own, and not over. */
  private void checkOf(Peer from, long file, String user, long untilMillis)
      throws MillraceException {
    if (from.user().isEmpty() || !from.user().equals(user)) {
      throw refused(from, file, "the capability is user " + user + "'s");
    }
    if (untilMillis <= time.nowMillis()) {
      throw refused(
          from, file, "the capability has expired at " + Instant.ofEpochMilli(untilMillis));
    }
  }

  /** Adds what is shown to what the session may do; false if its holder's epoch is unknown. */
  private boolean present(Peer from, Capability capability, Holder holder)
      throws MillraceException {
    long now = time.nowMillis();
    if (!Capabilities.isSealed(secret, capability)) {
      throw refused(from, capability.file(), "the capability's seal is not this cluster's");
    }
    checkOf(from, capability.file(), capability.user(), capability.expiresMillis());
    lock.lock();
    try {
      if (revoked.containsKey(capability.open())) {
        throw refused(from, capability.file(), "the file was reset, open it again");
      }
      Grants grants = bySession.get(from.session());
      if (grants == null) {
        WriteGate gate = holders.join(from, holder);
        if (gate == null) {
          return false;
        }
        grants = new Grants(new Usage(from), holder, gate, maxFiles);
        bySession.put(from.session(), grants);
      } else if (!grants.holder.equals(holder)) {
        throw refused(from, capability.file(), "its session writes in another one's name");
      }
      grants.add(Grant.of(capability), now);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The coordinator of this epoch has fenced holders off, and with them all of earlier epochs but
   * those that have come back: from now on nothing is written in their name. Returns whether any of
   * that was new.
   *
   * @param returned sessions that have come back; empty while others may, too
   */
  public boolean adopt(long epoch, List<Fence> fences, Optional<List<Long>> returned) {
    LockHolders.Adopted adopted = holders.adopt(epoch, fences, returned);
    // parts of disk-directed calls that wait for others are not carried out either
    adopted.shut().forEach(peer -> node.onSessionEnd(peer, GatedWrites.ENDED));
    List<Early> waiting;
    lock.lock();
    try {
      waiting = early;
      early = new ArrayList<>();
    } finally {
      lock.unlock();
    }
    for (Early one : waiting) {
      try {
        onPresent(one.from, one.present, one.replyTo, false);
      } catch (MillraceException e) {
        one.replyTo.fail(e);
      }
    }
    return adopted.fresh();
  }

  /** A heartbeat of this node, which says how far it has come with the fences. */
  public CoordinatorRequest.Heartbeat heartbeat(int number, List<StrandId> removed) {
    LockHolders.Progress now = holders.progress();
    return new CoordinatorRequest.Heartbeat(number, removed, now.epoch(), now.number());
  }

  /** From now on these opens give no access, whatever capability was or will be presented. */
  public void revoke(List<Revocation> revocations) {
    long now = time.nowMillis();
    lock.lock();
    try {
      revoked.values().removeIf(until -> until <= now);
      for (Revocation one : revocations) {
        revoked.put(one.open(), one.untilMillis());
        bySession.forEach(grants -> grants.remove(one.open()));
      }
    } finally {
      lock.unlock();
    }
  }

  private void check(Peer from, long file, Right right) throws MillraceException {
    Grant shown = shown(from, file);
    if (shown == null || shown.untilMillis(right) <= time.nowMillis()) {
      throw refused(
          from,
          file,
          shown == null
              ? "no capability was presented, or it was taken back"
              : shown.refusal(right));
    }
  }

  /** Begins a write that is allowed; it leaves the gate when it has ended. */
  private WriteGate enter(Peer from) throws MillraceException {
    Grants grants = bySession.get(from.session());
    if (grants == null || !grants.gate.enter()) {
      throw holders.refused(from);
    }
    return grants.gate;
  }

  private @Nullable Grant shown(Peer from, long file) {
    Grants grants = bySession.get(from.session());
    return grants == null ? null : grants.of(file);
  }

  private void count(Peer from, long bytes) {
    Grants grants = bySession.get(from.session());
    if (grants != null) {
      grants.usage.count(bytes);
    }
  }

  private boolean isSuperuser(Peer from) {
    return !superuser.isEmpty() && superuser.equals(from.user());
  }

  private void checkSuperuser(Peer from, String what) throws MillraceException {
    if (!isSuperuser(from)) {
      String message = "user " + from.user() + " may not " + what + "; " + superuser + " may";
      troubles.add(Kind.REFUSED, name + ": " + message);
      throw new MillraceException(ErrorCode.NOT_PERMITTED, message);
    }
  }

  private MillraceException refused(Peer from, long file, String reason) {
    String message = name + " refuses file " + file + " to user " + from.user() + ": " + reason;
    // a client that renews its capability too late is common, and repeats its request
    troubles.add(reason.contains("expired") ? Kind.EXPIRED : Kind.REFUSED, message);
    return new MillraceException(ErrorCode.NOT_PERMITTED, message);
  }

  @Override
  public boolean isReady(Message request) {
    return node.isReady(request);
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return node.isReady(key, offset, length);
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    check(from, StrandId.fileOf(key), Right.READ);
    long count = node.onGet(from, key, offset, into, at, length);
    count(from, count);
    return count;
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    check(from, StrandId.fileOf(key), Right.WRITE);
    GatedWrites.put(enter(from), node, from, key, offset, source, at, length);
    count(from, length);
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    Grant shown = shown(from, StrandId.fileOf(key));
    if (shown != null && shown.untilMillis(Right.READ) > time.nowMillis()) {
      node.onHint(from, key, offset, length);
    }
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    Grants grants = bySession.get(from.session());
    if (grants != null) {
      bySession.remove(from.session());
      holders.leave(from, grants.gate);
    }
    node.onSessionEnd(from, reason);
  }
}
