package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Spin;

/**
 * The client's side of a link's session: the unanswered calls and the current connection. It
 * reconnects after a lost connection and repeats unanswered calls under their old numbers, so that
 * each is carried out once. If that fails for too long, or the endpoint has been restarted, all
 * calls fail from then on; unless it has a {@link Recollection}: then it tells a restarted endpoint
 * what it holds, and goes on when that is answered.
 *
 * <pre>
 *              connection lost                      too long, refused, another epoch
 *   connected -----------------&gt; away ----------------------------------------------&gt; broken
 *     ^  ^     connected again   |  ^
 *     |  '-----------------------'  | connection lost
 *     |        answered             |
 *     '------------------------- recalling &lt;-- away, if another epoch is found and it can return
 * </pre>
 *
 * <p>Safe for use by several threads: one lock, not held while anything is sent.
 */
final class ClientSession {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final long RETRY_NANOS = 20_000_000;
  private static final int FEW_LOSSES = 3;
  private static final int MAX_LOSSES = 200;

  /** How many graces long a link that can return tries to reach its endpoint again. */
  private static final int RETURN_GRACES = 12;

  /** How many replies received out of order are acknowledged at a time. */
  private static final int MANY_ARRIVED = 128;

  /** Makes connections to the endpoint. */
  interface Dialer {
    /** Connects, as the session that {@code before} was welcomed as, or anew if it is null. */
    Dialed dial(Handshake.@Nullable Welcome before, ReplyHandler replies, long deadlineNanos)
        throws IOException;
  }

  /** A fresh connection and what was said on it. */
  record Dialed(Connection connection, Handshake.Welcome welcome) {}

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final String name;
  private final Dialer dialer;
  private final long graceNanos;
  private final @Nullable Recollection recollection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Announcements announcements;
  private final Spin spin; // used by the thread that has set spinning
  private final AtomicBoolean spinning = new AtomicBoolean();
  private final AtomicInteger losses = new AtomicInteger(); // since the last answer

  // guarded by lock
  private final TreeMap<Long, RemoteCall> calls = new TreeMap<>();
  private @Nullable Connection connection;
  private long lastId;
  private int eager;
  private final List<Long> arrived = new ArrayList<>();
  private @Nullable Recall recalling;

  /** What a restarted endpoint is told, and over which connection; null if that is lost. */
  private record Recall(RemoteCall call, long id, @Nullable Connection connection) {}

  // written with the lock held
  private volatile @Nullable Connection connectionNow;
  private volatile Handshake.@Nullable Welcome welcome;
  private volatile @Nullable MillraceException broken;

  ClientSession(
      Env env,
      Codec codec,
      String name,
      Dialer dialer,
      @Nullable PooledBuffers sharedBuffers,
      long graceNanos,
      @Nullable Recollection recollection) {
    this.recollection = recollection;
    this.env = env;
    this.codec = codec;
    this.name = name;
    this.dialer = dialer;
    this.announcements = new Announcements(sharedBuffers == null ? null : sharedBuffers.pool());
    this.graceNanos = graceNanos;
    this.spin = new Spin(env);
  }

  String name() {
    return name;
  }

  Codec codec() {
    return codec;
  }

  /** Connects for the first time. */
  void open(long deadlineNanos) throws IOException {
    connected(dialer.dial(null, new ReplyHandler(this), deadlineNanos));
  }

  /** Whether payloads may lie in memory that both sides share. */
  boolean isShared() {
    Handshake.Welcome known = before();
    return known != null && known.shared();
  }

  /** Whether the other side is another process of this user on this host. */
  boolean isSameHost() {
    Connection now = connectionNow;
    return now != null && now.wire().isNeighbour();
  }

  /** Whether there is a connection now; one that was lost may come back. */
  boolean isConnected() {
    return connectionNow != null;
  }

