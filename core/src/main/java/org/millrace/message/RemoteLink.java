package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A link to an endpoint in another process. A lost connection is made again, and what was not
 * answered is sent again under its old number, so that it happens once; when that fails for too
 * long, or the endpoint turns out to be a later one, everything fails and the link is broken.
 *
 * <pre>
 *              connection lost                      too long, refused, another epoch
 *   connected -----------------&gt; away ----------------------------------------------&gt; broken
 *       ^      connected again     |
 *       '--------------------------'
 * </pre>
 *
 * <p>Safe for use by several threads: one lock, not held while anything is sent.
 */
final class RemoteLink implements Link {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Slices of a long get or put that are under way at a time. */
  private static final int WINDOW = 6;

  private static final long RETRY_NANOS = 20_000_000;

  /** Makes connections to the endpoint. */
  interface Dialer {
    /** Connects, as the session that {@code before} was welcomed as, or anew if it is null. */
    Dialed dial(Greeting.@Nullable Welcome before, Replies replies, long deadlineNanos)
        throws IOException;
  }

  /** A fresh connection and what was said on it. */
  record Dialed(Connection connection, Greeting.Welcome welcome) {}

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final String name;
  private final Dialer dialer;
  private final TransferMemory spare;
  private final long graceNanos;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final TreeMap<Long, RemoteCall> calls = new TreeMap<>();
  private @Nullable Connection connection;
  private Greeting.@Nullable Welcome welcome;
  private @Nullable MillraceException broken;
  private long lastId;

  RemoteLink(
      Env env, Codec codec, String name, Dialer dialer, TransferMemory spare, long graceNanos) {
    this.env = env;
    this.codec = codec;
    this.name = name;
    this.dialer = dialer;
    this.spare = spare;
    this.graceNanos = graceNanos;
  }

  /** Connects for the first time. */
  void open(long deadlineNanos) throws IOException {
    Dialed first = dialer.dial(null, new Replies(this), deadlineNanos);
    connected(first);
  }

  private void connected(Dialed fresh) {
    List<Map.Entry<Long, RemoteCall>> again;
    long acknowledged;
    boolean over;
    lock.lock();
    try {
      over = broken != null;
      connection = over ? null : fresh.connection;
      welcome = fresh.welcome;
      acknowledged = calls.isEmpty() ? lastId + 1 : calls.firstKey();
      again =
          new ArrayList<>(
              calls.entrySet().stream().map(e -> Map.entry(e.getKey(), e.getValue())).toList());
    } finally {
      lock.unlock();
    }
    if (over) {
      fresh.connection.lose("the link was closed");
      return;
    }
    for (Map.Entry<Long, RemoteCall> one : again) {
      one.getValue().send(fresh.connection, one.getKey(), acknowledged);
    }
    if (fresh.connection.isLost()) {
      onLost(fresh.connection, "lost at once");
    }
  }

  /** A connection of this link is lost. */
  void onLost(Connection which, String why) {
    lock.lock();
    try {
      if (connection != which || broken != null) {
        return;
      }
      connection = null;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, "reconnect to " + name, () -> reconnect(why));
  }

  private void reconnect(String why) {
    long deadline = env.deadlineAfter(graceNanos);
    MillraceException last = new MillraceException(ErrorCode.NODE, why);
    while (env.nanoTime() < deadline && broken() == null) {
      try {
        Greeting.Welcome before = before();
        Dialed again = dialer.dial(before, new Replies(this), deadline);
        if (before != null && again.welcome.epoch() != before.epoch()) {
          again.connection.lose("it is another one");
          breakUp(restarted());
          return;
        }
        connected(again);
        return;
      } catch (MillraceException e) {
        last = e;
        if (e.code() == ErrorCode.RESTARTED) {
          breakUp(restarted());
          return;
        }
        if (e.code() == ErrorCode.REFUSED) {
          break;
        }
      } catch (IOException e) {
        last = MillraceException.wrap(ErrorCode.NODE, e);
      }
      pause();
    }
    breakUp(
        new MillraceException(
            ErrorCode.NODE,
            "%s is lost: %s; it could not be reached again: %s"
                .formatted(name, why, last.getMessage())));
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

  private @Nullable MillraceException broken() {
    lock.lock();
    try {
      return broken;
    } finally {
      lock.unlock();
    }
  }

  private Greeting.@Nullable Welcome before() {
    lock.lock();
    try {
      return welcome;
    } finally {
      lock.unlock();
    }
  }

  /** Fails everything under way and everything to come. */
  private void breakUp(MillraceException why) {
    List<RemoteCall> failed;
    Connection last;
    lock.lock();
    try {
      if (broken != null) {
        return;
      }
      broken = why;
      last = connection;
      connection = null;
      failed = List.copyOf(calls.values());
      calls.clear();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.lose(String.valueOf(why.getMessage()));
    }
    for (RemoteCall one : failed) {
      boolean unknown = one.sent && !one.repeatable && why.code() == ErrorCode.NODE;
      one.onFailure(
          unknown
              ? new MillraceException(
                  ErrorCode.UNKNOWN, why.getMessage() + "; the request may have been carried out")
              : why.again());
    }
  }

  @Override
  public boolean isBroken() {
    return broken() != null;
  }

  @Override
  public Pending start(Message request, MemorySegment payload) {
    return start(request, payload, Env.NEVER);
  }

  @Override
  public Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    RemoteCall call = start(request, payload, deadlineNanos);
    return await(call, deadlineNanos);
  }