  private void connected(Dialed fresh) {
    Map<Long, RemoteCall> again = Map.of();
    Recall recall = null;
    long acknowledged = 0;
    boolean over;
    lock.lock();
    try {
      over = broken != null;
      Handshake.Welcome before = welcome;
      boolean restarted = before != null && before.epoch() != fresh.welcome.epoch();
      welcome = fresh.welcome;
      if (!over && recollection != null && (restarted || recalling != null)) {
        RemoteCall told = restarted || recalling == null ? recall(recollection) : recalling.call;
        long id = restarted || recalling == null ? ++lastId : recalling.id;
        recall = new Recall(told, id, fresh.connection);
        recalling = recall;
        acknowledged = calls.isEmpty() ? id : calls.firstKey();
      } else {
        connection = over ? null : fresh.connection;
        connectionNow = connection;
        again = new TreeMap<>(calls);
      }
    } finally {
      lock.unlock();
    }
    if (over) {
      fresh.connection.lose("the link was closed");
    } else if (recall != null && recall.call.body.remaining() > FrameHeader.MAX_BODY) {
      breakUp(restarted()); // it holds more than can be told
    } else if (recall != null) {
      send(fresh.connection, recall.call, recall.id, acknowledged);
      fresh.connection.resume();
    } else {
      sendAll(fresh.connection, again);
    }
    if (!over && fresh.connection.isLost()) {
      onLost(fresh.connection, "lost at once");
    }
  }

  private void sendAll(Connection to, Map<Long, RemoteCall> all) {
    all.forEach(
        (id, call) -> {
          if (!call.isDone()) {
            send(to, call, id, all.keySet().iterator().next());
          }
        });
  }

  /** What the endpoint is told after it was restarted. Called with the lock held. */
  private RemoteCall recall(Recollection from) {
    List<Message> unanswered = new ArrayList<>();
    for (RemoteCall call : calls.values()) {
      if (call.what instanceof Message request && !call.isDone()) {
        unanswered.add(request);
      }
    }
    Message told = from.recall(unanswered);
    Encoder body = new Encoder();
    codec.encode(told, body);
    RemoteCall call =
        new RemoteCall(
            env,
            told,
            FrameKind.REQUEST,
            body.written(),
            true,
            Env.NEVER,
            new TransferMemory(0),
            SharedBuffers.NONE);
    call.carrier = this;
    return call;
  }

  /** The restarted endpoint knows what this session holds: everything else goes on. */
  private void recalled(Connection on, Recollection from, Message reply) {
    Map<Long, RemoteCall> again;
    List<RemoteCall> unknown = new ArrayList<>();
    from.onRecalled(reply);
    lock.lock();
    try {
      if (recalling == null || recalling.connection != on || broken != null) {
        return;
      }
      recalling = null;
      losses.set(0);
      connection = on;
      connectionNow = on;
      for (RemoteCall call : calls.values()) {
        if (call.sent && !call.isDone() && !mayRepeat(from, call)) {
          unknown.add(call);
        }
      }
      calls.values().removeAll(unknown);
      again = new TreeMap<>(calls);
    } finally {
      lock.unlock();
    }
    for (RemoteCall call : unknown) {
      call.onFailure(
          new MillraceException(
              ErrorCode.UNKNOWN,
              name + " was restarted; the request may have been carried out before: " + call.what));
    }
    sendAll(on, again);
    if (on.isLost()) {
      onLost(on, "lost at once");
    }
  }

  private static boolean mayRepeat(Recollection from, RemoteCall call) {
    return switch (call.what) {
      case RemoteCall.Advance move -> from.mayAdvanceAgain(move.key());
      case Message request -> from.mayRepeat(request);
      default -> false;
    };
  }

  /** A connection of this link is lost. */
  void onLost(Connection which, String reason) {
    lock.lock();
    try {
      boolean recalls = recalling != null && recalling.connection == which;
      if (connection != which && !recalls || broken != null) {
        return;
      }
      if (recalling != null) {
        recalling = new Recall(recalling.call, recalling.id, null);
      }
      connection = null;
      connectionNow = null;
      losses.incrementAndGet();
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, "reconnect to " + name, () -> reconnect(reason));
  }

  private void reconnect(String reason) {
    if (isHopeless(reason)) {
      return;
    }
    long patience = recollection == null ? graceNanos : RETURN_GRACES * graceNanos;
    long deadline = env.deadlineAfter(patience);
    MillraceException last = new MillraceException(ErrorCode.NODE, reason);
    while (env.nanoTime() < deadline && broken() == null) {
      try {
        Handshake.Welcome before = before();
        Dialed again = dialer.dial(before, new ReplyHandler(this), deadline);
        if (recollection == null && before != null && again.welcome.epoch() != before.epoch()) {
          again.connection.lose("it is another one");
          breakUp(restarted());
        } else {
          connected(again);
        }
        return;
      } catch (IOException e) {
        last = MillraceException.wrap(ErrorCode.NODE, e);
        if (last.code() == ErrorCode.RESTARTED) {
          breakUp(restarted());
          return;
        }
        if (last.code() == ErrorCode.REFUSED || last.code() == ErrorCode.CLOSED) {
          break;
        }
      }
      pause();
    }
    breakUp(
        new MillraceException(
            ErrorCode.NODE,
            "%s is lost: %s; it could not be reached again: %s"
                .formatted(name, reason, last.getMessage())));
  }

  /** Whether connections are lost again and again without a single answer. */
  private boolean isHopeless(String reason) {
    int lost = losses.get();
    if (lost > MAX_LOSSES) {
      breakUp(
          new MillraceException(
              ErrorCode.NODE,
              "%s was lost %s times without an answer: %s".formatted(name, lost, reason)));
      return true;
    }
    if (lost > FEW_LOSSES) {
      pause();
    }
    return false;
  }