  private RemoteCall start(Message request, MemorySegment payload, long deadlineNanos) {
    Encoder body = new Encoder();
    codec.encode(request, body);
    Cargo cargo = codec.cargo(request, payload.byteSize());
    RemoteCall call =
        new RemoteCall(
            env,
            request,
            FrameKind.REQUEST,
            body.written(),
            0,
            codec.isRepeatable(request),
            deadlineNanos,
            spare);
    switch (cargo.direction()) {
      case NONE -> {}
      case TO_RECEIVER -> call.takes(payload, cargo);
      case TO_SENDER -> call.brings(payload, cargo);
    }
    return begin(call);
  }

  private RemoteCall begin(RemoteCall call) {
    Connection to;
    MillraceException failed;
    long id = 0;
    long acknowledged = 0;
    lock.lock();
    try {
      failed = broken;
      to = connection;
      if (failed == null) {
        id = ++lastId;
        calls.put(id, call);
        acknowledged = calls.firstKey();
      }
    } finally {
      lock.unlock();
    }
    if (failed != null) {
      call.onFailure(failed.again());
    } else if (to != null) {
      call.send(to, id, acknowledged);
    }
    return call;
  }

  private Message await(RemoteCall call, long deadlineNanos) throws IOException {
    try {
      return call.await(deadlineNanos);
    } catch (DeadlineException e) {
      call.abandon();
      throw new DeadlineException(name + ": " + e.getMessage());
    }
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    if (length <= Frame.SLICE) {
      return value(await(startGet(key, offset, into, at, length, deadline), deadline));
    }
    ArrayDeque<RemoteCall> window = new ArrayDeque<>();
    long asked = 0;
    long total = 0;
    boolean whole = true;
    try {
      while (asked < length || !window.isEmpty()) {
        while (window.size() < WINDOW && asked < length) {
          long part = Math.min(Frame.SLICE, length - asked);
          window.add(startGet(key, offset + asked, into, at + asked, part, deadline));
          asked += part;
        }
        long expected = Math.min(Frame.SLICE, length - total);
        long got = value(await(window.remove(), deadline));
        if (whole) {
          total += got;
          whole = got == expected;
        }
      }
      return total;
    } finally {
      window.forEach(RemoteCall::abandon);
    }
  }

  private RemoteCall startGet(
      long key, long offset, MemorySegment into, long at, long length, long deadline) {
    RemoteCall call = verb("get", FrameKind.GET, key, offset, length, true, deadline);
    call.brings(into.asSlice(at, length), Cargo.whole(Cargo.Direction.TO_SENDER, length));
    return begin(call);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ArrayDeque<RemoteCall> window = new ArrayDeque<>();
    long put = 0;
    try {
      do {
        long part = Math.min(Frame.SLICE, length - put);
        RemoteCall call = verb("put", FrameKind.PUT, key, offset + put, part, false, deadline);
        call.takes(source.asSlice(at + put, part), Cargo.whole(Cargo.Direction.TO_RECEIVER, part));
        window.add(begin(call));
        put += part;
        if (window.size() == WINDOW || put == length) {
          await(window.remove(), deadline);
        }
      } while (put < length);
      while (!window.isEmpty()) {
        await(window.remove(), deadline);
      }
    } finally {
      window.forEach(RemoteCall::abandon);
    }
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    long deadline = env.deadlineAfter(timeoutNanos);
    ByteBuffer body = Frame.buffer(4 * Long.BYTES);
    body.putLong(key).putLong(delta).putLong(floor).putLong(limit).flip();
    RemoteCall call =
        new RemoteCall(env, "advance", FrameKind.ADVANCE, body, 0, false, deadline, spare);
    return value(await(begin(call), deadline));
  }

  private RemoteCall verb(
      String what,
      FrameKind kind,
      long key,
      long offset,
      long length,
      boolean repeatable,
      long deadline) {
    return new RemoteCall(
        env, what, kind, range(key, offset, length), 0, repeatable, deadline, spare);
  }

  private static ByteBuffer range(long key, long offset, long length) {
    return Frame.buffer(3 * Long.BYTES).putLong(key).putLong(offset).putLong(length).flip();
  }

  private static long value(Message message) {
    return ((RemoteCall.Value) message).value();
  }

  @Override
  public void hint(long key, long offset, long length) {
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
      to.send(FrameKind.HINT, 0, acknowledged, range(key, offset, length));
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

  /** Takes a call out whose answer is there. */
  @Nullable RemoteCall answered(long id) {
    lock.lock();
    try {
      return calls.remove(id);
    } finally {
      lock.unlock();
    }
  }

  /** The receiver has memory for a payload. */
  void onPull(Connection on, long id) {
    RemoteCall call = call(id);
    if (call != null) {
      call.sendCargo(on, id, 0);
    }
  }

  Codec codec() {
    return codec;
  }

  @Override
  public void close() {
    Connection last;
    lock.lock();
    try {
      last = connection;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.send(FrameKind.BYE, 0, 0, NOTHING);
    }
    breakUp(new MillraceException(ErrorCode.CLOSED, "the link to " + name + " is closed"));
  }
}