  private void pause() {
    try {
      env.sleep(RETRY_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private MillraceException restarted() {
    return new MillraceException(
        ErrorCode.RESTARTED,
        name
            + " was restarted, or has given this session up: what was not flushed may be lost;"
            + " open again");
  }

  @Nullable MillraceException broken() {
    return broken;
  }

  private Handshake.@Nullable Welcome before() {
    return welcome;
  }

  /** The endpoint has ended in order, and will not be back as the same. */
  void onBye() {
    breakUp(new MillraceException(ErrorCode.NODE, name + " has ended"));
  }

  /** Fails everything under way and everything to come. */
  private void breakUp(MillraceException reason) {
    breakUp(reason, false);
  }

  /**
   * As {@link #breakUp(MillraceException)}.
   *
   * @param goodbye whether the endpoint is told: only after the reason is set, because what it does
   *     then would bring a reconnection about, and another reason
   */
  private void breakUp(MillraceException reason, boolean goodbye) {
    List<RemoteCall> failed;
    Connection last;
    long acknowledged;
    lock.lock();
    try {
      if (broken != null) {
        return;
      }
      broken = reason;
      last = connection;
      acknowledged = calls.isEmpty() ? lastId + 1 : calls.firstKey();
      connection = null;
      connectionNow = null;
      if (last == null && recalling != null) {
        last = recalling.connection;
      }
      failed = List.copyOf(calls.values());
      calls.clear();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      if (goodbye) {
        last.send(FrameKind.BYE, 0, acknowledged, NOTHING);
      }
      last.lose(String.valueOf(reason.getMessage()));
    }
    for (RemoteCall one : failed) {
      boolean unknown = one.sent && !one.repeatable && reason.code() == ErrorCode.NODE;
      one.onFailure(
          unknown
              ? new MillraceException(
                  ErrorCode.UNKNOWN,
                  reason.getMessage() + "; the request may have been carried out")
              : reason.again());
    }
  }

  /** Sends a call as soon as there is a connection. */
  RemoteCall begin(RemoteCall call) {
    Connection to;
    MillraceException failed;
    long id = 0;
    long acknowledged = 0;
    lock.lock();
    try {
      failed = broken;
      to = connection;
      call.carrier = this;
      if (failed == null) {
        id = ++lastId;
        calls.put(id, call);
        allowEager(call);
        acknowledged = calls.firstKey();
      }
    } finally {
      lock.unlock();
    }
    if (failed != null) {
      call.onFailure(failed.again());
    } else if (to != null) {
      send(to, call, id, acknowledged);
    }
    return call;
  }

  /** A small payload goes with its request, unless too many do: then it waits to be pulled. */
  private void allowEager(RemoteCall call) {
    int bytes = call.payloadBytes();
    if (bytes <= FrameHeader.EAGER && eager + bytes <= RequestDispatcher.MAX_EAGER) {
      eager += bytes;
      call.eagerBytes = bytes;
    }
  }

  private void send(Connection to, RemoteCall call, long id, long acknowledged) {
    if (call.isNamed()) {
      announcements.send(to);
    }
    call.send(to, id, acknowledged);
  }

  /** Lets a thread that waits for an answer do the reading for a while. */
  void help(RemoteCall call, long untilNanos) {
    Connection now = connectionNow;
    if (now != null && !call.isDone() && spinning.compareAndSet(false, true)) {
      try {
        now.help(spin, call, untilNanos);
      } finally {
        spinning.set(false);
      }
    }
    resume(call);
  }

  /** Makes sure that a thread reads, unless {@code call} is done and was the last. */
  void resume(RemoteCall call) {
    Connection now = connectionNow;
    if (now != null && !(call.isDone() && isIdle())) {
      now.resume();
    }
  }

  private boolean isIdle() {
    lock.lock();
    try {
      return calls.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Sends what needs no answer, if there is a connection. */
  void tell(FrameKind kind, ByteBuffer body) {
    Connection to;
    long acknowledged;
    lock.lock();
    try {
      to = connection;
      acknowledged = calls.isEmpty() ? lastId + 1 : calls.firstKey();
    } finally {
      lock.unlock();
    }
    if (to != null) {
      to.send(kind, 0, acknowledged, body);
    }
  }

  @Nullable RemoteCall call(long id) {
    lock.lock();
    try {
      return calls.get(id);
    } finally {
      lock.unlock();
    }
  }

  /** Records an answer before its call is forgotten. */
  private interface Recorder {
    void record(Recollection in, RemoteCall call);
  }

  /** Takes a call out whose answer is there. */
  @Nullable RemoteCall answered(Connection on, long id, Message reply) {
    if (recollection != null && isRecall(on, id)) {
      recalled(on, recollection, reply);
      return null;
    }
    return answered(
        on,
        id,
        (in, call) -> {
          if (call.what instanceof Message request) {
            in.onReply(request, reply);
          }
        });
  }

  /** The same of a one-sided operation. */
  @Nullable RemoteCall moved(Connection on, long id, RemoteCall.Value value, long stamp) {
    return answered(
        on,
        id,
        (in, call) -> {
          if (call.what instanceof RemoteCall.Advance m) {
            in.onAdvanced(m.key(), m.delta(), m.floor(), m.limit(), value.value(), stamp);
          }
        });
  }

  /** The same of a call that failed at the other side. */
  @Nullable RemoteCall failed(Connection on, long id, MillraceException error) {
    if (isRecall(on, id)) {
      breakUp(
          new MillraceException(
              ErrorCode.RESTARTED,
              name + " was restarted and does not know this session: " + error.getMessage()));
      return null;
    }
    return answered(
        on,
        id,
        (in, call) -> {
          if (call.what instanceof Message request) {
            in.onFailure(request, error);
          }
        });
  }

  private boolean isRecall(Connection on, long id) {
    lock.lock();
    try {
      return recalling != null && recalling.id == id && recalling.connection == on;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable RemoteCall answered(Connection on, long id, Recorder recorder) {
    RemoteCall call;
    lock.lock();
    try {
      if (recollection != null) {
        if (on != connection) {
          return null; // it is asked again, perhaps another one, which must not find it recorded
        }
        call = calls.get(id);
        if (call != null) {
          recorder.record(recollection, call);
        }
      }
      call = calls.remove(id);
      losses.set(0);
      if (call == null) {
        return null;
      }
      eager -= call.eagerBytes;
      if (!calls.isEmpty() && calls.firstKey() < id) {
        arrived.add(id); // the next frames do not say so by themselves
      }
      if (arrived.size() < MANY_ARRIVED) {
        return call;
      }
    } finally {
      lock.unlock();
    }
    tellArrived();
    return call;
  }

  private void tellArrived() {
    Encoder body = new Encoder();
    lock.lock();
    try {
      body.putInt(arrived.size());
      arrived.forEach(body::putLong);
      arrived.clear();
    } finally {
      lock.unlock();
    }
    tell(FrameKind.ARRIVED, body.written());
  }

  /** The receiver has memory for a payload. */
  void onPull(Connection on, long id) {
    RemoteCall call = call(id);
    if (call != null) {
      call.sendPayload(on, id, 0);
    }
  }

  void close() {
    breakUp(new MillraceException(ErrorCode.CLOSED, "the link to " + name + " is closed"), true);
  }
}
